"""Open slices: add rows to them, and merge them to windows.

Flink: SliceSharedSyncStateWindowAggProcessor, SliceUnsharedSyncStateWindowAggProcessor. A HOP window is
merged from its slices, newest first; for GROUP BY, oldest first. A CUMULATE window is merged oldest first,
and slices that have fired stay merged in its first slice.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from firesteel.changelog import field
from firesteel.runtime.aggregate.reduce.accumulator_tables import AccumulatorTables
from firesteel.runtime.aggregate.scan.column import Mask
from firesteel.runtime.aggregate.scan.segments import Index
from firesteel.runtime.columns.keys import Keys, find_keys
from firesteel.runtime.columns.sorting import is_ascending, stable_order
from firesteel.runtime.operators.window.slicing.slice_state import SliceState, ends_of
from firesteel.runtime.operators.window.slicing.slices import Slices
from firesteel.runtime.state.base import StateBackend
from firesteel.types.internal_values import one_chunk


@dataclass(frozen=True)
class Late:
    """Accumulators of rows that were late for the first windows of their slices.

    Attributes:
        table: n accumulators.
        first: int64[n], end of the first window that each accumulator joins.
    """

    table: pa.Table
    first: Index

    @classmethod
    def none(cls, partials: AccumulatorTables) -> Late:
        return cls(partials.schema.empty_table(), np.zeros(0, np.int64))


class OpenSlices:
    """Slices until their last window has fired.

    Tables of accumulators are those of runtime/aggregate/reduce/accumulator_tables.py. Their last key is the
    slice's end. New accumulators wait for `fire` or `settle`, since a slice that ends at once need not be
    written.

    Args:
        slices: The slices.
        partials: The accumulators.
        backend: State of the operator.
        state_id: Name of the state.
        lasting: Whether a HOP slice is kept for one interval after its last window has fired. It shows that
            this window had rows, which makes the next window of the key fire (slices_without_timer.py).
    """

    def __init__(
        self,
        slices: Slices,
        partials: AccumulatorTables,
        backend: StateBackend,
        state_id: str,
        lasting: bool = False,
    ) -> None:
        self._kept = slices.windows.size - (0 if lasting else slices.interval)
        self._slices = slices
        self._partials = partials
        self._width = len(partials.columns.keys)
        self._state = SliceState(backend, f"{state_id}/slices", partials.schema, self._width)
        self._came: list[pa.Table] = []

    # --- rows come -----------------------------------------------------------------------------------
    def add_rows(self, rows: pa.Table, keys: Keys) -> None:
        """Add rows that are in time. `keys`: GROUP BY fields and slice end of the rows."""
        if self._partials.in_columns:
            self.add(self._partials.of_rows(rows, keys))
            return
        known = self._state.load(keys)
        stored = self._partials.tuples(known.table)
        begin = [next(stored) if found else None for found in known.found.tolist()]
        self._state.put(keys, self._partials.onto(rows, keys, begin))

    def add(self, table: pa.Table) -> None:
        """Add accumulators, in arrival order."""
        if table.num_rows:
            self._came.append(table)

    def settle(self) -> None:
        """Write all new accumulators to the state."""
        self._write(self._taken())

    def late(self, rows: pa.Table, keys: Keys, are_accumulators: bool) -> Late:
        """Return the accumulators of late rows, one for each key.

        `keys`: GROUP BY fields, slice end and end of the first window of the rows. `are_accumulators`:
        whether `rows` are accumulators of a local phase.
        """
        first: Index = keys.columns[-1].to_numpy()
        own = replace(keys, columns=keys.columns[:-1])
        if are_accumulators:
            return Late(self._partials.merged(rows.select(self._partials.schema.names), own), first)
        return Late(self._partials.of_rows(rows, own), first)

    def add_late(self, late: Late, fired: int) -> None:
        """Write the accumulators of late rows to the state, unless their last window ends by `fired`."""
        table = late.table
        if not table.num_rows:
            return
        ends = ends_of(table, self._width)
        left = self._slices.last_windows(ends) > fired
        table, ends = table.filter(pa.array(left)), ends[left]
        order = np.argsort(late.first[left], kind="stable")
        if self._slices.windows.function == "CUMULATE":
            ends = self._slices.first_slices(ends)
        self._write(self._with_ends(table, ends).take(pa.array(order)))

    def _taken(self) -> pa.Table:
        """Return the accumulators that have arrived and are not in the state yet, and forget them."""
        taken, self._came = self._came, []
        return pa.concat_tables(taken) if taken else self._partials.schema.empty_table()

    def _write(self, table: pa.Table) -> None:
        if not table.num_rows:
            return
        keys = self._partials.keys_of(table)
        table = self._partials.merged(table, keys)
        known = self._state.load(keys)
        if known.found.any():
            table = pa.concat_tables([known.table, table])
            keys = self._partials.keys_of(table)
            table = self._partials.merged(table, keys)
        self._state.put(keys, table)

    def read_until(self, end: int) -> pa.Table:
        """Write all new accumulators to the state, then return those of the slices that end by `end`."""
        self.settle()
        return self._state.read_until(end)

    # --- windows end ---------------------------------------------------------------------------------
    def next_end(self, fired: int) -> int | None:
        """Return the end of the next window with rows, None if no slice is open.

        `fired`: end of the last windows that have fired. The result is above it.
        """
        end = self._state.next_end()
        return None if end is None else int(self._slices.first_unfired(np.array([end]), np.array([fired]))[0])

    def fire(self, before: int, after: int, late: Late) -> pa.Table:
        """Return the accumulators of the windows that end after `before` and up to `after`, sorted by end.

        The last key column of the result is the end of the window, not that of a slice. Slices that no later
        window needs are removed from the state.
        """
        if not self._slices.any_between(before, after):
            self.settle()
            self.add_late(late, after)
            return self._partials.schema.empty_table()
        due = self._due(after)
        if not self._slices.shared:
            self._state.drop_until(after)
            return due
        windows = None
        if not late.table.num_rows:
            windows = self._of_ranges(due, before, after)
        if windows is None:
            due, first = self._in_order(due, before, late)
            windows = self._of_copies(due, first, after)
        if self._slices.windows.function == "HOP":
            self._state.drop_until(after - self._kept)
            self.add_late(late, after)
        else:
            self._collapse(due, after)
        return windows

    def _due(self, after: int) -> pa.Table:
        """Return the accumulators of all slices up to `after`, one for each key and slice, sorted by end.

        A new accumulator is written to the state only if a window that ends after `after` needs it. For
        CUMULATE, `_collapse` does this later for the slices up to `after`.
        """
        due, came = self._state.read_until(after), self._taken()
        if not came.num_rows:
            return due
        ends = ends_of(came, self._width)
        is_due = ends <= after
        is_hop = self._slices.windows.function == "HOP"
        self._write(_where(came, self._slices.last_windows(ends) > after if is_hop else ~is_due))
        due = pa.concat_tables([due, _where(came, is_due)])
        return self._by_end(self._partials.merged(due, self._partials.keys_of(due)))

    def _of_ranges(self, due: pa.Table, before: int, after: int) -> pa.Table | None:
        """Return the accumulators of the windows, sorted by end, each merged from a range of slices.

        None if an aggregate call has accumulators that cannot be merged by ranges.

        If the slices are sorted by key and end, the slices of a window are adjacent.
        """
        keys = find_keys([due.column(i) for i in range(self._width - 1)], due.num_rows)
        table, interval = due.take(pa.array(keys.order)), self._slices.interval
        ends = ends_of(table, self._width)
        last = self._slices.last_fired(ends, after)
        first = self._slices.first_unfired(ends, np.full(len(ends), before))
        first[1:] = np.maximum(
            first[1:], np.where(np.diff(keys.sorted_codes) == 0, last[:-1] + interval, first[1:])
        )
        rows, windows = _steps(first, last, interval)
        # The slices and the windows get numbers that ascend by key, and within a key by end.
        least, width = int(ends.min(initial=0)), int(last.max(initial=0))
        width = (max(width, int(ends.max(initial=0))) - least) // interval + 1
        numbers = keys.sorted_codes * width + (ends - least) // interval
        wanted = keys.sorted_codes[rows] * width + (windows - least) // interval
        stops = np.searchsorted(numbers, wanted, side="right")
        parts = self._partials.of_ranges(table, rows, stops)
        if parts is None:
            return None
        by_end = stable_order((windows - windows.min(initial=0)) // interval)
        at, of = pa.array(by_end), pa.array(rows[by_end])
        names = [one_chunk(table.column(i)).take(of) for i in range(self._width - 1)]
        columns = [*names, pa.array(windows[by_end]), *(part.take(at) for part in parts)]
        return pa.Table.from_arrays(columns, schema=self._partials.schema)

    def _in_order(self, due: pa.Table, before: int, late: Late) -> tuple[pa.Table, Index]:
        """Return the accumulators of `due` and `late` in merge order, and the ends of their first windows."""
        ends = ends_of(due, self._width)
        first = self._slices.first_unfired(ends, np.full(len(ends), before))
        when = ends
        if late.table.num_rows:
            due = pa.concat_tables([due, late.table])
            when = np.append(ends, late.first - self._slices.interval)
            ends = np.append(ends, ends_of(late.table, self._width))
            first = np.append(first, late.first)
        windows = self._slices.windows
        by_slice = (when, ends if windows.of_group_by else -ends)
        order = np.lexsort(by_slice if windows.function == "HOP" else (first, when))
        return due.take(pa.array(order)), first[order]

    def _of_copies(self, due: pa.Table, first: Index, after: int) -> pa.Table:
        """Return the windows by copying each slice into its windows and merging by key and window.

        Late rows of a HOP slice are first merged with that slice.
        """
        ends = ends_of(due, self._width)
        rows, windows = _steps(first, self._slices.last_fired(ends, after), self._slices.interval)
        copies = self._with_ends(due.take(pa.array(rows)), windows)
        if self._slices.windows.function == "HOP":
            names = [copies.column(i) for i in range(self._width)]
            keys = find_keys([*names, pa.array(ends[rows])], len(rows))
            slices: Index = keys.columns[-1].to_numpy()
            whole = self._partials.merged(copies, replace(keys, columns=keys.columns[:-1]))
            order = slices if self._slices.windows.of_group_by else -slices
            copies = whole.take(pa.array(np.argsort(order, kind="stable")))
        return self._by_end(self._partials.merged(copies, self._partials.keys_of(copies)))

    def _collapse(self, due: pa.Table, after: int) -> None:
        """Replace fired slices of CUMULATE windows in the state by one slice for each key and window start.

        All slices up to `after` are removed. Those that later windows contain are merged into the first slice
        of these windows.

        Args:
            due: Accumulators of the slices up to `after`.
            after: End of the last windows that have fired.
        """
        ends = ends_of(due, self._width)
        left = self._slices.last_windows(ends) > after
        self._state.drop_until(after)
        self._write(self._with_ends(due.filter(pa.array(left)), self._slices.first_slices(ends[left])))

    def _by_end(self, table: pa.Table) -> pa.Table:
        ends = ends_of(table, self._width)
        return table if is_ascending(ends) else table.take(pa.array(stable_order(ends)))

    def _with_ends(self, table: pa.Table, ends: Index) -> pa.Table:
        place = self._width - 1
        return table.set_column(place, field(place), pa.array(ends))


def _where(table: pa.Table, mask: Mask) -> pa.Table:
    return table if mask.all() else table.filter(pa.array(mask))


def _steps(first: Index, last: Index, interval: int) -> tuple[Index, Index]:
    """Return all numbers from first[i] to last[i] in steps: the index i of each number, and the numbers."""
    counts = np.maximum((last - first) // interval + 1, 0)
    rows = np.repeat(np.arange(len(first)), counts)
    nth = np.arange(len(rows)) - np.repeat(np.cumsum(counts) - counts, counts)
    return rows, first[rows] + nth * interval
