"""Watermarks on their way between tasks, and what becomes of those of several channels.

A channel is what has an order of its own: all splits of a directory, each task before an exchange. Within
one the watermark is the greatest so far, by order: a split that begins low takes nothing back. An operator's
is the least of all channels, and none before each of them has given one. Flink: StatusWatermarkValve.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from firesteel.runtime.event_time import ends_interval
from firesteel.runtime.keys import find_keys
from firesteel.runtime.operators.base import MAX_WATERMARK, MIN_WATERMARK
from firesteel.runtime.state.base import StateBackend

Numbers = NDArray[np.int64]
_NONE = np.empty(0, np.int64)


@dataclass(frozen=True)
class Marks:
    """Watermarks in columns, int64[m] each, by order: each stands behind the rows of its order, in its
    channel."""

    orders: Numbers
    channels: Numbers
    times: Numbers

    @classmethod
    def of(cls, channel: int, orders: Iterable[Numbers], times: Iterable[Numbers]) -> Marks:
        """Those of one channel."""
        order, time = np.concatenate([_NONE, *orders]), np.concatenate([_NONE, *times])
        by = np.argsort(order, kind="stable")
        return cls(order[by], np.full(len(order), channel), time[by])

    @classmethod
    def from_table(cls, table: pa.Table) -> Marks:
        return cls(*(column.to_numpy() for column in table.columns))

    def to_table(self) -> pa.Table:
        columns = [pa.array(column) for column in (self.orders, self.channels, self.times)]
        return pa.Table.from_arrays(columns, names=["order", "channel", "time"])

    def __len__(self) -> int:
        return len(self.orders)

    def split(self, order: int | None) -> tuple[Marks, Marks]:
        """Those before an order, and the others; all and none where it is None."""
        at = len(self) if order is None else int(np.searchsorted(self.orders, order))
        columns = (self.orders, self.channels, self.times)
        return Marks(*(c[:at] for c in columns)), Marks(*(c[at:] for c in columns))


def together(marks: Sequence[Marks]) -> Marks:
    """All of them by order; those of one order as they stood."""
    if len(marks) == 1:
        return marks[0]
    columns = [np.concatenate([getattr(m, c) for m in marks]) for c in ("orders", "channels", "times")]
    by = np.argsort(columns[0], kind="stable")
    return Marks(*(column[by] for column in columns))


@dataclass(frozen=True)
class Channel:
    """One that a task gets watermarks from. mini_batch: milliseconds of the intervals of row time of which
    only the ends go on (RowTimeMiniBatchAssginerOperator), 0 for none: a task before the exchange does not
    know what others let through before."""

    id: int
    mini_batch: int = 0

    def passed(self, times: Numbers, before: int) -> Numbers:
        """int64[m]: of ascending watermarks, for each the last that went on. before: them all."""
        if not self.mini_batch:
            return times
        goes_on = ends_interval(times, max(before, 0), self.mini_batch)
        return np.maximum.accumulate(np.where(goes_on, times, before))


class ChannelMarks:
    """The watermarks of one input of a task. channels: all of them. known: those that have given watermarks
    before, and the last of each."""

    def __init__(self, channels: Iterable[Channel], known: Mapping[int, int] | None = None) -> None:
        self._channels = {channel.id: channel for channel in channels}
        self.times = dict.fromkeys(self._channels, MIN_WATERMARK) | dict(known or {})
        self._held: list[Marks] = []

    @property
    def time(self) -> int:
        """The watermark of the input."""
        return min(self.times.values())

    @property
    def ended(self) -> bool:
        return self.time == MAX_WATERMARK

    def add(self, marks: Marks) -> None:
        """Take watermarks in, in any order."""
        if len(marks):
            self._held.append(marks)

    def release(self, order: int | None) -> tuple[Numbers, Numbers]:
        """The orders and times at which the input's watermark moves, of those before an order or of all; no
        more of them may come."""
        if not self._held:
            return _NONE, _NONE
        ready, rest = together(self._held).split(order)
        self._held = [rest] if len(rest) else []
        return self._advance(ready)

    def _advance(self, marks: Marks) -> tuple[Numbers, Numbers]:
        before = self.time
        steps = np.unique(marks.orders)
        least = np.full(len(steps), MAX_WATERMARK)
        for number, last in self.times.items():
            own = marks.channels == number
            passed = self._of_channel(number, marks.times[own], last)
            at = np.searchsorted(marks.orders[own], steps, side="right")
            np.minimum(least, passed[at], out=least)
            self.times[number] = int(passed[-1])
        moves = least > np.concatenate([[before], least[:-1]])  # a difference might overflow
        return steps[moves], least[moves]

    def _of_channel(self, number: int, times: Numbers, last: int) -> Numbers:
        """int64[m + 1]: the watermark before the channel's marks, then behind each."""
        reached = np.maximum(np.maximum.accumulate(times), last)
        return np.concatenate([[last], self._channels[number].passed(reached, last)])


class MarkState:
    """The watermarks of all channels of a task's inputs, kept from one micro-batch to the next."""

    def __init__(self, state: StateBackend, name: str) -> None:
        self._state = state.value(f"{name}.v1", [pa.int32(), pa.int64()], [pa.int64()])
        self._known: dict[tuple[int, int], int] = {}

    def load(self, port: int, channels: Sequence[Channel]) -> ChannelMarks:
        """Those of one input."""
        ids = pa.array([channel.id for channel in channels], pa.int64())
        keys = find_keys([pa.array([port] * len(ids), pa.int32()), ids], len(ids))
        found = self._state.get(keys, 0)
        times = found.columns[0].filter(pa.array(found.found)).to_pylist()
        known = dict(zip(keys.columns[1].filter(pa.array(found.found)).to_pylist(), times, strict=True))
        self._known |= {(port, channel): time for channel, time in known.items()}
        return ChannelMarks(channels, known)

    def save(self, inputs: Mapping[int, ChannelMarks]) -> None:
        """Those that have moved."""
        now = {(port, channel): t for port, marks in inputs.items() for channel, t in marks.times.items()}
        moved = {key: time for key, time in now.items() if time != self._known.get(key, MIN_WATERMARK)}
        if not moved:
            return
        ports, channels = zip(*moved, strict=True)
        keys = find_keys([pa.array(ports, pa.int32()), pa.array(channels, pa.int64())], len(moved))
        times = pa.array(list(moved.values()), pa.int64()).take(pa.array(keys.order))
        self._state.put(keys, np.arange(len(keys)), [times], 0)
        self._known |= moved
