"""Open windows of keys as objects, with their timers: in this process, and in keyed state between batches."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import pyarrow as pa

from firesteel.runtime.columns.keys import Keys, find_keys
from firesteel.runtime.operators.window.per_row.row_windows import KeyedWindows
from firesteel.runtime.operators.window.per_row.triggers import OpenWindow
from firesteel.runtime.spec.operators import GroupAggregateSpec
from firesteel.runtime.state.base import StateBackend, ValueState
from firesteel.runtime.state.pickles import dumps, loads
from firesteel.types.arrow import to_arrow
from firesteel.types.internal_values import from_list, to_list
from firesteel.types.sql import SqlType

Timer = tuple[int, tuple[int, int], int, KeyedWindows]
"""Timer of a key's windows: its time, the key's hashes, a number that no other timer has, and the windows.

Timers of one time fire in the order of the key's hashes, as entries of keyed state are sorted.
"""


class RowState:
    """Open windows and timers of all keys.

    Args:
        aggregate: Settings. Names of the states begin with its `state_id`.
        backend: State of the operator. None keeps everything in this process.
    """

    def __init__(self, aggregate: GroupAggregateSpec, backend: StateBackend | None) -> None:
        self._of_user = any(call.user is not None for call in aggregate.calls)
        self._kinds = [aggregate.input_types[i] for i in aggregate.keys]
        types, name = [to_arrow(kind) for kind in self._kinds], aggregate.state_id
        self._rows = None if backend is None else backend.value(f"{name}/windows", types, [pa.binary()])
        self._live: dict[tuple[int, int], KeyedWindows] = {}
        self._stored: set[tuple[int, int]] = set()
        self._touched: dict[tuple[int, int], KeyedWindows] = {}
        self._event_time = _Timers(self, backend, f"{name}/event-timers", self._kinds)
        self._clock = _Timers(self, backend, f"{name}/clock-timers", self._kinds)
        self._mine = KeyedWindows((0, 0), ())

    def load(self, keys: Keys) -> list[KeyedWindows]:
        """Return the open windows of each key."""
        names = list(zip(keys.hash1.tolist(), keys.hash2.tolist(), strict=True))
        if any(name not in self._live for name in names):
            stored = (
                [None] * len(keys) if self._rows is None else self._rows.get(keys, 0).columns[0].to_pylist()
            )
            columns = [to_list(column, kind) for column, kind in zip(keys.columns, self._kinds, strict=True)]
            values: Iterable[tuple[object, ...]] = zip(*columns, strict=True) if columns else [()] * len(keys)
            for name, key, known in zip(names, values, stored, strict=True):
                if name not in self._live:
                    self._live[name] = KeyedWindows(name, key) if known is None else self._loaded(known)
                if known is not None:
                    self._stored.add(name)
        return [self._live[name] for name in names]

    def _loaded(self, data: bytes) -> KeyedWindows:
        found: KeyedWindows = loads(data, of_user=self._of_user)
        return found

    def touch(self, mine: KeyedWindows) -> None:
        """Mark the windows of a key as changed."""
        self._touched[mine.name] = mine

    # --- timers --------------------------------------------------------------------------------------
    def timers(self, mine: KeyedWindows) -> RowState:
        """Return an object that sets timers of a key's windows, for a trigger (`Timers` in triggers.py).

        It is this object itself, which sets timers of this key until the next call.
        """
        self._mine = mine
        return self

    def at_event_time(self, window: OpenWindow, time: int) -> None:
        if time not in window.event_timers:
            window.event_timers.add(time)
            self._event_time.add(time, self._mine)

    def at_clock(self, window: OpenWindow, time: int) -> None:
        self._clock.add(time, self._mine)

    def due_in_event_time(self, until: int) -> Iterator[tuple[int, KeyedWindows]]:
        """Remove and yield the event time timers up to a time, each with the windows of its key."""
        return self._due(self._event_time, until)

    def due_by_clock(self, until: int) -> Iterator[tuple[int, KeyedWindows]]:
        """Remove and yield the processing time timers up to a time, each with the windows of its key."""
        return self._due(self._clock, until)

    def next_by_clock(self) -> int | None:
        """Return the time of the next processing time timer, or None. New timers count only after `save`."""
        return self._clock.next_time()

    def _due(self, timers: _Timers, until: int) -> Iterator[tuple[int, KeyedWindows]]:
        for time, mine in timers.due(until):
            self.touch(mine)
            yield time, mine
            if not mine.windows and not mine.panes:
                self._live.pop(mine.name, None)

    # --- between batches -----------------------------------------------------------------------------
    def save(self) -> None:
        """Write all changes to the state."""
        every, self._touched = self._touched.values(), {}
        touched = [e for e in every if e.windows or e.panes or e.name in self._stored]
        if self._rows is not None and touched:
            self._write(self._rows, touched)
        self._event_time.save()
        self._clock.save()

    def _write(self, rows: ValueState, touched: Sequence[KeyedWindows]) -> None:
        keys = keys_of(touched, self._kinds)
        ordered = [touched[i] for i in keys.order.tolist()]
        live = np.array([bool(each.windows or each.panes) for each in ordered])
        data = pa.array([dumps(each) for each in ordered], pa.binary())
        rows.put(keys, np.arange(len(keys)), [data], 0, live)
        self._stored.update(each.name for each in touched)


class _Timers:
    """Timers of event time or processing time. Timers of earlier batches are in the state."""

    def __init__(
        self, state: RowState, backend: StateBackend | None, name: str, kinds: Sequence[SqlType]
    ) -> None:
        self._state = state
        self._kinds = kinds
        types = [to_arrow(kind) for kind in kinds]
        self._stored = None if backend is None else backend.times(name, types)
        self._next = None if self._stored is None else self._stored.next_time()
        self._heap: list[Timer] = []
        self._new: dict[tuple[int, tuple[int, int]], KeyedWindows] = {}
        self._count = 0

    def add(self, time: int, mine: KeyedWindows) -> None:
        """Set a timer."""
        self._push(time, mine)
        if self._stored is not None:
            self._new[time, mine.name] = mine

    def due(self, until: int) -> Iterator[tuple[int, KeyedWindows]]:
        """Remove and yield the timers up to a time, sorted by time."""
        if self._stored is not None and self._next is not None and self._next <= until:
            due = self._stored.take_until(until)
            self._next = self._stored.next_time()
            keys = find_keys(due.keys, len(due.times))
            known = self._state.load(keys)
            for time, owner in zip(due.times.tolist(), keys.codes.tolist(), strict=True):
                self._push(time, known[owner])
        while self._heap and self._heap[0][0] <= until:
            time, _, _, mine = heapq.heappop(self._heap)
            self._new.pop((time, mine.name), None)
            yield time, mine

    def next_time(self) -> int | None:
        """Return the time of the first timer in the state. None without such a timer, or without a state."""
        return self._next

    def save(self) -> None:
        """Write the timers that were set and have not fired."""
        new, self._new = self._new, {}
        if self._stored is None or not new:
            return
        keys = keys_of(list(new.values()), self._kinds)
        times = np.array([time for time, _ in new], np.int64)
        self._stored.put(keys, keys.codes, times)
        self._next = self._stored.next_time()

    def _push(self, time: int, mine: KeyedWindows) -> None:
        self._count += 1
        heapq.heappush(self._heap, (time, mine.name, self._count, mine))


def keys_of(rows: Sequence[KeyedWindows], kinds: Sequence[SqlType]) -> Keys:
    """Return the keys of some `KeyedWindows`, in their order, with one row for each.

    Args:
        rows: The objects.
        kinds: Types of the key columns.
    """
    columns = [from_list([each.key[i] for each in rows], kind) for i, kind in enumerate(kinds)]
    return find_keys(columns, len(rows))
