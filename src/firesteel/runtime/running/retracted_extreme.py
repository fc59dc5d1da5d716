"""Running MIN and MAX with retraction, without a loop.

A value is there from the row with which its count leaves 0 to the row with which it is 0 again. So the
extreme after a row is the greatest value of all intervals that hold the row. Of the stored values that the
batch does not touch, which are there all the time, only the greatest matters: the stored extreme, or, where
that may go in this batch, the next one down in the ordered map. MIN is MAX over the complement.
Keys that have had retractions without a matching row are left to the row handler where their extreme may
go: what Flink's MaxWithRetractAggFunction answers then depends on the order of things.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from firesteel.runtime.keys import Keys
from firesteel.runtime.running.column import Column, Mask, Ranks, both, comparable, from_sortable_form
from firesteel.runtime.running.extreme import RunningExtreme
from firesteel.runtime.running.pairs import Counts, Pairs
from firesteel.runtime.running.rows import Rows
from firesteel.runtime.running.segments import Index, greatest_over_intervals, running_sum
from firesteel.runtime.spec import AggregateSpec
from firesteel.runtime.state.base import Entries, OrderedMapState
from firesteel.runtime.values import sortable_column
from firesteel.types.arrow import to_arrow
from firesteel.types.sql import APPROXIMATE, BIGINT, SqlType

_FIRST_READ = 16
"""So many entries of a key are read at first."""


class RetractedExtreme:
    """One call over one batch. pairs: those of its argument. state: its map of counts."""

    def __init__(
        self,
        rows: Rows,
        call: AggregateSpec,
        pairs: Pairs,
        state: OrderedMapState,
        now: int,
        least: bool,
    ) -> None:
        self._rows, self._pairs, self._state, self._now = rows, pairs, state, now
        self._argument = call.arg_types[0]
        self._flip = np.int64(-1 if least else 0)
        null = rows.null(call.args[0])
        mask = both(rows.passes(call.filter), None if null is None else ~null)
        found = state.get(rows.keys, pairs.owners, pairs.values, now)
        before = found.columns[0].fill_null(0).to_numpy(zero_copy_only=False)
        self._counts = Counts(rows, pairs, mask, before)

    @property
    def kind(self) -> SqlType:
        """The type of the stored extreme: FLOAT and DOUBLE are kept in sortable form."""
        return BIGINT if self._argument.root in APPROXIMATE else self._argument

    def run(self, best: pa.Array, size: pa.Array, unmatched: pa.Array) -> RunningExtreme:
        """The extreme after each row. best, size and unmatched: the stored fields of the keys."""
        rows, pairs = self._rows, self._pairs
        rows.clean[pairs.owners[self._counts.least < 0]] = False
        known_size = size.fill_null(0).to_numpy(zero_copy_only=False)
        sizes = self._sizes(known_size)
        rows.reject_rows(rows.ended[sizes[rows.ended] != 0])
        (values, known), ranks = self._numbers([pairs.values], best)
        rows.clean[known.is_null & (known_size > 0)] = False
        loses = self._may_lose(values.values, known.values, known_size, sizes)
        rows.clean[loses & unmatched.fill_null(False).to_numpy(zero_copy_only=False)] = False
        owners = np.flatnonzero(loses & (known_size > 0) & rows.clean)
        rest = next_values(
            self._state, rows.keys, owners, pairs, best, self._argument, self._flip == 0, self._now
        )
        held = values
        if len(rest.owners):
            (values, held, known), ranks = self._numbers([pairs.values, rest.sub_keys], best)
        starts, ends, which = self._intervals(values.values)
        stay = np.flatnonzero((known_size > 0) & ~loses & rows.clean)
        there = np.concatenate([stay, rest.owners])
        result = greatest_over_intervals(
            np.concatenate([starts, rows.keys.starts[there]]), np.concatenate([ends, rows.ends[there]]),
            np.concatenate([which, known.values[stay], held.values[: len(rest.owners)]]), len(rows),
        )  # fmt: skip
        return RunningExtreme(
            Column(result ^ self._flip, sizes == 0),
            Column(known.values ^ self._flip, known_size == 0),
            self.kind, ranks, Column(sizes),
        )  # fmt: skip

    def save(self) -> None:
        """Write the counts that changed, of clean keys."""
        counts, owners = self._counts, self._pairs.owners
        write = np.flatnonzero((counts.last != counts.before) & self._rows.clean[owners])
        if len(write):
            values, last = self._pairs.values.take(pa.array(write)), counts.last[write]
            self._state.put(self._rows.keys, owners[write], values, [pa.array(last)], self._now, last != 0)

    def _sizes(self, stored: Index) -> Index:
        """How many values each key has after each row."""
        change = np.zeros(len(self._rows), np.int64)
        counts = self._counts
        change[self._pairs.order] = counts.appears.astype(np.int64) - counts.disappears
        return running_sum(change, self._rows.keys.starts, stored)

    def _numbers(self, arrays: list[pa.Array], best: pa.Array) -> tuple[list[Column], Ranks | None]:
        """Arguments, then the stored extremes, as numbers of which the greatest is wanted."""
        if self._argument.root in APPROXIMATE:
            arrays = [sortable_column(array) for array in arrays]
        columns, ranks = comparable([*arrays, best], self.kind)
        if self._flip:
            columns = [Column(column.values ^ self._flip, column.null) for column in columns]
        return columns, ranks

    def _may_lose(self, values: Index, known: Index, known_size: Index, sizes: Index) -> Mask:
        """Keys whose stored extreme may go: a value that is no less goes, or there are none for a moment."""
        rows, pairs = self._rows, self._pairs
        loses = np.zeros(len(rows.keys), np.bool_)
        gone = pairs.of_rows[self._counts.disappears]
        owner = pairs.owners[gone]
        loses[owner[(values[gone] >= known[owner]) | (known_size[owner] == 0)]] = True
        loses[rows.keys.sorted_codes[sizes == 0]] = True
        loses[rows.ended_keys] = True
        return loses & rows.stored.found

    def _intervals(self, values: Index) -> tuple[Index, Index, Index]:
        """The rows [start, end) in which each pair of the batch is there, and its value."""
        rows, pairs, counts = self._rows, self._pairs, self._counts
        clean = rows.clean[pairs.owners]
        appears = counts.appears
        events = np.flatnonzero((appears | counts.disappears) & clean[pairs.of_rows])
        place, pair, up = pairs.order[events], pairs.of_rows[events], appears[events]
        until = rows.ends[pairs.owners[pair]]
        followed = np.flatnonzero(pair[1:] == pair[:-1])
        until[followed] = place[followed + 1]
        before = np.flatnonzero((counts.before > 0) & clean)
        first = np.searchsorted(pair, before)
        until_first = rows.ends[pairs.owners[before]]
        moves = np.flatnonzero(np.append(pair, -1)[first] == before)
        until_first[moves] = place[first[moves]]
        return (
            np.concatenate([place[up], rows.keys.starts[pairs.owners[before]]]),
            np.concatenate([until[up], until_first]),
            np.concatenate([values[pair[up]], values[before]]),
        )


def next_values(
    state: OrderedMapState, keys: Keys, owners: Index, pairs: Pairs, best: pa.Array, argument: SqlType,
    greatest: bool, now: int,
) -> Entries:  # fmt: skip
    """Of the keys `owners`, whose stored extremes are `best` (a row a key), the greatest (or least) entry
    that is none of the `pairs`; nothing of a key that has no other."""
    found: list[Entries] = []
    most = np.bincount(pairs.owners, minlength=len(keys)) + 1
    for enough in (False, True):  # nearly always a few are
        counts = most[owners] if enough else np.minimum(most[owners], _FIRST_READ)
        start = _arguments(best.take(pa.array(owners)), argument)
        read = (state.last if greatest else state.first)(keys, owners, counts, now, start)
        others = np.flatnonzero(~pairs.has(read.owners, read.sub_keys))
        new = np.ones(len(others), np.bool_)
        new[1:] = read.owners[others[1:]] != read.owners[others[:-1]]
        first = others[new]
        found.append(Entries(read.owners[first], read.sub_keys.take(pa.array(first)), ()))
        full = np.bincount(read.owners, minlength=len(keys))[owners] == counts
        owners = owners[full & (counts < most[owners]) & ~np.isin(owners, read.owners[first])]
        if not len(owners):
            break
    return _joined(found, argument)


def _arguments(best: pa.Array, argument: SqlType) -> pa.Array:
    """Stored extremes as arguments."""
    if argument.root not in APPROXIMATE:
        return best
    return pa.array(from_sortable_form(best.to_numpy(zero_copy_only=False))).cast(to_arrow(argument))


def _joined(found: list[Entries], argument: SqlType) -> Entries:
    """Entries of different keys, by key."""
    if len(found) == 1:
        return found[0]
    if not found:
        return Entries(np.zeros(0, np.int64), pa.nulls(0, to_arrow(argument)), ())
    owners = np.concatenate([each.owners for each in found])
    order = np.argsort(owners, kind="stable")
    sub_keys = pa.concat_arrays([each.sub_keys for each in found]).take(pa.array(order))
    return Entries(owners[order], sub_keys, ())
