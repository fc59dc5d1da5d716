"""Watermarks between tasks: how an input combines the watermarks of its channels.

A channel is a part of an input with an order of its own: all splits of a source together, one split of a
source whose splits have watermarks of their own, or one task before an exchange. The watermark of a channel
is the greatest that it has sent so far, in the order of sequences: a lower one, e.g. from the beginning of
the next split, does not lower it. The watermark of an input is the least of the watermarks of all its
channels. An input has no watermark before each of its channels has sent one.

A channel that has sent no watermark for too long becomes idle. The watermark of the input then advances
without it. When the channel sends watermarks again, it holds the input back again only after its own
watermark has reached that of the input (Flink: StatusWatermarkValve). A channel that is one of several splits
of a source holds the input back from its first new watermark on (Flink: WatermarkOutputMultiplexer).
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
class ChannelWatermarks:
    """Watermarks of some channels, as columns sorted by sequence.

    Each watermark follows the rows of its sequence, within its channel.

    Attributes:
        sequences: int64[m], ascending.
        channels: int64[m], ids of channels.
        times: int64[m], milliseconds.
    """

    sequences: Numbers
    channels: Numbers
    times: Numbers

    @classmethod
    def of(cls, channel: int, sequences: Iterable[Numbers], times: Iterable[Numbers]) -> ChannelWatermarks:
        """Return the watermarks of one channel, sorted by sequence."""
        sequence, time = np.concatenate([_NONE, *sequences]), np.concatenate([_NONE, *times])
        by = np.argsort(sequence, kind="stable")
        return cls(sequence[by], np.full(len(sequence), channel), time[by])

    @classmethod
    def from_table(cls, table: pa.Table) -> ChannelWatermarks:
        return cls(*(column.to_numpy() for column in table.columns))

    @property
    def columns(self) -> tuple[Numbers, Numbers, Numbers]:
        """Return the sequences, channels and times."""
        return self.sequences, self.channels, self.times

    def to_table(self) -> pa.Table:
        columns = [pa.array(column) for column in self.columns]
        return pa.Table.from_arrays(columns, names=["order", "channel", "time"])

    def __len__(self) -> int:
        return len(self.sequences)

    def split(self, sequence: int | None) -> tuple[ChannelWatermarks, ChannelWatermarks]:
        """Return the watermarks with sequences below `sequence`, and the others.

        Args:
            sequence: First sequence of the second part. None puts all watermarks into the first part.
        """
        at = len(self) if sequence is None else int(np.searchsorted(self.sequences, sequence))
        return ChannelWatermarks(*(c[:at] for c in self.columns)), ChannelWatermarks(
            *(c[at:] for c in self.columns)
        )


def together(watermarks: Sequence[ChannelWatermarks]) -> ChannelWatermarks:
    """Return all watermarks, sorted by sequence. Watermarks of one sequence keep their order."""
    if len(watermarks) == 1:
        return watermarks[0]
    columns = [
        np.concatenate([getattr(m, c) for m in watermarks]) for c in ("sequences", "channels", "times")
    ]
    by = np.argsort(columns[0], kind="stable")
    return ChannelWatermarks(*(column[by] for column in columns))


@dataclass(frozen=True)
class Channel:
    """Settings of a channel that a task gets watermarks from.

    Attributes:
        id: Number of the channel.
        mini_batch: Length of row time intervals in milliseconds, 0 for none. Only the first watermark at or
            after the end of an interval is sent on (Flink: RowTimeMiniBatchAssginerOperator). A task before
            the exchange cannot decide this: it does not know what the other tasks have sent.
        idle: Milliseconds of silence after which the channel no longer holds the input back, 0 for never.
        is_split: Whether the channel is one of several splits of a source, each with its own watermarks.
    """

    id: int
    mini_batch: int = 0
    idle: int = 0
    is_split: bool = False

    def passed(self, times: Numbers, before: int) -> Numbers:
        """Return which watermark was the last to be sent on, after each of m watermarks of the channel.

        With `mini_batch`, some watermarks are not sent on. With intervals of 10 ms and before = 0, the
        watermarks 5 12 15 21 give 0 12 12 21.

        Args:
            times: int64[m], the watermarks, ascending, milliseconds.
            before: Last watermark that was sent on before these m watermarks.

        Returns:
            int64[m], milliseconds.
        """
        if not self.mini_batch:
            return times
        goes_on = ends_interval(times, max(before, 0), self.mini_batch)
        return np.maximum.accumulate(np.where(goes_on, times, before))


@dataclass
class Reached:
    """Progress of one channel.

    Attributes:
        time: Watermark of the channel, in milliseconds.
        heard: Processing time of the last micro-batch in which the channel sent a watermark. IDLE (-1)
            instead if the channel is idle.
    """

    time: int
    heard: int


IDLE = -1
"""Value of `Reached.heard` for a channel that is idle."""


class WatermarkAligner:
    """The watermark of one input of a task, combined from its channels.

    Args:
        channels: All channels of the input.
        known: Progress of the channels in earlier micro-batches, by id.
        now: Processing time in milliseconds.
        time: Watermark of the input so far.
    """

    def __init__(
        self, channels: Iterable[Channel], known: Mapping[int, Reached] | None = None, now: int = 0,
        time: int = MIN_WATERMARK,
    ) -> None:  # fmt: skip
        self._channels = {channel.id: channel for channel in channels}
        self.reached = {n: Reached(MIN_WATERMARK, now) for n in self._channels} | dict(known or {})
        self.time = time
        self._now = now
        self._silent = set(self._channels)
        self._held: list[ChannelWatermarks] = []

    @property
    def ended(self) -> bool:
        """Whether all channels have sent MAX_WATERMARK, which ends an input."""
        return all(each.time == MAX_WATERMARK for each in self.reached.values())

    @property
    def is_idle(self) -> bool:
        """Whether all channels are idle."""
        return all(each.heard == IDLE for each in self.reached.values())

    def add(self, watermarks: ChannelWatermarks) -> None:
        """Add watermarks, in any order."""
        if len(watermarks):
            self._held.append(watermarks)

    def release(self, sequence: int | None) -> tuple[Numbers, Numbers]:
        """Return where the watermark of the input advances.

        Args:
            sequence: Watermarks before this sequence are combined; no more of them may come. None for all.

        Returns:
            int64[m] sequences and int64[m] times of the new watermarks.
        """
        if not self._held:
            return _NONE, _NONE
        ready, rest = together(self._held).split(sequence)
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
        """Add the channel with the id `number`, which `channels` did not have at the start.

        It has the settings of the other channels, and is idle until it sends a watermark.
        """
        like = next(iter(self._channels.values()))
        self._channels[number] = replace(like, id=number)
        self.reached[number] = Reached(MIN_WATERMARK, IDLE)

    def fall_silent(self) -> int | None:
        """End the micro-batch: mark silent channels as idle.

        If all channels are idle, the watermark of the input is the greatest of theirs.

        Returns:
            The new watermark, None if it does not advance.
        """
        before = self.time
        for number in self._silent:
            channel, reached = self._channels[number], self.reached[number]
            if channel.idle and reached.heard != IDLE and self._now - reached.heard >= channel.idle:
                reached.heard = IDLE
        live = [each.time for each in self.reached.values() if each.heard != IDLE]
        self._move(self._least() if live else max(each.time for each in self.reached.values()))
        return self.time if self.time > before else None

    def next_timer(self) -> int | None:
        """Return the processing time at which the next channel becomes idle, None if none can.

        Call it at the end of a micro-batch.
        """
        times = (
            each.heard + self._channels[number].idle
            for number, each in self.reached.items()
            if self._channels[number].idle and each.heard != IDLE and each.time != MAX_WATERMARK
        )
        return min(times, default=None)

    def _holds_nothing(self, number: int) -> bool:
        """Return whether a channel does not hold the input back.

        Such a channel is idle, or was idle and is still behind (Flink: not aligned).
        """
        reached = self.reached[number]
        if reached.heard == IDLE:
            return True
        return reached.time < self.time and not self._channels[number].is_split

    def follow(self, time: int) -> bool:
        """Raise the watermark of an idle input to `time`, the least watermark of the operator's live inputs.

        Return whether it advanced.
        """
        return self._move(time)

    def _least(self) -> int:
        """Return the least watermark of all channels that hold the input back."""
        times = (each.time for number, each in self.reached.items() if not self._holds_nothing(number))
        return min(times, default=self.time)

    def _move(self, time: int) -> bool:
        """Raise the watermark of the input, and return whether it advanced."""
        moves = time > self.time
        self.time = max(self.time, time)
        return moves

    def _at_once(self, watermarks: ChannelWatermarks) -> tuple[Numbers, Numbers]:
        """Return the sequences and times at which the input's watermark advances, computed in columns.

        Each channel in `watermarks` must hold the input back. Use `_one_by_one` otherwise.
        """
        steps = np.unique(watermarks.sequences)
        least = np.full(len(steps), MAX_WATERMARK)
        for number, reached in self.reached.items():
            if self._holds_nothing(number):
                continue
            own = watermarks.channels == number
            passed = self._of_channel(number, watermarks.times[own])
            at = np.searchsorted(watermarks.sequences[own], steps, side="right")
            np.minimum(least, passed[at], out=least)
            if own.any():
                reached.time, reached.heard = int(passed[-1]), self._now
        least = np.maximum.accumulate(np.maximum(least, self.time))
        # Not np.diff: the difference of two watermarks might overflow.
        moves = least > np.concatenate([[self.time], least[:-1]])
        self._move(int(least[-1]))
        return steps[moves], least[moves]

    def _one_by_one(self, watermarks: ChannelWatermarks) -> tuple[Numbers, Numbers]:
        """Return the sequences and times at which the input's watermark advances, computed one by one.

        Channels may be idle, or behind the input's watermark. Such a channel holds the input back again after
        it has reached this watermark, or, if it is a split, as soon as it sends a watermark.
        """
        moved: list[tuple[int, int]] = []
        for sequence, number, time in zip(*(c.tolist() for c in watermarks.columns), strict=True):
            reached = self.reached[number]
            reached.time = int(self._of_channel(number, np.array([time]))[-1])
            reached.heard = self._now
            if self._move(self._least()):
                moved.append((sequence, self.time))
        sequences, times = np.array(moved, np.int64).reshape(-1, 2).T
        return sequences, times

    def _of_channel(self, number: int, times: Numbers) -> Numbers:
        """Return the watermark of a channel before `times` and after each of them, int64[m + 1].

        `times`: int64[m], watermarks that the channel has sent.
        """
        last = self.reached[number].time
        reached = np.maximum(np.maximum.accumulate(times), last)
        return np.concatenate([[last], self._channels[number].passed(reached, last)])


def follow_live_inputs(inputs: Mapping[int, WatermarkAligner]) -> dict[int, int]:
    """Let idle inputs of an operator follow the others, so that they do not hold it back.

    Flink: IndexedCombinedWatermarkStatus leaves idle inputs out of the operator's watermark.

    Args:
        inputs: The inputs of a task by port, at the end of a micro-batch.

    Returns:
        The new watermark of each input that advances.
    """
    least = min(
        (watermarks.time for watermarks in inputs.values() if not watermarks.is_idle), default=MAX_WATERMARK
    )
    if least == MAX_WATERMARK:  # no input is live, or all live ones have ended
        return {}
    return {
        port: least for port, watermarks in inputs.items() if watermarks.is_idle and watermarks.follow(least)
    }


class AlignerState:
    """State of the watermarks of a task's inputs and channels, kept between micro-batches."""

    def __init__(self, state: StateBackend, name: str, now: int) -> None:
        self._state = state.value(f"{name}.v1", [pa.int32(), pa.int64()], [pa.int64(), pa.int64()])
        self._now = now
        self._known: dict[tuple[int, int], Reached] = {}

    def load(self, port: int, channels: Sequence[Channel]) -> WatermarkAligner:
        """Return the aligner of one input, with the progress that the state has of it and its channels."""
        ids = pa.array([_INPUT, *(channel.id for channel in channels)], pa.int64())
        keys = find_keys([pa.array([port] * len(ids), pa.int32()), ids], len(ids))
        found = self._state.get(keys, 0)
        there = pa.array(found.found)
        columns = (column.filter(there).to_pylist() for column in (keys.columns[1], *found.columns))
        known = {number: Reached(time, heard) for number, time, heard in zip(*columns, strict=True)}
        self._known |= {(port, number): replace(each) for number, each in known.items()}
        whole = known.pop(_INPUT, Reached(MIN_WATERMARK, 0))
        return WatermarkAligner(channels, known, self._now, whole.time)

    def save(self, inputs: Mapping[int, WatermarkAligner]) -> None:
        """Write the progress of all inputs and channels that has changed."""
        now = {
            (port, number): each
            for port, watermarks in inputs.items()
            for number, each in [*watermarks.reached.items(), (_INPUT, Reached(watermarks.time, 0))]
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
"""Id that stands for the input itself, in place of a channel."""
