"""The end of a batch on the driver: counts, errors, and the packets' way to the sinks or the caller.

Nothing of a batch shows before all its tasks are done and none has failed: then the sinks that commit in
tasks write (sink_task.py), then those of the terminal, and last the others commit. Where anything fails
before, all of them are told to abort.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Any
from uuid import uuid4

import pyarrow as pa

from firesteel.connectors.base import ONCE, Commits, Guarded
from firesteel.connectors.positions import Origin, PositionedSink
from firesteel.connectors.registry import open_sink
from firesteel.errors import FiresteelError
from firesteel.job.spec import sink_id
from firesteel.runtime.dataflow.packets import CHANGES, WRITTEN, Packet, merge
from firesteel.runtime.spec.tables import SinkSpec
from firesteel.spark.errors import raise_failure
from firesteel.spark.progress import Progress
from firesteel.spark.sink_task import SinkTask, job_of

RunTasks = Callable[[SinkTask], Iterable[Packet]]
"""Runs the tasks of a sink over the packets that are kept; what they give."""


OriginOf = Callable[[set[tuple[int, int]], int], Origin]
"""The origin of a batch, by who notes it: the key groups with rows for each sink whose tasks do, and how many
sinks of the driver."""


def _unknown(in_tasks: set[tuple[int, int]], on_driver: int) -> Origin:
    """That of a job without a checkpoint."""
    return Origin()


def _always() -> None:
    """Nobody else has the job."""


class Delivery:
    """Delivers the batches of one job to its sinks.

    Args:
        specs: The job's sinks, by number.
        progress: Where rows are counted.
        job: The job's name over restarts; None for a job without a checkpoint.
        guard: Raises an error if another run has taken over the job. It is called before each commit.
    """

    def __init__(
        self,
        specs: Sequence[SinkSpec],
        progress: Progress,
        job: str | None = None,
        guard: Callable[[], None] = _always,
    ) -> None:
        self.job = job or f"{ONCE}{uuid4().hex}"
        self._specs = specs
        self._guard = guard
        self._sinks = {n: open_sink(spec) for n, spec in enumerate(specs) if spec.connector is not None}
        for number, sink in self._sinks.items():
            if isinstance(sink, Guarded):
                sink.guard = guard
            sink.open(job_of(self.job, number))
        self._progress = progress

    @property
    def in_tasks(self) -> list[int]:
        """The numbers of the sinks whose tasks commit."""
        return [number for number, sink in self._sinks.items() if sink.commits is not Commits.DRIVER]

    def identities(self) -> dict[str, dict[str, str]]:
        """What identifies the tables and topics of sinks (connectors/base.py), by their names of the job."""
        found = {}
        for number, sink in self._sinks.items():
            ask = getattr(sink, "identities", None)
            if ask is not None:
                found[job_of(self.job, number)] = ask()
        return found

    def forgets_after(self) -> float | None:
        """The seconds for which all sinks know which batches they have; None for ever."""
        asked = (getattr(sink, "forgets_after", None) for sink in self._sinks.values())
        found = [seconds for ask in asked if ask is not None and (seconds := ask()) is not None]
        return min(found, default=None)

    @property
    def positioned(self) -> dict[str, PositionedSink]:
        """The sinks that note how far they are, by the names under which they know the job."""
        return {
            job_of(self.job, number): sink
            for number, sink in self._sinks.items()
            if isinstance(sink, PositionedSink) and sink.notes
        }

    def table(self, name: str) -> str:
        """The table of the sink that knows the job by this name."""
        number = next(number for number in self._sinks if job_of(self.job, number) == name)
        return self._specs[number].table

    def deliver(
        self, packets: Iterable[Packet], batch: int, run: RunTasks, origin_of: OriginOf = _unknown
    ) -> Iterator[pa.Table]:
        """Commit a batch at the sinks; where there is none, yield its changes in their order.

        Args:
            packets: Without the rows for sinks whose tasks commit.
            origin_of: Called before the first sink commits.

        Raises:
            FiresteelError: The error that a packet carries, before anything of the batch is shown.
        """
        tokens: dict[int, list[str]] = {number: [] for number in self._sinks}
        try:
            ordered = sorted(packets, key=lambda packet: packet.first)
            for packet in ordered:
                if packet.holds == WRITTEN:
                    tokens[sink_id(packet.to)].append(packet.payload.decode())
            for packet in ordered:
                raise_failure(packet)
            for packet in ordered:
                self._progress.add(packet)
            rows = Counter[int]()
            for packet in ordered:
                rows[packet.to] += packet.rows
            origin = origin_of(self._notes_of_tasks(ordered), self._notes_of_driver(tokens))
            for number in self.in_tasks:
                self._guard()
                task = SinkTask(self._specs[number], number, self.job, batch, origin)
                tokens[number] += self._run(task, run)
                self._progress.add_sent(rows[sink_id(number)])
            self._guard()
            yield from self._on_driver(ordered, batch, tokens)
        except BaseException:
            self.abort(batch, tokens)
            raise
        for number, sink in self._sinks.items():
            self._guard()
            if isinstance(sink, PositionedSink):
                sink.begin_batch(origin)
            sink.commit(batch, tokens[number])
            if sink.commits is Commits.DRIVER:
                self._progress.add_sent(rows[sink_id(number)])

    def _notes_of_tasks(self, packets: Iterable[Packet]) -> set[tuple[int, int]]:
        """The sinks, and the key groups that have rows for them, of sinks whose tasks note positions."""
        noting = {sink_id(n): n for n, s in self._noting() if s.commits is not Commits.DRIVER}
        return {
            (noting[packet.to], packet.target)
            for packet in packets
            if packet.to in noting and packet.holds == CHANGES and packet.rows
        }

    def _notes_of_driver(self, tokens: dict[int, list[str]]) -> int:
        """How many notes the driver will make of a batch."""
        return sum(
            sink.takes_part(tokens[number])
            for number, sink in self._noting()
            if sink.commits is Commits.DRIVER
        )

    def _noting(self) -> Iterator[tuple[int, Any]]:
        for number, sink in self._sinks.items():
            if isinstance(sink, PositionedSink) and sink.notes:
                yield number, sink

    def abort(self, batch: int, tokens: dict[int, list[str]] | None = None) -> None:
        """A batch has failed. tokens: of each sink's tasks that are known to have ended."""
        for number, sink in self._sinks.items():
            with suppress(FiresteelError):  # of a run that is shut out: what it wrote is the other's business
                sink.abort(batch, (tokens or {}).get(number, []))

    def _run(self, task: SinkTask, run: RunTasks) -> list[str]:
        found = list(run(task))
        for packet in found:
            raise_failure(packet)
        return [packet.payload.decode() for packet in found]

    def _on_driver(
        self, packets: Sequence[Packet], batch: int, tokens: dict[int, list[str]]
    ) -> Iterator[pa.Table]:
        """Write what comes to the driver; what no sink takes goes on."""
        for number in range(len(self._specs)):
            own = (p for p in packets if p.to == sink_id(number) and p.holds == CHANGES)
            sink = self._sinks.get(number)
            if sink is None:
                for changes in merge(own):
                    yield changes
                    self._progress.add_sent(changes.num_rows)
            elif sink.on_driver:
                sink.open_task(job_of(self.job, number), batch, 0)
                for changes in merge(own):
                    sink.write(changes)
                tokens[number].append(sink.close_task())
