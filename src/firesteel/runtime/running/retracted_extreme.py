"""Running MIN and MAX with retraction, without a loop.

A value is there from the row with which its count leaves 0 to the row with which it is 0 again. So the
extreme after a row is the greatest value of all intervals that hold the row. Stored values are read
only for keys whose stored extreme may go in this batch. MIN is MAX over the complement.
Keys that have had retractions without a matching row are left to the row handler: what Flink's
MaxWithRetractAggFunction answers then depends on the order of things.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from firesteel.runtime.running.column import Column, Mask, Ranks, both, comparable
from firesteel.runtime.running.extreme import RunningExtreme
from firesteel.runtime.running.pairs import Counts, Pairs
from firesteel.runtime.running.rows import Rows
from firesteel.runtime.running.segments import Index, greatest_over_intervals, running_sum
from firesteel.runtime.spec import AggregateSpec
from firesteel.runtime.state.base import Entries, MapState
from firesteel.runtime.values import sortable_column
from firesteel.types.sql import APPROXIMATE, BIGINT, SqlType

_LEAST = np.iinfo(np.int64).min


class RetractedExtreme:
    """One call over one batch. pairs: those of its argument. state: its map of counts."""

    def __init__(
        self, rows: Rows, call: AggregateSpec, pairs: Pairs, state: MapState, now: int, least: bool
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

    def run(self, best: pa.Array, size: pa.Array) -> RunningExtreme:
        """The extreme after each row. best and size: the stored fields of the keys."""
        rows, pairs = self._rows, self._pairs
        rows.clean[pairs.owners[self._counts.least < 0]] = False
        known_size = size.fill_null(0).to_numpy(zero_copy_only=False)
        sizes = self._sizes(known_size)
        rows.reject_rows(rows.ended[sizes[rows.ended] != 0])
        (values, known), ranks = self._numbers([pairs.values], best)
        full = self._may_lose(values.values, known.values, known_size)
        entries = self._state.entries(rows.keys, np.flatnonzero(full), self._now)
        held = values
        if len(entries.owners):
            (values, held, known), ranks = self._numbers([pairs.values, entries.sub_keys], best)
        rows.clean[known.is_null & (known_size > 0)] = False
        self._check(entries, held.values, full, known.values, known_size)
        starts, ends, which = self._intervals(values.values)
        more = self._stored_intervals(entries, held.values, full, known.values, known_size)
        result = greatest_over_intervals(
            np.concatenate([starts, more[0]]), np.concatenate([ends, more[1]]),
            np.concatenate([which, more[2]]), len(rows),
        )  # fmt: skip
        return RunningExtreme(
            Column(result ^ self._flip, sizes == 0),
            Column(known.values ^ self._flip, known_size == 0),
            self.kind, ranks, Column(sizes), Column(known_size),
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

    def _may_lose(self, values: Index, known: Index, size: Index) -> Mask:
        """Keys that go on from a stored extreme and need all of their stored values."""
        rows, pairs = self._rows, self._pairs
        full = np.zeros(len(rows.keys), np.bool_)
        gone = pairs.of_rows[self._counts.disappears]
        owner = pairs.owners[gone]
        full[owner[values[gone] >= known[owner]]] = True
        full[rows.ended_keys] = True
        return full & rows.stored.found & rows.clean

    def _check(self, entries: Entries, held: Index, full: Mask, known: Index, size: Index) -> None:
        """Stored values must be what clean input leaves: all counts positive, the extreme among them."""
        counts = entries.columns[0].to_numpy(zero_copy_only=False)
        number = np.bincount(entries.owners, minlength=len(full))
        greatest = np.full(len(full), _LEAST)
        np.maximum.at(greatest, entries.owners, held[: len(entries.owners)])
        good = (number == size) & ((size == 0) | (greatest == known))
        good[entries.owners[counts <= 0]] = False
        self._rows.clean[full & ~good] = False

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

    def _stored_intervals(
        self, entries: Entries, held: Index, full: Mask, known: Index, size: Index
    ) -> tuple[Index, Index, Index]:
        """Stored values that the batch does not touch: all where they were read, else the extreme."""
        keys, ends, clean = self._rows.keys, self._rows.ends, self._rows.clean
        rest = np.flatnonzero((size > 0) & ~full & clean)
        owners = entries.owners
        untouched = np.zeros(0, np.int64)
        if len(owners):
            there = self._pairs.has(owners, entries.sub_keys)
            untouched = np.flatnonzero(~there & clean[owners])
        owner = np.concatenate([rest, owners[untouched]])
        return keys.starts[owner], ends[owner], np.concatenate([known[rest], held[untouched]])
