"""Runner of a fragment after an exchange: packets are merged into messages for its first chain."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial

from firesteel.runtime.dataflow.chain import standing_clock
from firesteel.runtime.dataflow.operator import (
    BEFORE_ALL,
    LAST_SEQUENCE,
    MIN_WATERMARK,
    Message,
    PortBatch,
    Watermark,
    earliest,
)
from firesteel.runtime.dataflow.operator_registry import entry
from firesteel.runtime.dataflow.packets import FIRST, TIMER, Packet
from firesteel.runtime.dataflow.ports import MOST_ROWS, PortMerger
from firesteel.runtime.dataflow.watermarks import AlignerState, WatermarkAligner, follow_live_inputs
from firesteel.runtime.state.base import StateBackend
from firesteel.spark.task.chain_runner import ChainRunner
from firesteel.spark.task.context import TaskContext, TaskId
from firesteel.spark.task.counters import TaskCounters


class FragmentRunner:
    """Runner of a fragment for one task and micro-batch. It is made when the first packet comes.

    Args:
        context: Context of the task.
        state: State of the task's key group, None to keep state in this process.
        task: Identity of the task.
        counters: Counters of the task.
    """

    def __init__(
        self, context: TaskContext, state: StateBackend | None, task: TaskId, counters: TaskCounters
    ) -> None:
        head = context.fragment.head
        clock = standing_clock(context.now)
        self._runner = ChainRunner(
            context, head, state, clock, replace(task, channel=task.index), counters
        )  # fmt: skip
        self._kept = (
            None
            if state is None or not context.channels
            else AlignerState(state, f"marks-{head.id}", clock())
        )
        self._watermarks = {
            port: WatermarkAligner(channels) if self._kept is None else self._kept.load(port, channels)
            for port, channels in context.channels
        }
        many = any(entry(type(operator)).gains_by_more for operator in head.operators)
        ports = 1 + max(each.port for each in head.inputs)
        self._merger = PortMerger(
            self._watermarks,
            context.watermark_sub_sequence,
            ports=ports,
            many=many,
            most_rows=MOST_ROWS if many and state is not None else None,
        )
        self._sub_sequence = context.watermark_sub_sequence
        self._ends = context.ends
        self._task = head.id, task.index
        self._has_timers = state is not None and any(head.id == chain for chain, _ in context.timers)
        self._now = clock()

    def begin(self) -> Iterator[Packet]:
        """Send the first chain, for each port, the last watermark of the previous micro-batch, if any."""
        for port, watermarks in self._watermarks.items():
            if watermarks.time > MIN_WATERMARK:
                yield from self._runner.send(Watermark(watermarks.time, BEFORE_ALL), port)

    def add(self, packet: Packet) -> Iterator[Packet]:
        """Add a packet. Send rows that precede all later packets to the first chain, and yield its packets.

        Rows may wait for the next calls, so that more of them are sent together.
        """
        return self._send(partial(self._merger.add, packet))

    def finish(self) -> Iterator[Packet]:
        """End the micro-batch, and yield the last packets."""
        yield from self._send(self._merger.finish)
        for port, watermarks in self._watermarks.items():
            if (time := watermarks.fall_silent()) is not None:
                yield from self._runner.send(Watermark(time, LAST_SEQUENCE, self._sub_sequence), port)
        for port, time in follow_live_inputs(self._watermarks).items():
            yield from self._runner.send(Watermark(time, LAST_SEQUENCE, self._sub_sequence), port)
        if self._kept is not None:
            self._kept.save(self._watermarks)
        ended = bool(self._watermarks) and all(watermarks.ended for watermarks in self._watermarks.values())
        yield from self._runner.finish(self._ends or ended)
        if self._has_timers:
            timer = None if ended else self._next_timer()
            yield Packet(0, FIRST, 0, 0, json.dumps([*self._task, timer]).encode(), TIMER)

    def _send(self, merged: Callable[[], Iterable[PortBatch | Message]]) -> Iterator[Packet]:
        """Send merged messages to the first chain, and yield the packets that result."""
        for message in self._runner.counters[0].measure(merged):
            yield from self._runner.send(message)

    def _next_timer(self) -> int | None:
        """Return when the next timer is due or the next channel becomes idle; None if there is neither.

        The time is in milliseconds of processing time, and after the current micro-batch.
        """
        times = [
            self._runner.next_timer(),
            *(watermarks.next_timer() for watermarks in self._watermarks.values()),
        ]
        time = earliest(times)
        return None if time is None else max(time, self._now + 1)  # timers due by `_now` have fired already
