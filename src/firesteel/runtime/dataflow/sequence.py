"""Total order of changes: by sequence, then by sub-sequence.

- The sequence (column `$order`, int64) identifies the origin row of a change, which is an input row. Its
  upper bits are the number of the split. Its lower bits number the rows that the micro-batch reads from the
  split. The position of the row in the source, such as a Kafka offset, plays no part. So a sequence is unique
  within a micro-batch only.
- The sub-sequence (column `$place`, int64) numbers the changes of one origin row. It is the last column of a
  changes table. The column is left out if all its values are 0, as after most sources.

One row may lead to many changes, and each of these to many more after the next exchange. Every exchange
numbers the changes that have the same sequence and sub-sequence, and appends the number to the sub-sequence
of each change (`SubSequences`). Each exchange on the way of a change has its own bits of the sub-sequence.
The order of changes does not depend on how the work is divided into tasks and key groups.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from firesteel.changelog import KIND, SEQUENCE, SUB_SEQUENCE, field
from firesteel.errors import InternalError, JobError
from firesteel.runtime.columns.sorting import is_ascending, stable_order, stable_pair_order
from firesteel.types.internal_values import one_chunk

Numbers = NDArray[np.int64]
ChangeOrigin = tuple[int, int]
"""Origin of a change, as its sequence and sub-sequence."""

ROW_BITS = 36
_SPLIT_BITS = 26
"""Bits for a split's number in the sequence, above the ROW_BITS bits for the row's number in the split."""

_SUB_SEQUENCE_BITS = 62


# --- numbering rows ------------------------------------------------------------------------------
def row_sequences(split: int, first: int, rows: int) -> pa.Array:
    """Return the sequence numbers of the rows `first`, `first + 1`, ... of a split, int64[rows].

    Raises:
        JobError: The split has more rows than there are numbers.
    """
    if first + rows > 1 << ROW_BITS:
        raise JobError(f"a task reads more than {1 << ROW_BITS:,} rows", hint="read with more tasks")
    start = (split << ROW_BITS) + first
    return pa.array(np.arange(start, start + rows, dtype=np.int64))


def last_sequence(split: int) -> int:
    """Return the greatest sequence of a split."""
    return ((split + 1) << ROW_BITS) - 1


def split_numbers(source: int, sources: int) -> range:
    """Return the numbers for the splits of a source. The sources of a job get equal, disjoint ranges.

    Args:
        source: Number of the source among the sources of the job, from 0 on.
        sources: Number of all sources of the job.
    """
    share = (1 << _SPLIT_BITS) // sources
    return range(source * share, (source + 1) * share)


def sequence_shift(sources_later: int, sources: int) -> int:
    """Return the number that moves a sequence of one source into the range of a later source.

    The sequences are divided into ranges of equal size, one for each source. Add the result to a sequence.

    Args:
        sources_later: Number of ranges by which the sequence moves, 1 from a source to the next one.
        sources: Number of all sources.
    """
    return sources_later * len(split_numbers(0, sources)) << ROW_BITS


def split_number(numbers: range, index: int) -> int:
    """Return the number of one split or task of a source.

    Raises:
        JobError: The source has more splits than numbers.
    """
    if index >= len(numbers):
        raise JobError(
            f"a source is read by more than {len(numbers):,} tasks at once", hint="read with fewer tasks"
        )
    return numbers[index]


def sub_sequence_bits(exchanges: int, taken: int = 0) -> int:
    """Return the number of bits of the sub-sequence that each exchange gets.

    Args:
        exchanges: Number of exchanges on the longest path of the job.
        taken: Number of bits of the sub-sequence that rows of a source use before the first exchange. 0 if
            they have no sub-sequence.
    """
    return (_SUB_SEQUENCE_BITS - taken) // max(1, exchanges)


def last_sub_sequence(exchanges: int, bits: int, taken: int = 0) -> int:
    """Return the greatest sub-sequence of rows after some exchanges.

    Args:
        exchanges: Number of exchanges before the rows.
        bits: Number of bits that each exchange gets (`sub_sequence_bits`).
        taken: Number of bits of the sub-sequence that rows of a source use before the first exchange. 0 if
            they have no sub-sequence.
    """
    return (1 << (taken + exchanges * bits)) - 1


# --- tables --------------------------------------------------------------------------------------
def sequences(changes: pa.Table) -> Numbers:
    """Return the sequence of each change, int64[n]."""
    values: Numbers = one_chunk(changes.column(SEQUENCE)).to_numpy()
    return values


def sub_sequences(changes: pa.Table) -> Numbers | None:
    """Return the sub-sequence of each change, int64[n], or None if the table has no such column."""
    if SUB_SEQUENCE not in changes.column_names:
        return None
    values: Numbers = one_chunk(changes.column(SUB_SEQUENCE)).to_numpy()
    return values


def heads(changes: pa.Table) -> pa.Table:
    """Return only the columns with the sequence and, if present, the sub-sequence."""
    return changes.select([name for name in (SEQUENCE, SUB_SEQUENCE) if name in changes.column_names])


def derived(changes: pa.Table, at: Numbers, kinds: pa.Array, columns: Iterable[pa.Array]) -> pa.Table:
    """Return a changes table in which each change takes its origin from a row of another table.

    Args:
        changes: Table with the origins.
        at: int64[n], for each new change the row of `changes` that caused it.
        kinds: int8[n], row kinds.
        columns: The fields, n rows each.
    """
    fields = list(columns)
    origins = heads(changes)
    sequence, *sub_sequence = (one_chunk(column).take(pa.array(at)) for column in origins.columns)
    names = [KIND, SEQUENCE, *map(field, range(len(fields))), *origins.column_names[1:]]
    return pa.Table.from_arrays([kinds, sequence, *fields, *sub_sequence], names=names)


def attributed(changes: pa.Table, to: Numbers) -> pa.Table:
    """Return the changes with other origins.

    Args:
        changes: n changes.
        to: int64[n], for each change the row of `changes` whose origin it gets.
    """
    for name in (SEQUENCE, SUB_SEQUENCE):
        index = changes.schema.get_field_index(name)
        if index >= 0:
            changes = changes.set_column(index, name, one_chunk(changes.column(index)).take(pa.array(to)))
    return changes


def concat(tables: Sequence[pa.Table]) -> pa.Table:
    """Return changes tables as one table. Some may have a column of sub-sequences and others not."""
    if any(SUB_SEQUENCE in table.column_names for table in tables):
        tables = [_with_sub_sequences(table) for table in tables]
    return pa.concat_tables(tables)


def in_order(changes: pa.Table) -> pa.Table:
    """Return the changes sorted by origin. Changes of one origin keep their order."""
    by = by_origin(changes)
    return changes if by is None else changes.combine_chunks().take(pa.array(by))


def by_origin(changes: pa.Table) -> Numbers | None:
    """Return the row numbers that sort the changes by origin, int64[n]. The sort is stable.

    Returns:
        None if the changes are sorted already.
    """
    sequence, sub_sequence = sequences(changes), sub_sequences(changes)
    if sub_sequence is None:
        return None if is_ascending(sequence) else stable_order(sequence)
    later = (sequence[1:] > sequence[:-1]) | (
        (sequence[1:] == sequence[:-1]) & (sub_sequence[1:] >= sub_sequence[:-1])
    )
    return None if bool(np.all(later)) else stable_pair_order(sequence, sub_sequence)


def ranks(changes: pa.Table) -> Numbers:
    """Return numbers that compare like the origins of these changes, int64[n].

    Numbers of different tables cannot be compared.
    """
    sequence, sub_sequence = sequences(changes), sub_sequences(changes)
    if sub_sequence is None:
        return sequence
    by = stable_pair_order(sequence, sub_sequence)
    new = (np.diff(sequence[by], prepend=sequence[by[:1]]) != 0) | (
        np.diff(sub_sequence[by], prepend=sub_sequence[by[:1]]) != 0
    )
    found = np.empty(len(sequence), np.int64)
    found[by] = np.cumsum(new)
    return found


def below(changes: pa.Table, origin: ChangeOrigin) -> int:
    """Return how many changes come before an origin. The changes must be sorted."""
    sequence, sub_sequence = sequences(changes), sub_sequences(changes)
    start, end = (int(np.searchsorted(sequence, origin[0], side)) for side in ("left", "right"))
    if sub_sequence is None:
        return end if origin[1] > 0 else start
    return start + int(np.searchsorted(sub_sequence[start:end], origin[1]))


def origin_of(changes: pa.Table, row: int) -> ChangeOrigin:
    """Return the origin of one change."""
    sub_sequence = changes.column(SUB_SEQUENCE)[row].as_py() if SUB_SEQUENCE in changes.column_names else 0
    return changes.column(SEQUENCE)[row].as_py(), sub_sequence


def _with_sub_sequences(changes: pa.Table) -> pa.Table:
    if SUB_SEQUENCE in changes.column_names:
        return changes
    return changes.append_column(SUB_SEQUENCE, pa.array(np.zeros(changes.num_rows, np.int64)))


# --- at an exchange ------------------------------------------------------------------------------
class SubSequences:
    """Numbering of changes at an exchange: the changes of each origin get the numbers 0, 1, 2, ...

    An origin is a pair of sequence and sub-sequence. The tables of a task come sorted by origin. The changes
    of one origin may continue in the next table.

    Args:
        bits: Number of bits of each number (`sub_sequence_bits`).

    Example:
        With 4 bits, three changes of sequence 7 and sub-sequence 1 get the sub-sequences 16, 17 and 18
        (1 << 4, plus 0, 1 and 2).
    """

    def __init__(self, bits: int) -> None:
        self._bits = bits
        self._last: ChangeOrigin | None = None
        self._count = 0

    def __call__(self, changes: pa.Table) -> pa.Table:
        """Return the changes with new sub-sequences: each old one (0 if none), extended by a number.

        The number has `bits` bits and counts the changes of an origin from 0.

        A table without sub-sequences is returned as it is, if each change is the first one of its origin. If
        an origin has more changes than there are numbers, its further changes all get the greatest number and
        keep their order.
        """
        sequence, sub_sequence = sequences(changes), sub_sequences(changes)
        same = sequence[1:] == sequence[:-1]
        if sub_sequence is not None:
            same &= sub_sequence[1:] == sub_sequence[:-1]
        before = self._count if self._last == origin_of(changes, 0) else 0
        if sub_sequence is None and not before and not same.any():
            self._last, self._count = origin_of(changes, -1), 1
            return changes
        starts = np.flatnonzero(np.concatenate([[True], ~same]))
        sizes = np.diff(starts, append=len(sequence))
        numbers = np.arange(len(sequence), dtype=np.int64) - np.repeat(starts, sizes)
        numbers[: sizes[0]] += before
        self._last, self._count = origin_of(changes, -1), int(numbers[-1]) + 1
        return self._numbered(changes, sub_sequence, np.minimum(numbers, (1 << self._bits) - 1))

    def _numbered(self, changes: pa.Table, sub_sequence: Numbers | None, numbers: Numbers) -> pa.Table:
        if sub_sequence is None:
            return changes.append_column(SUB_SEQUENCE, pa.array(numbers))
        if int(sub_sequence.max()) >> (_SUB_SEQUENCE_BITS - self._bits):
            raise InternalError("changes went through more exchanges than their sub-sequence has room for")
        index = changes.schema.get_field_index(SUB_SEQUENCE)
        return changes.set_column(index, SUB_SEQUENCE, pa.array((sub_sequence << self._bits) + numbers))
