"""Total order of changes: by `$order`, then by `$place`.

- `$order` (int64) identifies the input row that caused a change, its origin. It is unique within a
  micro-batch, and each micro-batch is numbered anew. Numbers depend on the split and the row, never on the
  source's read position.
- `$place` (int64) numbers the changes of one origin row. It is the last column of a changes table. It is left
  out if all places are 0, as after most sources.

A row may cause many changes, and each of these many more after the next exchange. Every exchange appends a
number to the place of a change (`Places`). All exchanges of the job share the bits of a place. So the order
of changes does not depend on how the work is divided into tasks and key groups.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from firesteel.changelog import KIND, ORDER, PLACE, field
from firesteel.errors import InternalError, JobError
from firesteel.runtime.columns.sorting import is_ascending, stable_order, stable_pair_order
from firesteel.types.internal_values import one_chunk

Numbers = NDArray[np.int64]
Cause = tuple[int, int]
"""Origin of a change: its `$order` and `$place`."""

ROW_BITS = 36
_SPLIT_BITS = 26
"""Bits for a split's number in `$order`, above the ROW_BITS bits for the row's number in the split."""

_PLACE_BITS = 62


# --- numbering rows ------------------------------------------------------------------------------
def row_orders(split: int, first: int, rows: int) -> pa.Array:
    """Return the `$order` of the rows `first`, `first + 1`, ... of a split, int64[rows].

    Raises:
        JobError: The split has more rows than there are numbers.
    """
    if first + rows > 1 << ROW_BITS:
        raise JobError(f"a task reads more than {1 << ROW_BITS:,} rows", hint="read with more tasks")
    start = (split << ROW_BITS) + first
    return pa.array(np.arange(start, start + rows, dtype=np.int64))


def last_order(split: int) -> int:
    """Return the greatest `$order` of a split."""
    return ((split + 1) << ROW_BITS) - 1


def split_numbers(source: int, sources: int) -> range:
    """Return the numbers of the splits of one of several sources in a micro-batch."""
    share = (1 << _SPLIT_BITS) // sources
    return range(source * share, (source + 1) * share)


def order_shift(places: int, sources: int) -> int:
    """Return the number to add to `$order` to move rows from one source to the source `places` later."""
    return places * len(split_numbers(0, sources)) << ROW_BITS


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


def place_bits(exchanges: int, taken: int = 0) -> int:
    """Return the number of bits of `$place` that each exchange gets.

    Args:
        exchanges: Number of exchanges on the longest path of the job.
        taken: Bits that rows already use where they are read.
    """
    return (_PLACE_BITS - taken) // max(1, exchanges)


def last_place(exchanges: int, bits: int, taken: int = 0) -> int:
    """Return the greatest `$place` of rows after some exchanges.

    Args:
        exchanges: Number of exchanges before the rows.
        bits: Bits of each exchange (`place_bits`).
        taken: Bits that rows already use where they are read.
    """
    return (1 << (taken + exchanges * bits)) - 1


# --- tables --------------------------------------------------------------------------------------
def orders(changes: pa.Table) -> Numbers:
    """Return the `$order` column, int64[n]."""
    values: Numbers = one_chunk(changes.column(ORDER)).to_numpy()
    return values


def places(changes: pa.Table) -> Numbers | None:
    """Return the `$place` column, int64[n], or None if the table has none."""
    if PLACE not in changes.column_names:
        return None
    values: Numbers = one_chunk(changes.column(PLACE)).to_numpy()
    return values


def heads(changes: pa.Table) -> pa.Table:
    """Return only the columns `$order` and, if present, `$place`."""
    return changes.select([name for name in (ORDER, PLACE) if name in changes.column_names])


def caused(changes: pa.Table, at: Numbers, kinds: pa.Array, columns: Iterable[pa.Array]) -> pa.Table:
    """Return a changes table in which each change takes its origin from a row of another table.

    Args:
        changes: Table with the origins.
        at: int64[n], for each new change the row of `changes` that caused it.
        kinds: int8[n], row kinds.
        columns: The fields, n rows each.
    """
    fields = list(columns)
    causes = heads(changes)
    order, *place = (one_chunk(column).take(pa.array(at)) for column in causes.columns)
    names = [KIND, ORDER, *map(field, range(len(fields))), *causes.column_names[1:]]
    return pa.Table.from_arrays([kinds, order, *fields, *place], names=names)


def attributed(changes: pa.Table, to: Numbers) -> pa.Table:
    """Return the changes with other origins.

    Args:
        changes: n changes.
        to: int64[n], for each change the row of `changes` whose origin it gets.
    """
    for name in (ORDER, PLACE):
        index = changes.schema.get_field_index(name)
        if index >= 0:
            changes = changes.set_column(index, name, one_chunk(changes.column(index)).take(pa.array(to)))
    return changes


def concat(tables: Sequence[pa.Table]) -> pa.Table:
    """Concatenate changes tables, of which some have the column `$place` and some do not."""
    if any(PLACE in table.column_names for table in tables):
        tables = [_with_places(table) for table in tables]
    return pa.concat_tables(tables)


def in_order(changes: pa.Table) -> pa.Table:
    """Return the changes sorted by origin. Changes of one origin keep their sequence."""
    by = by_cause(changes)
    return changes if by is None else changes.combine_chunks().take(pa.array(by))


def by_cause(changes: pa.Table) -> Numbers | None:
    """Return the row numbers that sort the changes by origin, int64[n]. The sort is stable.

    Returns:
        None if the changes are sorted already.
    """
    order, place = orders(changes), places(changes)
    if place is None:
        return None if is_ascending(order) else stable_order(order)
    later = (order[1:] > order[:-1]) | ((order[1:] == order[:-1]) & (place[1:] >= place[:-1]))
    return None if bool(np.all(later)) else stable_pair_order(order, place)


def ranks(changes: pa.Table) -> Numbers:
    """Return numbers that compare like the changes' origins, int64[n]."""
    order, place = orders(changes), places(changes)
    if place is None:
        return order
    by = stable_pair_order(order, place)
    new = (np.diff(order[by], prepend=order[by[:1]]) != 0) | (np.diff(place[by], prepend=place[by[:1]]) != 0)
    found = np.empty(len(order), np.int64)
    found[by] = np.cumsum(new)
    return found


