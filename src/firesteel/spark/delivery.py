"""Delivery of a finished batch on the driver: counters, errors, and packets for sinks or the caller.

Nothing of a batch is visible before all tasks of its operators have succeeded. Then the driver does this:

1. Run the tasks of the sinks that commit in tasks (sink_task.py). These tasks write and commit.
2. Write the rows of the sinks that write on the driver. Write refused rows to the dead-letter table.
3. Call `commit` of all sinks, which makes the rows of the sinks that commit on the driver visible.

If anything fails before step 3, all sinks abort the batch.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Any
from uuid import uuid4

import pyarrow as pa

from firesteel.connectors.base import ONCE, Commits, Sink, always
from firesteel.connectors.positions import Origin, PositionedSink
from firesteel.connectors.registry import open_sink
from firesteel.errors import FiresteelError
from firesteel.job.spec import sink_id
from firesteel.runtime.dataflow.packets import CHANGES, REFUSED, WRITTEN, Packet, merge
from firesteel.runtime.spec.tables import SinkSpec
from firesteel.spark.errors import raise_failure
from firesteel.spark.progress import Progress
from firesteel.spark.refused_rows import RefusedRowsInMemory, RefusedRowsSink, RefusedRowStore
from firesteel.spark.sink_task import SinkTask, job_of

RunTasks = Callable[[SinkTask], Iterable[Packet]]
"""Function that runs a sink's tasks over their packets, and returns packets with tokens or refused rows."""


OriginOf = Callable[[set[tuple[int, int]], set[int]], Origin]
"""Function that returns the origin of a batch: the range of source rows that the batch has read.

The arguments name the positions that sinks will record for the batch. The first argument has (sink number,
key group) for sinks that commit in tasks. The second has the numbers of sinks that commit on the driver.
"""


def _unknown(in_tasks: set[tuple[int, int]], on_driver: set[int]) -> Origin:
    """Return the unknown origin, for a job without a checkpoint."""
    return Origin()


