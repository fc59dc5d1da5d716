"""Storage of the rows that sinks refuse while they commit, and their way to the dead-letter table.

If a sink refuses rows of a partition, its task commits no row of this partition. The driver stores the
refused rows durably, and then runs the tasks again without them. A batch that is repeated after a crash
leaves out the stored rows, too. After the other sinks, the driver writes exactly the stored rows to the
dead-letter table.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import pyarrow as pa

from firesteel.connectors.base import Commits, Sink
from firesteel.connectors.dead_letters import LetterSource, letters_table
from firesteel.connectors.positions import Origin, PositionedSink
from firesteel.connectors.refused_rows import RefusedRows, from_json
from firesteel.job.spec import sink_id
from firesteel.runtime.dataflow.packets import Packer, Packet
from firesteel.runtime.spec.tables import SinkSpec
from firesteel.spark.sink_task import SinkTask, job_of
from firesteel.spark.task.row_checks import batch_position, letter_of

BySink = dict[int, RefusedRows]
"""Refused rows by the number of their sink."""


class RefusedRowStore(Protocol):
    """Store of the refused rows of the batch that is being delivered."""

    def of(self, batch: int, origin: Origin) -> BySink:
        """Return the refused rows that an earlier delivery of the batch has stored by `keep`."""
        ...

    def keep(self, batch: int, origin: Origin, rows: BySink) -> None:
        """Store all refused rows of a batch durably."""
        ...


class RefusedRowsInMemory:
    """Store of refused rows for a job without a checkpoint, whose batches are never repeated."""

    def of(self, batch: int, origin: Origin) -> BySink:
        return {}

    def keep(self, batch: int, origin: Origin, rows: BySink) -> None:
        return


class RefusedRowsSink:
    """The sink of a job that gets the rows that other sinks refuse while they commit.

    Args:
        specs: All sinks of the job.
        sinks: The opened sinks, by number.
        job: Name of the job.
        store: Store of the refused rows.

    Attributes:
        number: Number of this sink in the job; None if the job has no such sink. Then a refused row ends it.
    """

    def __init__(
        self, specs: Sequence[SinkSpec], sinks: Mapping[int, Sink], job: str, store: RefusedRowStore
    ) -> None:
        self.number = next((n for n, spec in enumerate(specs) if spec.takes_refused_rows), None)
        self._specs, self._sinks, self._job, self._store = specs, sinks, job, store
        self._rows: BySink = {}

    def begin(self, batch: int, origin: Origin) -> None:
        """Begin the delivery of a batch: load the refused rows that an earlier delivery of it has stored."""
        self._batch, self._origin = batch, origin
        self._rows = {} if self.number is None else self._store.of(batch, origin)

    def left_out(self, sink: int) -> RefusedRows | None:
        """Return the refused rows that a sink leaves out, by partition. None if a refusal ends the job."""
        if self.number is None or self._specs[sink].takes_dead_letters:
            return None
        return self._rows.get(sink, {})

    def count(self, sink: int) -> int:
        """Return the number of rows that a sink has refused."""
        return sum(map(len, self._rows.get(sink, {}).values()))

    def add(self, sink: int, packets: Sequence[Packet]) -> bool:
        """Keep the rows that the tasks of a sink have refused.

        Args:
            sink: Number of the sink.
            packets: Packets of the sink's tasks whose content is REFUSED.

        Returns:
            True if a task has committed nothing, because it refused rows. The tasks must then run again
            without these rows. False if the tasks have committed all rows but the refused ones.
        """
        again = False
        for packet in packets:
            value: Any = json.loads(packet.payload)
            again |= value["again"]
            for partition, rows in from_json(value["rows"]).items():
                own = self._rows.setdefault(sink, {}).setdefault(partition, [])
                numbers = {row.number for row in own}
                own += [row for row in rows if row.number not in numbers]
        if packets:
            self._store.keep(self._batch, self._origin, self._rows)
        return again

    def write(self) -> tuple[list[str], int]:
        """Write all refused rows of the batch to the dead-letter table.

        Returns:
            A list with one token, the text that Sink.close_task returns for the commit, and the number of
            rows; [] and 0 if no row is refused.
        """
        rows = sum(map(self.count, self._rows))
        if self.number is None or not rows:
            return [], 0
        table = self._table(self._specs[self.number])
        sink = self._sinks[self.number]
        if sink.commits is not Commits.DRIVER:
            return self._in_task(table), rows
        if isinstance(sink, PositionedSink):
            sink.begin_batch(self._origin)
        sink.open_task(job_of(self._job, self.number), self._batch, 0)
        sink.write(table)
        return [sink.close_task()], rows

    def _in_task(self, table: pa.Table) -> list[str]:
        assert self.number is not None
        packer = Packer((), 1, 0, 0, sink_id(self.number))
        packets = [*packer.add(table), *packer.flush()]
        task = SinkTask(self._specs[self.number], self.number, self._job, self._batch, self._origin)
        return task.tokens(task.of_all({0: packets}))

    def _table(self, spec: SinkSpec) -> pa.Table:
        """Return the refused rows of all sinks as rows of the dead-letter table."""
        tables, first = [], 0
        for number, by_partition in sorted(self._rows.items()):
            rows = [row for _, rows in sorted(by_partition.items()) for row in rows]
            letters = [letter_of(row, batch_position(self._batch)) for row in rows]
            times = [row.failed_at for row in rows]
            source = LetterSource(self._specs[number].table, job_of(self._job, number))
            tables.append(letters_table(letters, spec, source, times, 0, first))
            first += len(rows)
        return pa.concat_tables(tables)
