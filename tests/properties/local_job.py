"""A whole job in this process, without Spark: the chains of all stages over packets, in micro-batches.

The rows of tables are given as changes. State lies in a run store for each stage and key group and is opened
anew in each micro-batch, as the stream host does.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import pyarrow as pa

from firesteel.connectors.base import Split
from firesteel.job.spec import ChainSpec, JobSpec, sink_id
from firesteel.job.topology import exchanges, source_numbers, stages
from firesteel.runtime.dataflow.packets import CHANGES, WATERMARKED, Packet, merge
from firesteel.runtime.dataflow.sequence import split_number, sub_sequence_bits
from firesteel.runtime.spec.tables import ScanSpec
from firesteel.runtime.state.backend import SortedRunBackend
from firesteel.runtime.state.memory import MemoryStore
from firesteel.spark.errors import raise_failure
from firesteel.spark.task.context import TaskContext, TaskId, contexts_of
from firesteel.spark.task.source_task import SourceTask
from firesteel.spark.task.stage_task import StageTask
from tests.runtime.changes import Row, to_rows, to_table

FIRST_TIME = 1_700_000_000_000
"""Processing time of the first micro-batch, in milliseconds."""
BATCH_TIME = 10_000
"""Milliseconds between micro-batches."""


@dataclass(frozen=True)
class Rows:
    """Changes of one table, and the names of its columns.

    Attributes:
        names: The columns.
        changes: The changes, each a row kind and the values of all columns.
    """

    names: tuple[str, ...]
    changes: Sequence[Row]


@dataclass
class LocalJob:
    """A job that runs in this process.

    Args:
        job: The job. Its rows go to the caller.
        tables: The changes of each table, by the last part of its name.
        targets: Number of key groups.
    """

    job: JobSpec
    tables: Mapping[str, Rows]
    targets: int = 1
    _stores: dict[tuple[int, int], MemoryStore] = field(default_factory=lambda: defaultdict(MemoryStore))

    def sources(self) -> dict[int, str]:
        """Return the table that each source chain reads. Chains that read literal rows are left out."""
        return {
            chain.id: chain.source.table.rpartition(".")[2]
            for chain in self.job.chains
            if isinstance(chain.source, ScanSpec)
        }

    def at_once(self) -> list[Row]:
        """Run as the batch host does: all rows in one micro-batch, state in the tasks."""
        everything = {chain: (0, len(self.tables[name].changes)) for chain, name in self.sources().items()}
        return list(self._batch(0, everything, first=True, last=True, stored=False))

    def in_batches(self, cuts: Iterable[Mapping[int, int]]) -> Iterator[list[Row]]:
        """Run as the stream host does, and yield the changes of each micro-batch.

        Args:
            cuts: For each micro-batch how many rows each source chain reads. All that is left then is read
                in one more micro-batch.
        """
        sources = self.sources()
        ends = {chain: len(self.tables[name].changes) for chain, name in sources.items()}
        at = dict.fromkeys(sources, 0)
        number = 0
        for cut in cuts:
            to = {chain: min(at[chain] + cut.get(chain, 0), ends[chain]) for chain in sources}
            yield list(self._batch(number, {c: (at[c], to[c]) for c in sources}, first=number == 0))
            at, number = to, number + 1
        rest = {chain: (at[chain], ends[chain]) for chain in sources}
        yield list(self._batch(number, rest, first=number == 0, last=True))

    def _batch(
        self,
        number: int,
        pieces: Mapping[int, tuple[int, int]],
        first: bool,
        last: bool = False,
        stored: bool = True,
    ) -> Iterator[Row]:
        for table in self.tables_of_batch(number, pieces, first, last, stored):
            yield from to_rows(table.select([name for name in table.column_names if name != "$place"]))

    def tables_of_batch(
        self,
        number: int,
        pieces: Mapping[int, tuple[int, int]],
        first: bool,
        last: bool = False,
        stored: bool = True,
    ) -> Iterator[pa.Table]:
        """Yield the changes of one micro-batch as changes tables.

        Args:
            number: Number of the micro-batch.
            pieces: For each source chain the rows [start, stop) that it reads.
            first: Whether this is the first micro-batch.
            last: Whether the input ends with it.
            stored: Whether the state is kept for the next one.
        """
        staged = stages(self.job)
        common = TaskContext(
            staged[0][0], self.targets, sub_sequence_bits(exchanges(self.job)), ends=last and not stored
        )
        now = FIRST_TIME + number * BATCH_TIME
        begin, *later = contexts_of(self.job, common, staged, lambda source: [0])
        packets = [p for work in begin for p in self._read(work.at(now), number, pieces, first, last)]
        for works in later:
            task = StageTask(tuple(work.at(now) for work in works))
            packets = list(self._stage(task, packets, number, stored))
        for packet in packets:
            raise_failure(packet)
        out = [
            packet for packet in packets if packet.to == sink_id(0) and packet.holds in (CHANGES, WATERMARKED)
        ]
        yield from merge(sorted(out, key=lambda packet: packet.first))

    def _read(
        self, work: TaskContext, batch: int, pieces: Mapping[int, tuple[int, int]], first: bool, last: bool
    ) -> Iterator[Packet]:
        head = work.fragment.head
        numbers = source_numbers(self.job)[head.id]
        task, split = SourceTask(work), split_number(numbers, 0)
        if isinstance(head.source, ScanSpec):
            table = self.read(head, *pieces[head.id], split << 36)
            yield from task.of_tables(lambda: [table] if table.num_rows else [], TaskId(batch, index=split))
        elif first:
            yield from task.packets([Split(split, {})], batch)
        if last and work.watermarked:
            yield from task.packets([replace(Split(split_number(numbers, 1), {}), ends=True)], batch)

    def read(self, head: ChainSpec, start: int, stop: int, order: int) -> pa.Table:
        """Return the rows [start, stop) that a source chain reads, as changes from a first `$order` on."""
        scan = head.source
        assert isinstance(scan, ScanSpec)
        kinds = [scan.types[at] for at in scan.projection]
        return to_table(self._projected(scan, start, stop), kinds, order)

    def _projected(self, scan: ScanSpec, start: int, stop: int) -> list[Row]:
        rows = self.tables[scan.table.rpartition(".")[2]]
        at = [1 + rows.names.index(scan.names[i]) for i in scan.projection]
        return [(row[0], *(row[i] for i in at)) for row in rows.changes[start:stop]]

    def _stage(
        self, task: StageTask, packets: Sequence[Packet], batch: int, stored: bool
    ) -> Iterator[Packet]:
        for target in sorted({packet.target for packet in packets}):
            own = sorted((p for p in packets if p.target == target), key=lambda packet: packet.first)
            store = self._stores[task.number, target]
            state = SortedRunBackend.open(store) if stored else None
            yield from task.packets(own, state, TaskId(batch, index=target))
            if state is not None:
                state.commit()
