"""A job without Spark: its tasks one after the other in this process, packets handed over as the hosts do it.

So a property can hold that any cutting into micro-batches, splits and key groups gives the same changes.
"""

from __future__ import annotations

from collections.abc import Sequence
from unittest.mock import patch

import pyarrow as pa

from firesteel.changelog import KIND, SEQUENCE
from firesteel.connectors.base import Split
from firesteel.job.spec import JobSpec, sink_id
from firesteel.job.topology import exchanges, is_keyed, source_numbers, stages
from firesteel.runtime.dataflow import ports
from firesteel.runtime.dataflow.counters import LATE
from firesteel.runtime.dataflow.packets import CHANGES, COUNTERS, Packet, merge
from firesteel.runtime.dataflow.sequence import row_sequences, split_number, sub_sequence_bits
from firesteel.runtime.state.backend import SortedRunBackend
from firesteel.runtime.state.memory import MemoryStore
from firesteel.spark.errors import raise_failure
from firesteel.spark.task.context import TaskContext, TaskId, contexts_of
from firesteel.spark.task.counters import read_counters
from firesteel.spark.task.source_task import SourceTask
from firesteel.spark.task.stage_task import StageTask

Splits = Sequence[pa.Table]
"""What the splits of a source have in a micro-batch: fields f0, f1... and `$kind`."""


def cut(rows: pa.Table, *batches: Sequence[int]) -> list[Splits]:
    """The rows in micro-batches of splits of these sizes; what is left over is one more of each."""
    found: list[Splits] = []
    start = 0
    for sizes in batches:
        splits = []
        for size in sizes:
            splits.append(rows.slice(start, size))
            start += splits[-1].num_rows
        found.append(splits)
    return found if found and start == rows.num_rows else [*found, [rows.slice(start)]]


def run(
    job: JobSpec, sources: Sequence[Sequence[Splits]], targets: int = 1, now: int = 1, channels: int = 1
) -> list[pa.Table]:
    """The changes of the job's first sink, micro-batch by micro-batch. sources: for each that the job reads,
    its splits in each micro-batch; in the last of its own it ends. targets: key groups. channels: of each
    source; its splits are of one after the other."""
    return _Run(job, targets, now, channels).batches(sources)


def late_rows(job: JobSpec, sources: Sequence[Sequence[Splits]], targets: int = 1) -> int:
    """How many rows the job tells that it dropped."""
    whole = _Run(job, targets, 1)
    whole.batches(sources)
    return whole.late


def dead_letters(job: JobSpec, sources: Sequence[Sequence[Splits]], targets: int = 1) -> list[pa.Table]:
    """The rows of the job's second sink, which is that of dead letters."""
    whole = _Run(job, targets, 1)
    whole.batches(sources)
    return whole.letters


class _Run:
    def __init__(self, job: JobSpec, targets: int, now: int, channels: int = 1) -> None:
        self._channels = range(channels)
        self._numbers = source_numbers(job)
        self._job = job
        self._targets = targets
        self._stages = stages(job)
        common = TaskContext(self._stages[0][0], targets, sub_sequence_bits(exchanges(job)), now)
        self._first, *self._later = contexts_of(job, common, self._stages, lambda _: self._channels)
        self.late = 0
        self.letters: list[pa.Table] = []
        self._stores = [[MemoryStore() for _ in range(targets)] for _ in self._later]

    def batches(self, sources: Sequence[Sequence[Splits]]) -> list[pa.Table]:
        found = []
        for number in range(max(map(len, sources))):
            packets: list[Packet] = []
            for source, work in enumerate(self._first):
                given, numbers = sources[source], self._numbers[work.fragment.head.id]
                if number < len(given):
                    packets += self._read(work, given[number], numbers, number, number == len(given) - 1)
            for stage, works in enumerate(self._later):
                packets = self._stage(stage, works, packets, number)
            for packet in packets:
                raise_failure(packet)
                if packet.holds == COUNTERS:
                    self.late += sum(
                        step[LATE] for _, steps in read_counters(packet).chains for step in steps
                    )
            found += merge(_of_sink(packets, 0))
            self.letters += merge(_of_sink(packets, 1))
        return found

    def _read(
        self, work: TaskContext, splits: Splits, numbers: range, batch: int, ends: bool
    ) -> list[Packet]:
        task, packets = SourceTask(work), []
        for index, rows in enumerate(splits):
            split = split_number(numbers, index)
            table = rows.add_column(1, SEQUENCE, row_sequences(split, 0, rows.num_rows))
            task_id = TaskId(batch, index=split, channel=index % len(self._channels))
            packets += task.of_tables(lambda table=table: [table], task_id)
        for channel in self._channels if ends and work.watermarked else ():
            split = split_number(numbers, len(splits) + channel)
            packets += task.packets([Split(split, {}, True, channel)], batch)
        return packets

    def _stage(
        self, stage: int, works: tuple[TaskContext, ...], packets: list[Packet], batch: int
    ) -> list[Packet]:
        found: list[Packet] = []
        for target in range(self._targets if is_keyed(self._job, self._stages[stage + 1]) else 1):
            own = sorted((packet for packet in packets if packet.target == target), key=_first)
            if not own:
                continue
            state = SortedRunBackend.open(self._stores[stage][target])
            with patch.object(ports, "TOGETHER", 0):  # what is cut comes cut
                found += StageTask(works).packets(own, state, TaskId(batch, index=target))
            state.commit()
        return found


def _of_sink(packets: Sequence[Packet], number: int) -> list[Packet]:
    return sorted((p for p in packets if p.to == sink_id(number) and p.holds == CHANGES), key=_first)


def _first(packet: Packet) -> object:
    return packet.first


def changes(kinds: Sequence[int], *columns: pa.Array) -> pa.Table:
    """The rows of a source."""
    names = [KIND, *(f"f{i}" for i in range(len(columns)))]
    return pa.Table.from_arrays([pa.array(kinds, pa.int8()), *columns], names=names)
