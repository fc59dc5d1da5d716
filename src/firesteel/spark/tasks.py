"""Functions of Spark tasks for both hosts: read a split or packets, run chains, return packets.

Workers import this module, so it imports little: no Spark, no planner. Its classes are pickled by name with
their fields, because code that Spark ships by value gets fresh globals for every task.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import pyarrow as pa

from firesteel import process_cache as open_once
from firesteel.connectors.base import Split
from firesteel.connectors.registry import open_source
from firesteel.runtime.dataflow.chain import standing_clock
from firesteel.runtime.dataflow.operator import (
    BEFORE_ALL,
    LAST_ORDER,
    MAX_WATERMARK,
    MIN_WATERMARK,
    Watermark,
    earliest,
)
from firesteel.runtime.dataflow.operator_registry import entry
from firesteel.runtime.dataflow.packets import (
    FAILURE,
    FIRST,
    LATE,
    SKIPPED,
    STATE,
    TICK,
    TIMER,
    Packet,
    Position,
)
from firesteel.runtime.dataflow.ports import PortMerger
from firesteel.runtime.dataflow.sequence import last_order, split_number
from firesteel.runtime.dataflow.watermarks import ChannelMarks, MarkState
from firesteel.runtime.spec.tables import ScanSpec, ValuesSpec
from firesteel.runtime.state.base import StateBackend
from firesteel.spark.errors import guarded
from firesteel.spark.flow import Counts, Flow, TaskId, Work
from firesteel.spark.internals.worker_end import at_worker_end
from firesteel.spark.shipped_code import located
from firesteel.types import user_function

open_once.at_end = at_worker_end  # close cached resources when the worker ends
user_function.located = located

Keyed = tuple[tuple[int, Position], Packet]
"""A packet as an element of an RDD of pairs: ((target, position), packet)."""


@dataclass(frozen=True)
class SourceTask:
    """A task that reads splits of a source and runs the fragment that begins with it."""

    work: Work

    @property
    def source(self) -> ScanSpec | ValuesSpec:
        source = self.work.fragment.head.source
        assert source is not None
        return source

    def packets(self, splits: Iterable[Split], batch: int = 0) -> Iterator[Packet]:
        """Yield the packets of the splits. A FiresteelError is a packet, too (spark/errors.py)."""
        for split in splits:
            run = self._tell_end if split.ends else self._read
            task = TaskId(batch, index=split.ordinal, channel=split.channel)
            yield from guarded(partial(run, split, task))

    def at(self, now: int) -> SourceTask:
        """Return a copy with another processing time, in milliseconds."""
        return SourceTask(self.work.at(now))

    def tick(self) -> Iterator[Packet]:
        """Yield one packet for each target of each chain that has timers, to make the timers fire."""
        for chain, targets in self.work.woken:
            for target in range(targets):
                yield Packet(target, FIRST, 0, 0, b"", TICK, to=chain)

    def of_tables(self, tables: Any, task: TaskId) -> Iterator[Packet]:
        """Yield the packets of the changes tables that the function `tables` returns, as one task."""
        return guarded(partial(self._run, tables, task))

    def keyed(self, splits: Iterable[Split]) -> Iterator[Keyed]:
        """Yield the packets of the splits as (key, packet) pairs, for a shuffle."""
        return ((_key(packet), packet) for packet in self.packets(splits))

    def _read(self, split: Split, task: TaskId) -> Iterator[Packet]:
        source = open_head(self.source)
        yield from self._run(partial(source.read, split), task)
        if source.skipped:
            yield Packet(0, FIRST, 0, 0, json.dumps(source.skipped).encode(), SKIPPED)

    def _tell_end(self, split: Split, task: TaskId) -> Iterator[Packet]:
        """Send the last watermark, behind the rows of all splits."""
        flow = self._flow(task, Counts())
        yield from flow.send(Watermark(MAX_WATERMARK, last_order(split.ordinal)))
        yield from flow.finish(self.work.ends)

    def _run(self, tables: Any, task: TaskId) -> Iterator[Packet]:
        counts = Counts()
        return counts.told(self._through(tables(), task, counts))

    def _through(self, tables: Iterable[pa.Table], task: TaskId, counts: Counts) -> Iterator[Packet]:
        flow = self._flow(task, counts)
        for changes in tables:
            counts.read += changes.num_rows
            yield from flow.send(changes)
        yield from flow.finish(self.work.ends)

    def _flow(self, task: TaskId, counts: Counts) -> Flow:
        work = self.work
        return Flow(work, work.fragment.head, None, standing_clock(work.now), task, counts)


@dataclass(frozen=True)
class StageTask:
    """A task that runs the fragments of one stage over the packets of one target.

    The packets come by ascending position. Packets for other stages or for the driver pass through.
    """

    works: tuple[Work, ...]

    def packets(
        self, packets: Iterable[Packet], state: StateBackend | None, task: TaskId
    ) -> Iterator[Packet]:
        """Yield the packets that result. A FiresteelError is a packet, too (spark/errors.py).

        Args:
            packets: The packets of one target, by ascending position.
            state: State of the target's key group; None keeps state in this process.
            task: Identity of this task.
        """
        counts = Counts()
        return guarded(lambda: counts.told(self._through(packets, state, task, counts)))

    def keyed(self, partition: int, pairs: Iterable[Keyed]) -> Iterator[Keyed]:
        """Yield the results of one partition of the batch host as (key, packet) pairs.

        The operators keep their state in this process.
        """
        packets = (packet for _, packet in pairs)
        return ((_key(packet), packet) for packet in self.packets(packets, None, TaskId(index=partition)))

    def at(self, now: int) -> StageTask:
        """Return a copy with another processing time, in milliseconds."""
        return StageTask(tuple(work.at(now) for work in self.works))

    @property
    def number(self) -> int:
        """Number that identifies the stage: that of its first chain."""
        return self.works[0].fragment.head.id

    def _through(
        self, packets: Iterable[Packet], state: StateBackend | None, task: TaskId, counts: Counts
    ) -> Iterator[Packet]:
        works = {work.fragment.head.id: work for work in self.works}
        begun: dict[int, _Begun] = {}
        for packet in packets:
            if packet.to not in works:
                yield packet
                if packet.holds == FAILURE:
                    return
                continue
            counts.take(packet)
            if packet.to not in begun:
                begun[packet.to] = _Begun(works[packet.to], state, task, counts)
                yield from begun[packet.to].begin()
            yield from begun[packet.to].add(packet)
        for _, one in sorted(begun.items()):
            yield from one.finish()


class _Begun:
    """A fragment that has got its first packet in this micro-batch."""

    def __init__(self, work: Work, state: StateBackend | None, task: TaskId, counts: Counts) -> None:
        head = work.fragment.head
        task = replace(task, channel=task.index)
        clock = standing_clock(work.now)
        self._flow = Flow(work, head, state, clock, task, counts)
        named = f"marks-{head.id}"
        self._kept = None if state is None or not work.channels else MarkState(state, named, clock())
        self._marks = {
            port: ChannelMarks(channels) if self._kept is None else self._kept.load(port, channels)
            for port, channels in work.channels
        }
        many = any(entry(type(operator)).gains_by_more for operator in head.operators)
        ports = 1 + max(each.port for each in head.inputs)
        self._merger = PortMerger(self._marks, work.mark_place, ports=ports, many=many)
        self._place = work.mark_place
        self._ends = work.ends
        self._task = head.id, task.index
        self._is_woken = state is not None and any(head.id == chain for chain, _ in work.woken)
        self._now = clock()

    def _next_timer(self) -> int | None:
        """Return the processing time of the next timer or idle timeout, or None if there is none."""
        time = earliest([self._flow.next_timer(), *(marks.next_timer() for marks in self._marks.values())])
        return None if time is None else max(time, self._now + 1)  # timers that are due have fired

    def _told(self, timer: int | None) -> Packet:
        return Packet(0, FIRST, 0, 0, json.dumps([*self._task, timer]).encode(), TIMER)

    def begin(self) -> Iterator[Packet]:
        """Send the watermarks with which the previous micro-batch ended."""
        for port, marks in self._marks.items():
            if marks.time > MIN_WATERMARK:
                yield from self._flow.send(Watermark(marks.time, BEFORE_ALL), port)

    def add(self, packet: Packet) -> Iterator[Packet]:
        for message in self._merger.add(packet):
            yield from self._flow.send(message)

    def finish(self) -> Iterator[Packet]:
        for message in self._merger.finish():
            yield from self._flow.send(message)
        for port, marks in self._marks.items():
            if (time := marks.fall_silent()) is not None:
                yield from self._flow.send(Watermark(time, LAST_ORDER, self._place), port)
        if self._kept is not None:
            self._kept.save(self._marks)
        ended = bool(self._marks) and all(marks.ended for marks in self._marks.values())
        yield from self._flow.finish(self._ends or ended)
        if self._is_woken:
            yield self._told(None if ended else self._next_timer())
        if self._flow.late:
            yield Packet(0, FIRST, 0, 0, json.dumps(self._flow.late).encode(), LATE)


def state_size(stage: int, group: int, entries: int) -> Packet:
    """Return a packet that reports the number of state entries of a stage and key group to the driver."""
    return Packet(0, FIRST, 0, 0, json.dumps([stage, group, entries]).encode(), STATE)


def open_head(head: Any) -> Any:
    """Return the source that a chain reads: that of a connector, or literal rows."""
    if isinstance(head, ScanSpec):
        return open_source(head)
    assert isinstance(head, ValuesSpec)
    from firesteel.spark.literal_rows import LiteralRows

    return LiteralRows(head)


def bounded_splits(head: Any, parallelism: int, numbers: range, tells_end: bool = False) -> list[Split]:
    """Return all splits of a bounded source, in its order.

    Args:
        head: ScanSpec or ValuesSpec of the source.
        parallelism: Number of tasks to read with.
        numbers: The range of split numbers of the source in the micro-batch.
        tells_end: Whether to add the splits that send the last watermark.
    """
    source = open_head(head)
    splits = [Split(0, {})] if isinstance(head, ValuesSpec) else source.splits(parallelism)
    return numbered([*by_channel(source, splits), *ends(source)] if tells_end else splits, numbers)


def channels(source: Any) -> list[int]:
    """Return the channels of a source: its parts with an own order (runtime/dataflow/watermarks.py)."""
    return source.channels() if hasattr(source, "channels") else [0]


def by_channel(source: Any, splits: list[Split]) -> list[Split]:
    """Return the splits, cut so that each is of one channel. Splits that mark an end stay last."""
    if not hasattr(source, "by_channel"):
        return splits
    cut: list[Split] = source.by_channel([split for split in splits if not split.ends])
    return [*cut, *(split for split in splits if split.ends)]


def ends(source: Any) -> list[Split]:
    """Return the splits that mark the end of a bounded source, one for each channel."""
    return [Split(0, {}, ends=True, channel=number) for number in channels(source)]


def numbered(splits: Iterable[Split], numbers: range) -> list[Split]:
    """Return the splits with ordinals from the range of their source in the micro-batch."""
    return [replace(split, ordinal=split_number(numbers, i)) for i, split in enumerate(splits)]


def _key(packet: Packet) -> tuple[int, Position]:
    return packet.target, packet.first


def target_of(key: tuple[int, Position]) -> int:
    """Return the target of a packet from its key."""
    return key[0]
