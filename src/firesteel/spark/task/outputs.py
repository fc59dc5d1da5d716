"""Outputs of chains whose messages leave the task: in packets, or to a sink."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import chain
from time import perf_counter_ns
from typing import Protocol

import numpy as np
import pyarrow as pa

from firesteel.connectors.base import Commits
from firesteel.connectors.dead_letters import LetterSource
from firesteel.connectors.refused_rows import Refusals
from firesteel.connectors.registry import open_sink
from firesteel.job.spec import Output, sink_id
from firesteel.job.watermark_routing import channel_id
from firesteel.runtime.dataflow.counters import Counters, bytes_of, rows_of
from firesteel.runtime.dataflow.operator import (
    BEFORE_ALL,
    MAX_WATERMARK,
    Message,
    Watermark,
    WatermarkedBatch,
)
from firesteel.runtime.dataflow.packets import FIRST, WRITTEN, Packer, Packet
from firesteel.runtime.dataflow.sequence import Numbers
from firesteel.spark.sink_task import job_of
from firesteel.spark.task.context import TaskContext, TaskId
from firesteel.spark.task.counters import TaskCounters
from firesteel.spark.task.dead_letters import DeadLetterOutput, sink_of_rows
from firesteel.spark.task.row_checks import RowChecks
from firesteel.spark.task.sink_sample import SinkSample


class ChainOutput(Protocol):
    """Receiver of the messages of a chain. `close` is called last, once for each task and micro-batch."""

    def send(self, message: Message, port: int = 0) -> Iterator[Packet]: ...

    def barrier(self) -> Iterator[Packet]: ...

    def end(self) -> Iterator[Packet]: ...

    def close(self) -> Iterator[Packet]: ...


class TerminalOutput:
    """Output whose messages leave the task.

    Args:
        task: Counters of the task, in which the last watermark is recorded.
        own: Counters of the output step. Several outputs of one chain share them.
        refused: Output of rows that cannot be written; None if the first such row ends the job.
    """

    def __init__(self, task: TaskCounters, own: Counters, refused: DeadLetterOutput | None = None) -> None:
        self._task = task
        self._own = own
        self._refused = refused

    def send(self, message: Message, port: int = 0) -> Iterator[Packet]:
        packets = self._sent(message)
        return packets if self._refused is None else chain(packets, self._refused.flush())

    def _sent(self, message: Message) -> Iterator[Packet]:
        self._own.rows_in += rows_of(message)
        self._task.sent += bytes_of(message)
        if isinstance(message, Watermark):
            self.watermarks(np.array([message.sequence]), np.array([message.time]))
            return iter(())
        if isinstance(message, WatermarkedBatch):
            packets = self._timed(lambda: self.rows(message.table))
            self.watermarks(message.sequences, message.times)
            return packets
        return self._timed(lambda: self.rows(message))

    def barrier(self) -> Iterator[Packet]:
        return iter(())

    def end(self) -> Iterator[Packet]:
        return iter(())

    def close(self) -> Iterator[Packet]:
        packets = self._timed(self.rest)
        return packets if self._refused is None else chain(packets, self._refused.close())

    def rows(self, changes: pa.Table) -> list[Packet]:
        """Take rows. Return the packets that are full now: [] if the rows go to a sink within this task."""
        return []

    def rest(self) -> list[Packet]:
        """Return the packets that remain at the end of the micro-batch."""
        return []

    def watermarks(self, sequences: Numbers, times: Numbers) -> None:
        """Record the last watermark for the job's progress. MAX_WATERMARK, the end of input, is left out."""
        known = times[times != MAX_WATERMARK]
        if len(known):
            self._task.watermark = max(self._task.watermark, int(known[-1]))

    def _timed(self, packets: Callable[[], list[Packet]]) -> Iterator[Packet]:
        begun = perf_counter_ns()
        found = packets()
        self._own.busy += perf_counter_ns() - begun
        self._own.rows_out += sum(packet.rows for packet in found)
        return iter(found)


class PacketOutput(TerminalOutput):
    """Output that packs messages for other tasks or for the driver.

    Args:
        packer: Collector of the rows.
        task: Counters of the task.
        own: Counters of the output step.
        checks: Check of rows before they are packed; None for none.
        sample: The last rows, for the web page, if they go to a sink. None if they go to a chain or to the
            caller of a query.
    """

    def __init__(
        self, packer: Packer, task: TaskCounters, own: Counters, checks: RowChecks | None = None,
        sample: SinkSample | None = None,
    ) -> None:  # fmt: skip
        super().__init__(task, own, None if checks is None else checks.refused)
        self._packer = packer
        self._checks = checks
        self._sample = sample

    def rows(self, changes: pa.Table) -> list[Packet]:
        changes = changes if self._checks is None else self._checks.accepted(changes)
        if self._sample is not None:
            self._sample.add(changes)
        return self._packer.add(changes)

    def watermarks(self, sequences: Numbers, times: Numbers) -> None:
        super().watermarks(sequences, times)
        # A watermark with the sequence BEFORE_ALL repeats one of the previous micro-batch. It is not sent
        # again, because its receivers have kept it in their state.
        new = sequences > BEFORE_ALL
        self._packer.add_watermarks(sequences[new], times[new])

    def rest(self) -> list[Packet]:
        return [*self._packer.flush(), *(() if self._sample is None else self._sample.packets())]


