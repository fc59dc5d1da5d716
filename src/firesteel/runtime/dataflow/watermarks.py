"""Watermarks on their way between tasks, and what becomes of those of several channels.

A channel is what has an order of its own: all splits of a directory, each task before an exchange. Within
one the watermark is the greatest so far, by order: a split that begins low takes nothing back. An operator's
is the least of all channels, and none before each of them has given one. A channel that is silent for too
long holds it back no more, until it has caught up (Flink: StatusWatermarkValve); a split of a source that has
others beside it holds it back as soon as it is heard again (WatermarkOutputMultiplexer).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from firesteel.runtime.columns.keys import find_keys
from firesteel.runtime.dataflow.event_time import ends_interval
from firesteel.runtime.dataflow.operator import MAX_WATERMARK, MIN_WATERMARK
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

    @property
    def columns(self) -> tuple[Numbers, Numbers, Numbers]:
        """Orders, channels and times."""
        return self.orders, self.channels, self.times

    def to_table(self) -> pa.Table:
        columns = [pa.array(column) for column in self.columns]
        return pa.Table.from_arrays(columns, names=["order", "channel", "time"])

    def __len__(self) -> int:
        return len(self.orders)

    def split(self, order: int | None) -> tuple[Marks, Marks]:
        """Those before an order, and the others; all and none where it is None."""
        at = len(self) if order is None else int(np.searchsorted(self.orders, order))
        return Marks(*(c[:at] for c in self.columns)), Marks(*(c[at:] for c in self.columns))


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
    know what others let through before. idle: milliseconds of silence after which it holds nothing back,
    0 for never. is_split: it is one of those that a source has, each with watermarks of its own."""

    id: int
    mini_batch: int = 0
    idle: int = 0
    is_split: bool = False

    def passed(self, times: Numbers, before: int) -> Numbers:
        """int64[m]: of ascending watermarks, for each the last that went on. before: them all."""
        if not self.mini_batch:
            return times
        goes_on = ends_interval(times, max(before, 0), self.mini_batch)
        return np.maximum.accumulate(np.where(goes_on, times, before))


@dataclass
class Reached:
    """How far a channel has come. heard: the processing time of the micro-batch in which it was last heard
    of, IDLE for one that has been silent for too long."""

    time: int
    heard: int


IDLE = -1