class Delivery:
    """Delivery of the batches of one job to its sinks.

    Args:
        specs: The job's sinks, by number.
        progress: Counters of the job.
        job: Name by which the sinks know the job, the same after a restart. None for a job without a
            checkpoint, which gets a new name that begins with ONCE.
        guard: Raises an error if another run has taken over the job. It is called before each commit.
        refused: Store of the rows that sinks refuse; None for a job without a checkpoint.
    """

    def __init__(
        self,
        specs: Sequence[SinkSpec],
        progress: Progress,
        job: str | None = None,
        guard: Callable[[], None] = always,
        refused: RefusedRowStore | None = None,
    ) -> None:
        self.job = job or f"{ONCE}{uuid4().hex}"
        self._specs = specs
        self._guard = guard
        self._sinks = {n: open_sink(spec) for n, spec in enumerate(specs) if spec.connector is not None}
        for number, sink in self._sinks.items():
            sink.guard = guard
            sink.open(job_of(self.job, number))
        self._progress = progress
        store = refused or RefusedRowsInMemory()
        self._refused = RefusedRowsSink(specs, self._sinks, self.job, store)

    @property
    def in_tasks(self) -> list[int]:
        """The numbers of the sinks whose tasks commit."""
        return [number for number, sink in self._sinks.items() if sink.commits is not Commits.DRIVER]

    def identities(self) -> dict[str, dict[str, str]]:
        """Return, for the job's name at each sink, the ids of its tables and topics (Sink.identities)."""
        return {job_of(self.job, number): dict(sink.identities()) for number, sink in self._sinks.items()}

    def forgets_after(self) -> float | None:
        """Return the shortest time, in seconds, after which a sink forgets its batches; None for never."""
        found = (sink.forgets_after() for sink in self._sinks.values())
        return min((seconds for seconds in found if seconds is not None), default=None)

    def sink_forgets_after(self, name: str) -> float | None:
        """Return the seconds for which a sink remembers its batches, or None if it never forgets.

        Args:
            name: The job's name at the sink.
        """
        return self._named(name)[1].forgets_after()

    @property
    def positioned(self) -> dict[str, PositionedSink]:
        """The sinks that record positions, by the job's name at the sink."""
        return {
            job_of(self.job, number): sink
            for number, sink in self._sinks.items()
            if isinstance(sink, PositionedSink) and sink.notes
        }

    def is_extra(self, name: str) -> bool:
        """Return whether a sink is the dead-letter table for rows that other sinks refuse.

        `Origin.parts`, the number of positions that sinks record for a batch, leaves out those of this table.

        Args:
            name: The job's name at the sink.
        """
        return self._named(name)[0] == self._refused.number

    def table(self, name: str) -> str:
        """Return the path of a sink's table. `name` is the job's name at the sink."""
        return self._specs[self._named(name)[0]].table

    def _named(self, name: str) -> tuple[int, Sink]:
        """Return the number of a sink, and the sink. `name` is the job's name at the sink."""
        return next(pair for pair in self._sinks.items() if job_of(self.job, pair[0]) == name)

    def deliver(
        self, packets: Iterable[Packet], batch: int, run: RunTasks, origin_of: OriginOf = _unknown
    ) -> Iterator[pa.Table]:
        """Commit a batch at all sinks, and yield in order the changes of outputs without a connector.

        Args:
            packets: All packets of the batch, without the rows for sinks that commit in tasks.
            batch: Number of the batch.
            run: Runs the tasks of a sink that commits in tasks.
            origin_of: Returns the origin of the batch. Called before the first sink commits.

        Raises:
            FiresteelError: The error in a packet, raised before anything of the batch is visible.
        """
        tokens: dict[int, list[str]] = {number: [] for number in self._sinks}
        try:
            ordered = sorted(packets, key=lambda packet: packet.first)
            for packet in ordered:
                if packet.holds == WRITTEN:
                    tokens[sink_id(packet.to)].append(packet.payload.decode())
            for packet in ordered:
                raise_failure(packet)
            if batch > self._progress.counted:
                for packet in ordered:
                    self._progress.add(packet)
                self._progress.counted = batch
            rows = Counter[int]()
            for packet in ordered:
                rows[packet.to] += packet.rows
            origin = origin_of(self._notes_of_tasks(ordered), self._notes_of_driver(tokens))
            self._refused.begin(batch, origin)
            for number in self.in_tasks:
                if number != self._refused.number:
                    tokens[number] += self._run(number, batch, origin, run)
                    self._count(number, batch, rows[sink_id(number)] - self._refused.count(number))
            self._guard()
            yield from self._on_driver(ordered, batch, tokens)
            self._write_refused(batch, tokens, rows)
        except BaseException:
            self.abort(batch, tokens)
            raise
        for number, sink in self._sinks.items():
            self._guard()
            if isinstance(sink, PositionedSink):
                sink.begin_batch(origin)
            sink.commit(batch, tokens[number])
            if sink.commits is Commits.DRIVER:
                self._count(number, batch, rows[sink_id(number)])

    def _count(self, number: int, batch: int, rows: int) -> None:
        """Count the rows of a batch that a sink has committed."""
        is_dead = self._specs[number].takes_dead_letters
        self._progress.add_sink(number, batch, rows, dead_letters=is_dead)

    def _notes_of_tasks(self, packets: Iterable[Packet]) -> set[tuple[int, int]]:
        """Return the (sink number, key group) pairs for which tasks of sinks record positions in this batch.

        A sink has a pair for each key group with rows for it, if it commits in tasks and records positions.
        """
        noting = {sink_id(n): n for n, s in self._noting() if s.commits is not Commits.DRIVER}
        return {
            (noting[packet.to], packet.target)
            for packet in packets
            if packet.to in noting and packet.holds == CHANGES and packet.rows
        }

    def _notes_of_driver(self, tokens: dict[int, list[str]]) -> set[int]:
        """Return the numbers of the sinks that commit on the driver and will record a position for the batch.

        Args:
            tokens: For each sink number, the tokens of the tasks that have written the batch's rows.
        """
        return {
            number
            for number, sink in self._noting()
            if sink.commits is Commits.DRIVER and sink.takes_part(tokens[number])
        }

    def _noting(self) -> Iterator[tuple[int, Any]]:
        for number, sink in self._sinks.items():
            if isinstance(sink, PositionedSink) and sink.notes:
                yield number, sink

    def abort(self, batch: int, tokens: dict[int, list[str]] | None = None) -> None:
        """Abort a failed batch at all sinks.

        Args:
            batch: Number of the batch.
            tokens: Tokens of the tasks that have ended, by the number of the sink; None if there are none.
        """
        for number, sink in self._sinks.items():
            with suppress(FiresteelError):  # Another run, if it has taken over, cleans up.
                sink.abort(batch, (tokens or {}).get(number, []))

    def end_run(self) -> None:
        """Let the sinks remove their records of a job that no later run will continue."""
        for sink in self._sinks.values():
            with suppress(FiresteelError):  # Records that stay are removed after a week, by another job.
                sink.end_run()

    def _run(self, number: int, batch: int, origin: Origin, run: RunTasks) -> list[str]:
        """Run the tasks of a sink that commits in tasks, and return their tokens (SinkTask.tokens).

        If the tasks have committed nothing because the sink refuses rows, run them again without these rows.
        """
        while True:
            self._guard()
            left_out = self._refused.left_out(number)
            task = SinkTask(self._specs[number], number, self.job, batch, origin, left_out)
            packets = list(run(task))
            tokens = task.tokens(packets)
            if not self._refused.add(number, [each for each in packets if each.holds == REFUSED]):
                return tokens

    def _write_refused(self, batch: int, tokens: dict[int, list[str]], rows: Counter[int]) -> None:
        """Write the rows that sinks have refused to the dead-letter table, as a sink of its own.

        Do nothing if the job has no dead-letter table for refused rows.

        Args:
            batch: Number of the batch.
            tokens: Tokens for the commit, by the number of the sink. The entry of the dead-letter table is
                set: one token, or [] if no row was refused.
            rows: Numbers of rows, by the id of the sink (`sink_id`). The entry of the dead-letter table is
                set to the number of refused rows.
        """
        number = self._refused.number
        if number is None:
            return
        self._guard()
        tokens[number], count = self._refused.write()
        rows[sink_id(number)] = count
        if number in self.in_tasks:
            self._count(number, batch, count)

    def _on_driver(
        self, packets: Sequence[Packet], batch: int, tokens: dict[int, list[str]]
    ) -> Iterator[pa.Table]:
        """Write the rows of sinks that write on the driver. Yield the changes of outputs without a connector.

        Args:
            packets: All packets of the batch.
            batch: Number of the batch.
            tokens: Tokens for the commit, by the number of the sink. For each sink that writes on the driver,
                this function appends the token that Sink.close_task returns.

        Yields:
            Changes tables, in order, of the outputs whose changes the caller of a query reads.
        """
        for number in range(len(self._specs)):
            own = (p for p in packets if p.to == sink_id(number) and p.holds == CHANGES)
            sink = self._sinks.get(number)
            if sink is None:
                for changes in merge(own):
                    yield changes
                    self._progress.add_sent(changes.num_rows)
            elif sink.on_driver and number != self._refused.number:
                sink.open_task(job_of(self.job, number), batch, 0)
                for changes in merge(own):
                    sink.write(changes)
                tokens[number].append(sink.close_task())
