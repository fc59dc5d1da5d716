"""A whole job on the in-process host, over rows of tables that are given as changes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import pyarrow as pa

from firesteel.changelog import SEQUENCE
from firesteel.job.spec import ChainSpec, JobSpec
from firesteel.runtime.spec.tables import ScanSpec
from firesteel.spark.in_process.host import InProcessJob, MicroBatch
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
    _running: InProcessJob | None = None

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
        if first:
            self._running = InProcessJob(self.job, self.targets, at_once=not stored)
        assert self._running is not None
        rows = {
            chain.id: self.read(chain, *pieces[chain.id])
            for chain in self.job.chains
            if isinstance(chain.source, ScanSpec)
        }
        now = FIRST_TIME + number * BATCH_TIME
        yield from self._running.run(MicroBatch(rows, now, ends=last))

    def read(self, head: ChainSpec, start: int, stop: int) -> pa.Table:
        """Return the rows [start, stop) that a source chain reads, as changes without sequences."""
        scan = head.source
        assert isinstance(scan, ScanSpec)
        kinds = [scan.types[at] for at in scan.projection]
        return to_table(self._projected(scan, start, stop), kinds).drop_columns([SEQUENCE])

    def _projected(self, scan: ScanSpec, start: int, stop: int) -> list[Row]:
        rows = self.tables[scan.table.rpartition(".")[2]]
        at = [1 + rows.names.index(scan.names[i]) for i in scan.projection]
        return [(row[0], *(row[i] for i in at)) for row in rows.changes[start:stop]]