class ChannelMarks:
    """The watermarks of one input of a task. channels: all of them, and known: what was heard of them in
    micro-batches before. now: processing time. time: the watermark of the input."""

    def __init__(
        self, channels: Iterable[Channel], known: Mapping[int, Reached] | None = None, now: int = 0,
        time: int = MIN_WATERMARK,
    ) -> None:  # fmt: skip
        self._channels = {channel.id: channel for channel in channels}
        self.reached = {n: Reached(MIN_WATERMARK, now) for n in self._channels} | dict(known or {})
        self.time = time
        self._now = now
        self._silent = set(self._channels)
        self._held: list[Marks] = []

    @property
    def ended(self) -> bool:
        return all(each.time == MAX_WATERMARK for each in self.reached.values())

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
        if not len(ready):
            return _NONE, _NONE
        heard = set(np.unique(ready.channels).tolist())
        self._silent -= heard
        for number in heard - self._channels.keys():
            self._join(number)
        advance = self._one_by_one if any(map(self._holds_nothing, heard)) else self._at_once
        return advance(ready)

    def _join(self, number: int) -> None:
        """A channel that was not there at the start is as one that was idle."""
        like = next(iter(self._channels.values()))
        self._channels[number] = replace(like, id=number)
        self.reached[number] = Reached(MIN_WATERMARK, IDLE)

    def fall_silent(self) -> int | None:
        """The micro-batch ends: the watermark, where it moves as a channel that gave nothing for too long is
        idle from now on. Where all are, it is the greatest of them."""
        before = self.time
        for number in self._silent:
            channel, reached = self._channels[number], self.reached[number]
            if channel.idle and reached.heard != IDLE and self._now - reached.heard >= channel.idle:
                reached.heard = IDLE
        live = [each.time for each in self.reached.values() if each.heard != IDLE]
        self._move(self._least() if live else max(each.time for each in self.reached.values()))
        return self.time if self.time > before else None

    def next_timer(self) -> int | None:
        """The processing time at which the next channel is silent for too long; None where none can be.
        Asked at the end of a micro-batch."""
        times = (
            each.heard + self._channels[number].idle
            for number, each in self.reached.items()
            if self._channels[number].idle and each.heard != IDLE and each.time != MAX_WATERMARK
        )
        return min(times, default=None)

    def _holds_nothing(self, number: int) -> bool:
        """Whether a channel is idle, or was and is still behind (Flink: not aligned)."""
        reached = self.reached[number]
        if reached.heard == IDLE:
            return True
        return reached.time < self.time and not self._channels[number].is_split

    def _least(self) -> int:
        """The least watermark of all channels that hold it back."""
        times = (each.time for number, each in self.reached.items() if not self._holds_nothing(number))
        return min(times, default=self.time)

    def _move(self, time: int) -> bool:
        moves = time > self.time
        self.time = max(self.time, time)
        return moves

    def _at_once(self, marks: Marks) -> tuple[Numbers, Numbers]:
        """All that give watermarks hold the input's back."""
        steps = np.unique(marks.orders)
        least = np.full(len(steps), MAX_WATERMARK)
        for number, reached in self.reached.items():
            if self._holds_nothing(number):
                continue
            own = marks.channels == number
            passed = self._of_channel(number, marks.times[own])
            at = np.searchsorted(marks.orders[own], steps, side="right")
            np.minimum(least, passed[at], out=least)
            if own.any():
                reached.time, reached.heard = int(passed[-1]), self._now
        least = np.maximum.accumulate(np.maximum(least, self.time))
        moves = least > np.concatenate([[self.time], least[:-1]])  # a difference might overflow
        self._move(int(least[-1]))
        return steps[moves], least[moves]

    def _one_by_one(self, marks: Marks) -> tuple[Numbers, Numbers]:
        """Some of them come back: each holds the watermark back from where it has caught up with it."""
        moved: list[tuple[int, int]] = []
        for order, number, time in zip(*(c.tolist() for c in marks.columns), strict=True):
            reached = self.reached[number]
            reached.time = int(self._of_channel(number, np.array([time]))[-1])
            reached.heard = self._now
            if self._move(self._least()):
                moved.append((order, self.time))
        orders, times = np.array(moved, np.int64).reshape(-1, 2).T
        return orders, times

    def _of_channel(self, number: int, times: Numbers) -> Numbers:
        """int64[m + 1]: the watermark before the channel's marks, then behind each."""
        last = self.reached[number].time
        reached = np.maximum(np.maximum.accumulate(times), last)
        return np.concatenate([[last], self._channels[number].passed(reached, last)])


class MarkState:
    """The watermarks of a task's inputs, and what was heard of their channels, from one micro-batch to the
    next."""

    def __init__(self, state: StateBackend, name: str, now: int) -> None:
        self._state = state.value(f"{name}.v1", [pa.int32(), pa.int64()], [pa.int64(), pa.int64()])
        self._now = now
        self._known: dict[tuple[int, int], Reached] = {}

    def load(self, port: int, channels: Sequence[Channel]) -> ChannelMarks:
        """Those of one input."""
        ids = pa.array([_INPUT, *(channel.id for channel in channels)], pa.int64())
        keys = find_keys([pa.array([port] * len(ids), pa.int32()), ids], len(ids))
        found = self._state.get(keys, 0)
        there = pa.array(found.found)
        columns = (column.filter(there).to_pylist() for column in (keys.columns[1], *found.columns))
        known = {number: Reached(time, heard) for number, time, heard in zip(*columns, strict=True)}
        self._known |= {(port, number): replace(each) for number, each in known.items()}
        whole = known.pop(_INPUT, Reached(MIN_WATERMARK, 0))
        return ChannelMarks(channels, known, self._now, whole.time)

    def save(self, inputs: Mapping[int, ChannelMarks]) -> None:
        """Those of which something new is known."""
        now = {
            (port, number): each
            for port, marks in inputs.items()
            for number, each in [*marks.reached.items(), (_INPUT, Reached(marks.time, 0))]
        }
        new = {key: each for key, each in now.items() if each != self._known.get(key)}
        if not new:
            return
        ports, numbers = zip(*new, strict=True)
        keys = find_keys([pa.array(ports, pa.int32()), pa.array(numbers, pa.int64())], len(new))
        by = pa.array(keys.order)
        columns = [[each.time for each in new.values()], [each.heard for each in new.values()]]
        values = [pa.array(column, pa.int64()).take(by) for column in columns]
        self._state.put(keys, np.arange(len(keys)), values, 0)


_INPUT = -1
"""In place of a channel: the input that they are of."""
