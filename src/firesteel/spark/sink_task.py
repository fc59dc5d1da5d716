"""A sink at work in tasks of its own: those that commit what they write (connectors/base.py: Commits).

They are the second of two steps. In the first all other tasks of the batch end, and what they send to the
sink is kept; only where none failed do the sink's tasks get it, by its primary key.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial

from firesteel.connectors.base import Commits, Sink
from firesteel.connectors.positions import UNKNOWN, Origin, PositionedSink
from firesteel.connectors.registry import open_sink
from firesteel.job.spec import sink_id
from firesteel.runtime.dataflow.packets import CHANGES, FIRST, WRITTEN, Packet, merge
from firesteel.runtime.spec.tables import SinkSpec
from firesteel.spark.errors import guarded


def job_of(job: str, number: int) -> str:
    """The name by which sink `number` of a job knows it: two of them may write to one place."""
    return f"{job}.{number}" if number else job


@dataclass(frozen=True)
class SinkTask:
    """Writes what the packets of one partition hold for a sink. number: of the sink in its job. origin: where
    the rows of the batch come from."""

    spec: SinkSpec
    number: int
    job: str
    batch: int
    origin: Origin = UNKNOWN

    def packets(self, partition: int, packets: Iterable[Packet]) -> Iterator[Packet]:
        """One with the token, or with an error; none where there are no rows. packets: in any order."""
        own = self._own(packets)
        if own:
            yield from guarded(partial(self._write, {partition: own}))

    def of_all(self, partitions: Mapping[int, Iterable[Packet]]) -> Iterator[Packet]:
        """The same for all partitions in one process: in one transaction, where the sink can."""
        parts = {number: own for number, packets in partitions.items() if (own := self._own(packets))}
        if open_sink(self.spec).commits is Commits.TASKS:
            yield from guarded(partial(self._write, parts)) if parts else ()
            return
        for number, own in parts.items():
            yield from guarded(partial(self._write, {number: own}))

    def _own(self, packets: Iterable[Packet]) -> list[Packet]:
        return [p for p in packets if p.to == sink_id(self.number) and p.holds == CHANGES and p.rows]

    def _write(self, parts: Mapping[int, list[Packet]]) -> Iterator[Packet]:
        sink = open_sink(self.spec)
        if isinstance(sink, PositionedSink):
            sink.begin_batch(self.origin)
        for partition, packets in parts.items():
            sink.open_task(job_of(self.job, self.number), self.batch, partition)
            with _aborting(sink):
                for changes in merge(sorted(packets, key=lambda packet: packet.first)):
                    sink.write(changes)
        with _aborting(sink):
            token = sink.close_task()
        yield Packet(0, FIRST, 0, 0, token.encode(), WRITTEN, to=sink_id(self.number))


@contextmanager
def _aborting(sink: Sink) -> Iterator[None]:
    """Tells the sink where its task fails."""
    try:
        yield
    except BaseException:
        sink.abort_task()
        raise


def for_driver(in_tasks: Sequence[int], pairs: Iterable[tuple[object, Packet]]) -> Iterator[Packet]:
    """What the driver gets of packets that the batch host keeps: of rows for sinks whose tasks commit, the
    counts."""
    ids = {sink_id(number) for number in in_tasks}
    for _, packet in pairs:
        is_kept = packet.to in ids and packet.holds == CHANGES
        yield replace(packet, payload=b"") if is_kept else packet


def written(task: SinkTask, partition: int, pairs: Iterable[tuple[object, Packet]]) -> Iterator[Packet]:
    """A sink's task over a partition of the batch host."""
    return task.packets(partition, (packet for _, packet in pairs))
