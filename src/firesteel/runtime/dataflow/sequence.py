"""The order of changes: by `$order`, the input row that caused a change, then by `$place`, its place among
all that this row caused.

Both are int64. `$order` is unique within a micro-batch and numbered anew for each, split by split and row by
row, never by how far a source was read. `$place` is the last column of a changes table, and left out where
all are 0, as behind most sources. A row may cause many changes, and each of them many more behind the next
exchange: at every exchange the changes of one cause are numbered behind its place (`Places`), in as many bits
as all exchanges of the job can have. So a change has one order, whatever tasks and key groups the work was
cut into.
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
"""An order and a place."""

ROW_BITS = 36
_SPLIT_BITS = 26
"""`$order` is (number of the split << ROW_BITS) + (number of the row in the split)."""

_PLACE_BITS = 62


# --- numbering rows ------------------------------------------------------------------------------
def row_orders(split: int, first: int, rows: int) -> pa.Array:
    """`$order` of the rows `first`, `first + 1`... of a split.

    Raises JobError where the split has more rows than there are numbers.
    """
    if first + rows > 1 << ROW_BITS:
        raise JobError(f"a task reads more than {1 << ROW_BITS:,} rows", hint="read with more tasks")
    start = (split << ROW_BITS) + first
    return pa.array(np.arange(start, start + rows, dtype=np.int64))


def last_order(split: int) -> int:
    """The last `$order` that a split has."""
    return ((split + 1) << ROW_BITS) - 1


def split_numbers(source: int, sources: int) -> range:
    """The numbers of the splits that one of several sources has in a micro-batch."""
    share = (1 << _SPLIT_BITS) // sources
    return range(source * share, (source + 1) * share)


def order_shift(places: int, sources: int) -> int:
    """Return what moves `$order` of one source of `sources` to that of the source `places` further on."""
    return places * len(split_numbers(0, sources)) << ROW_BITS


def split_number(numbers: range, index: int) -> int:
    """That of a source's split or task. Raises JobError where there are more of them than numbers."""
    if index >= len(numbers):
        raise JobError(
            f"a source is read by more than {len(numbers):,} tasks at once", hint="read with fewer tasks"
        )
    return numbers[index]


def place_bits(exchanges: int, taken: int = 0) -> int:
    """How many bits of `$place` each of so many exchanges, one behind the other, has. taken: bits that
    rows need where they are read."""
    return (_PLACE_BITS - taken) // max(1, exchanges)


def last_place(exchanges: int, bits: int, taken: int = 0) -> int:
    """The greatest `$place` that rows have behind so many exchanges of `bits` each; taken: as above."""
    return (1 << (taken + exchanges * bits)) - 1


# --- tables --------------------------------------------------------------------------------------
def orders(changes: pa.Table) -> Numbers:
    """The `$order` column."""
    values: Numbers = one_chunk(changes.column(ORDER)).to_numpy()
    return values


def places(changes: pa.Table) -> Numbers | None:
    """The `$place` column, None where it is left out."""
    if PLACE not in changes.column_names:
        return None
    values: Numbers = one_chunk(changes.column(PLACE)).to_numpy()
    return values


def heads(changes: pa.Table) -> pa.Table:
    """The causes alone, without the fields."""
    return changes.select([name for name in (ORDER, PLACE) if name in changes.column_names])


def caused(changes: pa.Table, at: Numbers, kinds: pa.Array, columns: Iterable[pa.Array]) -> pa.Table:
    """A changes table of n changes. at: int64[n], the row of `changes` that caused each. kinds: int8[n].
    columns: its fields."""
    fields = list(columns)
    causes = heads(changes)
    order, *place = (one_chunk(column).take(pa.array(at)) for column in causes.columns)
    names = [KIND, ORDER, *map(field, range(len(fields))), *causes.column_names[1:]]
    return pa.Table.from_arrays([kinds, order, *fields, *place], names=names)


def attributed(changes: pa.Table, to: Numbers) -> pa.Table:
    """The changes with another cause each. to: int64[n], for each the row of `changes` that has it."""
    for name in (ORDER, PLACE):
        index = changes.schema.get_field_index(name)
        if index >= 0:
            changes = changes.set_column(index, name, one_chunk(changes.column(index)).take(pa.array(to)))
    return changes


def concat(tables: Sequence[pa.Table]) -> pa.Table:
    """The tables behind each other, some of which have places and some not."""
    if any(PLACE in table.column_names for table in tables):
        tables = [_with_places(table) for table in tables]
    return pa.concat_tables(tables)


def in_order(changes: pa.Table) -> pa.Table:
    """The changes sorted; those of one cause stay as they stood."""
    by = by_cause(changes)
    return changes if by is None else changes.combine_chunks().take(pa.array(by))


def by_cause(changes: pa.Table) -> Numbers | None:
    """int64[n]: the changes' places in the order of their causes, those of one as they stand; None where all
    stand so."""
    order, place = orders(changes), places(changes)
    if place is None:
        return None if is_ascending(order) else stable_order(order)
    later = (order[1:] > order[:-1]) | ((order[1:] == order[:-1]) & (place[1:] >= place[:-1]))
    return None if bool(np.all(later)) else stable_pair_order(order, place)


def ranks(changes: pa.Table) -> Numbers:
    """int64[n]: numbers that compare as the causes of the changes do."""
    order, place = orders(changes), places(changes)
    if place is None:
        return order
    by = stable_pair_order(order, place)
    new = (np.diff(order[by], prepend=order[by[:1]]) != 0) | (np.diff(place[by], prepend=place[by[:1]]) != 0)
    found = np.empty(len(order), np.int64)
    found[by] = np.cumsum(new)
    return found


def below(changes: pa.Table, cause: Cause) -> int:
    """How many of the changes, which are sorted, come before a cause."""
    order, place = orders(changes), places(changes)
    start, end = (int(np.searchsorted(order, cause[0], side)) for side in ("left", "right"))
    if place is None:
        return end if cause[1] > 0 else start
    return start + int(np.searchsorted(place[start:end], cause[1]))


def cause_of(changes: pa.Table, row: int) -> Cause:
    """The cause of one of the changes."""
    place = changes.column(PLACE)[row].as_py() if PLACE in changes.column_names else 0
    return changes.column(ORDER)[row].as_py(), place


def _with_places(changes: pa.Table) -> pa.Table:
    if PLACE in changes.column_names:
        return changes
    return changes.append_column(PLACE, pa.array(np.zeros(changes.num_rows, np.int64)))


# --- at an exchange ------------------------------------------------------------------------------
class Places:
    """Gives the changes of a task their places. They come sorted; a cause may go on from one table to the
    next. bits: place_bits."""

    def __init__(self, bits: int) -> None:
        self._bits = bits
        self._last: Cause | None = None
        self._count = 0

    def __call__(self, changes: pa.Table) -> pa.Table:
        """The changes with places; without, where every cause has one change and none had a place. What is
        beyond the bits shares the last place, and stays as it stands."""
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