class SinkOutput(TerminalOutput):
    """Output that writes rows to a sink within this task.

    Args:
        context: Context of the task.
        number: Number of the sink in the job.
        id: Identity of the task.
        task: Counters of the task.
        own: Counters of the output step.
        checks: Check of rows before they are written.
    """

    def __init__(
        self, context: TaskContext, number: int, id: TaskId, task: TaskCounters, own: Counters,
        checks: RowChecks,
    ) -> None:  # fmt: skip
        super().__init__(task, own, checks.refused)
        self._checks = checks
        self._sink = open_sink(context.fragment.sinks[number])
        self._sink.refusals = None if checks.refused is None else Refusals()
        self._sink.open_task(job_of(context.job, number), id.batch, id.number)
        self._to = sink_id(number)
        self._sample = SinkSample(context.watched, number)
        self._rows = 0

    def rows(self, changes: pa.Table) -> list[Packet]:
        changes = self._checks.accepted(changes)
        self._sample.add(changes)
        self._sink.write(changes)
        refused = [] if self._sink.refusals is None else self._sink.refusals.take()
        self._checks.note(refused)
        self._rows += changes.num_rows - len(refused)
        return []

    def rest(self) -> list[Packet]:
        token = self._sink.close_task().encode()
        return [Packet(0, FIRST, self._rows, 0, token, WRITTEN, to=self._to), *self._sample.packets()]


def terminal_output(
    context: TaskContext, output: Output, id: TaskId, task: TaskCounters, own: Counters
) -> TerminalOutput:
    """Return the output to a chain behind an exchange, to a sink, or to the caller of a query.

    There are three kinds of sinks:

    - The sink writes on the driver: packets carry the rows to the driver, as for the caller of a query.
    - Tasks write, the driver commits: this task writes the rows at once. Readers do not see them before the
      driver's commit, so a failed batch can be aborted.
    - Tasks commit: a commit must wait until no task of the batch can fail any more. So packets carry the rows
      to the sink's own tasks, which begin after all other tasks.
    """
    if output.to >= 0:
        return PacketOutput(_packer(context, output, id, task), task, own)
    number = sink_id(output.to)
    spec = context.fragment.sinks[number]
    checks = RowChecks(spec, id, _refused_output(context, number, id))
    sink = None if spec.connector is None else open_sink(spec)
    sample = None if sink is None else SinkSample(context.watched, number)
    if sink is None or sink.on_driver:
        return PacketOutput(Packer((), 1, 0, id.number, output.to), task, own, checks, sample)
    if sink.commits is Commits.DRIVER:
        return SinkOutput(context, number, id, task, own, checks)
    home = id.index % context.targets
    packer = Packer(spec.primary_key, context.targets, 0, id.number, output.to, home=home)
    return PacketOutput(packer, task, own, checks, sample)


def letter_output(context: TaskContext, id: TaskId, output: Output) -> TerminalOutput:
    """Return an output of dead letters. The counters of the chain's steps do not include them."""
    return terminal_output(context, output, id, TaskCounters(), Counters())


def _refused_output(context: TaskContext, sink: int, id: TaskId) -> DeadLetterOutput | None:
    """Return the output of rows that a sink refuses; None if the first refused row ends the job."""
    spec, number = context.fragment.sinks[sink], sink_of_rows(context.fragment.sinks)
    if number is None or spec.takes_dead_letters or spec.connector is None:
        return None
    source = LetterSource(spec.table, job_of(context.job, sink))
    return DeadLetterOutput(context, id, source, number, partial(letter_output, context, id))


def _packer(context: TaskContext, output: Output, id: TaskId, task: TaskCounters) -> Packer:
    targets = context.targets if output.keys else 1
    channel = channel_id(id.chain, id.channel) if output.to in context.watermarked else None
    has_sketch = bool(output.keys) and context.observer is None
    sketch = task.sketch(output.to, output.port, output.keys) if has_sketch else None
    return Packer(
        output.keys, targets, context.sub_sequence_bits, id.number, output.to, output.port, channel=channel,
        sketch=sketch,
    )  # fmt: skip
