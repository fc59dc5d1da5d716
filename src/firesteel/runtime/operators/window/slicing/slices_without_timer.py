"""Slices without a timer: they reached the state after their own windows had ended.

Flink: AggCombiner registers no timer for a window that has fired (buffer_flush.py describes when this
happens). So the slice makes no window fire. But it is part of later windows of its key, from the first one on
that fires for another reason: another slice of the window has a timer, or, for HOP, the window before had
rows of the key. If no window fires for another reason, the slice is never sent.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from firesteel.runtime.aggregate.reduce.accumulator_tables import AccumulatorTables
from firesteel.runtime.aggregate.scan.column import Mask
from firesteel.runtime.columns.keys import find_keys
from firesteel.runtime.operators.window.slicing.open_slices import Late, OpenSlices
from firesteel.runtime.operators.window.slicing.slice_state import SliceState, ends_of
from firesteel.runtime.operators.window.slicing.slices import NONE_FIRED, Index, Slices
from firesteel.runtime.operators.window.zones import END_OF_TIME
from firesteel.runtime.state.base import StateBackend


class SlicesWithoutTimer:
    """Slices without a timer, as tables of accumulators (runtime/aggregate/reduce/accumulator_tables.py)."""

    def __init__(
        self,
        slices: Slices,
        partials: AccumulatorTables,
        opened: OpenSlices,
        backend: StateBackend,
        state_id: str,
    ) -> None:
        self._slices, self._partials, self._open = slices, partials, opened
        self._width = len(partials.columns.keys)
        self._state = SliceState(backend, f"{state_id}/sleeping", partials.schema, self._width)
        known = self._state.read_until(END_OF_TIME - 1)
        self._waiting = Late(known, np.full(known.num_rows, NONE_FIRED))
        self._stored = known.num_rows > 0

    def add(self, late: Late) -> None:
        """Add slices without a timer. They wait until a window that contains them fires.

        `late.table` has an accumulator for each slice. `late.first` has the end of the first window whose
        result may still contain the slice.
        """
        self._waiting = _both(self._waiting, late)

    def save(self) -> None:
        """Write the slices that future windows may contain."""
        if self._stored:
            self._state.drop_until(END_OF_TIME - 1)
        table = self._waiting.table
        keys = self._partials.keys_of(table)
        self._state.put(keys, self._partials.merged(table, keys))
        self._stored = table.num_rows > 0

    def fire(self, before: int, after: int, late: Late) -> pa.Table:
        """Fire windows like `OpenSlices.fire`. While slices without a timer exist, fire end by end.

        At each end, `_add_ready` first adds the slices whose windows fire.
        """
        if not self._waiting.table.num_rows:
            return self._open.fire(before, after, late)
        fired = []
        for end in self._windows(before, after, late):
            due = late.first <= end
            self._add_ready(end, _those(late, due))
            fired.append(self._open.fire(before, end, _those(late, due)))
            late, before = _those(late, ~due), end
        fired.append(self._open.fire(before, after, late))
        last = self._slices.last_windows(ends_of(self._waiting.table, self._width))
        self._waiting = _those(self._waiting, last > after)
        return pa.concat_tables(fired)

    def _windows(self, before: int, after: int, late: Late) -> list[int]:
        """Return the ends of windows that may fire, after `before` and up to `after`."""
        tables = (self._open.read_until(after), late.table, self._waiting.table)
        ends = np.unique(np.concatenate([ends_of(table, self._width) for table in tables]))
        first = self._slices.first_unfired(ends, np.full(len(ends), before))
        last = self._slices.last_fired(ends, after)
        step = self._slices.interval
        spans = [np.arange(a, b + step, step) for a, b in zip(first.tolist(), last.tolist(), strict=True)]
        found: list[int] = np.unique(np.concatenate([*spans, np.zeros(0, np.int64)])).tolist()
        return found

    def _add_ready(self, end: int, late: Late) -> None:
        """Move slices without a timer to the open slices, for the window that ends at `end`.

        A slice is moved if it is part of the window and the window fires for its key. The window fires for
        a key with an open slice in the window, or with late rows for it (`late`). A HOP window also fires for
        a key that had rows in the window before.
        """
        firing = self._open.read_until(end)
        more = self._slices.interval if self._slices.windows.function == "HOP" else 0
        firing = firing.filter(pa.array(self._covers(firing, end, more)))
        waiting = self._waiting
        ready = self._covers(waiting.table, end) & (waiting.first <= end)
        there = [firing, late.table, waiting.table]
        columns = [pa.concat_tables(there).column(i) for i in range(self._width - 1)]
        codes = find_keys(columns, sum(table.num_rows for table in there)).codes
        count = firing.num_rows + late.table.num_rows
        added = ready & np.isin(codes[count:], codes[:count])
        self._open.add(waiting.table.filter(pa.array(added)))
        self._waiting = _those(waiting, ~added)

    def _covers(self, table: pa.Table, end: int, more: int = 0) -> Mask:
        """Return for each slice whether it is part of the window that ends at `end`.

        With `more`, the result is also True for a slice that is not part of this window, if the slice's last
        window ended at most `more` milliseconds before `end`.
        """
        ends = ends_of(table, self._width)
        covered: Mask = (ends <= end) & (self._slices.last_windows(ends) + more >= end)
        return covered


def _those(late: Late, chosen: Mask) -> Late:
    return Late(late.table.filter(pa.array(chosen)), late.first[chosen])


def _both(one: Late, other: Late) -> Late:
    first: Index = np.append(one.first, other.first)
    return Late(pa.concat_tables([one.table, other.table]), first)
