"""In-process host: runs a job in this process without Spark, one micro-batch at a time.

It runs the tasks of the other hosts, one after another, with the same packets between them. So its changes
are those of the stream host for the same micro-batches. The caller passes the rows and the time of each
micro-batch. Only the first sink of the job counts: its changes go to the caller and are written nowhere.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import pyarrow as pa

from firesteel.changelog import SEQUENCE
from firesteel.connectors.base import Split
from firesteel.job.spec import ChainSpec, JobSpec, sink_id
from firesteel.job.topology import exchanges, source_numbers, stages
from firesteel.runtime.dataflow.observed_chain import Observer
from firesteel.runtime.dataflow.packets import CHANGES, WATERMARKED, Packet, Position, merge
from firesteel.runtime.dataflow.sequence import row_sequences, split_number, sub_sequence_bits
from firesteel.runtime.spec.tables import ScanSpec, ValuesSpec
from firesteel.runtime.state.backend import SortedRunBackend
from firesteel.runtime.state.contents import Contents
from firesteel.runtime.state.memory import MemoryStore
from firesteel.spark.errors import raise_failure
from firesteel.spark.task.context import TaskContext, TaskId, contexts_of
from firesteel.spark.task.source_task import SourceTask
from firesteel.spark.task.splits import bounded_splits, open_head
from firesteel.spark.task.stage_task import StageTask


@dataclass(frozen=True)
class MicroBatch:
    """The input of one micro-batch.

    Attributes:
        rows: The rows that each source chain reads, by the chain's id, as a changes table without sequences.
            Chains without rows may be left out.
        now: Processing time in milliseconds.
        ends: Whether the input ends with this micro-batch.
    """

    rows: Mapping[int, pa.Table]
    now: int
    ends: bool = False


class InProcessJob:
    """A job that runs in this process. Its state is in memory, as runs and manifests like on the stream host.

    Args:
        job: The job. The changes of its first sink go to the caller.
        key_groups: Number of key groups.
        at_once: Whether one micro-batch has the whole input. The job then runs as on the batch host, where
            operators hold their state as Python objects and write it to no store.
        channels: Function that returns the watermark channels of a source; one channel if not given.
        observer: Object that gets the rows and watermarks that each operator gets or sends; None for none.
    """

    def __init__(
        self,
        job: JobSpec,
        key_groups: int = 1,
        *,
        at_once: bool = False,
        channels: Callable[[ScanSpec | ValuesSpec], Sequence[int]] = lambda source: [0],
        observer: Observer | None = None,
    ) -> None:
        first, *others = job.sinks
        self.job = replace(job, sinks=(replace(first, connector=None), *others))
        staged = stages(self.job)
        bits = sub_sequence_bits(exchanges(self.job))
        common = TaskContext(staged[0][0], key_groups, bits, ends=at_once, observer=observer)
        self._at_once = at_once
        self._first, *self._later = contexts_of(self.job, common, staged, channels)
        self._numbers = source_numbers(self.job)
        self._stores: dict[tuple[int, int], MemoryStore] = defaultdict(MemoryStore)
        self._batches = 0

    def scans(self) -> dict[int, ScanSpec]:
        """Return the scan of each chain that reads a table, by the chain's id."""
        return {chain.id: chain.source for chain in self.job.chains if isinstance(chain.source, ScanSpec)}

    def run(self, batch: MicroBatch) -> Iterator[pa.Table]:
        """Run a micro-batch, and yield its changes as changes tables, in order.

        Raises:
            FiresteelError: An operator fails on a row.
        """
        number, self._batches = self._batches, self._batches + 1
        packets = [packet for context in self._first for packet in self._read(context, batch, number)]
        if number:
            packets += self.tick()  # fires due timers of earlier micro-batches
        packets = self.run_later_stages(packets, number, batch.now)
        own = [p for p in packets if p.to == sink_id(0) and p.holds in (CHANGES, WATERMARKED)]
        yield from merge(sorted(own, key=_position))

    @property
    def sources(self) -> tuple[TaskContext, ...]:
        """Contexts of the fragments that read sources, in the order of the sources in the job.

        Offsets in Spark's log are in this order, too.
        """
        return self._first

    def numbers(self, chain: int) -> range:
        """Return the numbers that the splits of the chain's source have in each micro-batch.

        Sequences of rows follow from these numbers, so the ranges of two sources do not overlap.

        Args:
            chain: Id of the chain.
        """
        return self._numbers[chain]

    def states(self) -> Iterator[Contents]:
        """Yield the states of each stage and key group after the last micro-batch."""
        for store in self._stores.values():
            manifest = store.manifest()
            if manifest is not None:
                yield Contents.read(manifest, store.runs.__getitem__)

    def tick(self) -> Iterator[Packet]:
        """Yield the packets that make due timers fire."""
        return SourceTask(self._first[0]).tick()

    def run_later_stages(self, packets: Iterable[Packet], number: int, now: int) -> list[Packet]:
        """Run all stages after the first one, and return the packets for sinks and the driver.

        Args:
            packets: Packets of the first stage.
            number: Number of the micro-batch.
            now: Processing time in milliseconds.

        Raises:
            FiresteelError: An operator or a source has failed.
        """
        left = list(packets)
        for contexts in self._later:
            task = StageTask(tuple(context.at(now) for context in contexts))
            left = list(self._stage(task, left, number))
        for packet in left:
            raise_failure(packet)
        return left

    def _read(self, context: TaskContext, batch: MicroBatch, number: int) -> Iterator[Packet]:
        """Yield the packets of one source chain."""
        chain = context.fragment.head
        numbers = self._numbers[chain.id]
        task, split = SourceTask(context.at(batch.now)), split_number(numbers, 0)
        if isinstance(chain.source, ScanSpec):
            rows = _numbered(batch.rows.get(chain.id), split)
            yield from task.of_tables(lambda: rows, TaskId(number, index=split))
        elif not number:
            yield from task.packets([Split(split, {})], number)
        if batch.ends and context.watermarked:
            yield from task.packets([replace(Split(split_number(numbers, 1), {}), ends=True)], number)

    def _stage(self, task: StageTask, packets: Sequence[Packet], number: int) -> Iterator[Packet]:
        for target in sorted({packet.target for packet in packets}):
            own = sorted((packet for packet in packets if packet.target == target), key=_position)
            state = None if self._at_once else SortedRunBackend.open(self._stores[task.number, target])
            yield from task.packets(own, state, TaskId(number, index=target))
            if state is not None:
                state.commit()


def read_bounded(job: JobSpec) -> dict[int, pa.Table]:
    """Return all rows of each bounded source of a job, by chain, as changes tables without sequences.

    Raises:
        FiresteelError: A source cannot be read.
    """
    numbers = source_numbers(job)
    return {
        chain.id: _read_all(chain, numbers[chain.id])
        for chain in job.chains
        if isinstance(chain.source, ScanSpec)
    }


def _read_all(chain: ChainSpec, numbers: range) -> pa.Table:
    assert isinstance(chain.source, ScanSpec)
    source = open_head(chain.source)
    tables = [table for split in bounded_splits(chain.source, 1, numbers) for table in source.read(split)]
    if not tables:
        return pa.table({})
    return pa.concat_tables(tables).drop_columns([SEQUENCE]).combine_chunks()


def _numbered(rows: pa.Table | None, split: int) -> list[pa.Table]:
    """Return a list with the table of rows and their sequences in split `split`; [] if there are no rows."""
    if rows is None or not rows.num_rows:
        return []
    return [rows.add_column(1, SEQUENCE, row_sequences(split, 0, rows.num_rows))]


def _position(packet: Packet) -> Position:
    return packet.first