def below(changes: pa.Table, cause: Cause) -> int:
    """Return how many changes come before an origin. The changes must be sorted."""
    order, place = orders(changes), places(changes)
    start, end = (int(np.searchsorted(order, cause[0], side)) for side in ("left", "right"))
    if place is None:
        return end if cause[1] > 0 else start
    return start + int(np.searchsorted(place[start:end], cause[1]))


def cause_of(changes: pa.Table, row: int) -> Cause:
    """Return the origin of one change."""
    place = changes.column(PLACE)[row].as_py() if PLACE in changes.column_names else 0
    return changes.column(ORDER)[row].as_py(), place


def _with_places(changes: pa.Table) -> pa.Table:
    if PLACE in changes.column_names:
        return changes
    return changes.append_column(PLACE, pa.array(np.zeros(changes.num_rows, np.int64)))


# --- at an exchange ------------------------------------------------------------------------------
class Places:
    """Numbering of the changes of one origin row at an exchange.

    The changes of a task come sorted. The changes of one origin may continue in the next table.

    Args:
        bits: Bits for each number (`place_bits`).

    Example:
        With 4 bits, three changes of order 7 and place 1 get the places 16, 17 and 18 (1 << 4, plus 0, 1 and
        2).
    """

    def __init__(self, bits: int) -> None:
        self._bits = bits
        self._last: Cause | None = None
        self._count = 0

    def __call__(self, changes: pa.Table) -> pa.Table:
        """Return the changes with new places.

        No column is added if every origin has one change and no place. Changes beyond the last number share
        it and keep their sequence.
        """
        order, place = orders(changes), places(changes)
        same = order[1:] == order[:-1]
        if place is not None:
            same &= place[1:] == place[:-1]
        before = self._count if self._last == cause_of(changes, 0) else 0
        if place is None and not before and not same.any():
            self._last, self._count = cause_of(changes, -1), 1
            return changes
        starts = np.flatnonzero(np.concatenate([[True], ~same]))
        sizes = np.diff(starts, append=len(order))
        numbers = np.arange(len(order), dtype=np.int64) - np.repeat(starts, sizes)
        numbers[: sizes[0]] += before
        self._last, self._count = cause_of(changes, -1), int(numbers[-1]) + 1
        return self._numbered(changes, place, np.minimum(numbers, (1 << self._bits) - 1))

    def _numbered(self, changes: pa.Table, place: Numbers | None, numbers: Numbers) -> pa.Table:
        if place is None:
            return changes.append_column(PLACE, pa.array(numbers))
        if int(place.max()) >> (_PLACE_BITS - self._bits):
            raise InternalError("changes went through more exchanges than their places have room for")
        index = changes.schema.get_field_index(PLACE)
        return changes.set_column(index, PLACE, pa.array((place << self._bits) + numbers))
