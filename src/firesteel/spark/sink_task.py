"""Tasks of a sink that commits in tasks (connectors/base.py: Commits).

A batch has two steps for such a sink. First, all other tasks of the batch run, and their packets for the sink
are kept. If none failed, the sink's tasks get these packets, partitioned by its primary key.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial

from firesteel.connectors.base import Commits, Sink
from firesteel.connectors.positions import UNKNOWN, Origin, PositionedSink
from firesteel.connectors.refused_rows import Refusals, RefusedRow, RowsRefusedError, to_json
from firesteel.connectors.registry import open_sink
from firesteel.job.spec import sink_id
from firesteel.runtime.dataflow.packets import CHANGES, FIRST, REFUSED, WRITTEN, Packet, merge
from firesteel.runtime.spec.tables import SinkSpec
from firesteel.spark.errors import guarded, raise_failure


def job_of(job: str, number: int) -> str:
    """Return the job's name at its sink `number`.

    Each sink of a job has its own name, because two sinks may write to one table.
    """
    return f"{job}.{number}" if number else job


@dataclass(frozen=True)
class SinkTask:
    """A task that writes the rows of one or more partitions to a sink."""

    spec: SinkSpec
    """The sink."""
    number: int
    """Number of the sink in its job."""
    job: str
    """Name of the job."""
    batch: int
    """Number of the batch."""
    origin: Origin = UNKNOWN
    """Range of source rows of the batch."""
    refused: Mapping[int, Sequence[RefusedRow]] | None = None
    """Rows of each partition that the sink leaves out; None if a refused row ends the job."""

    def packets(self, partition: int, packets: Iterable[Packet]) -> Iterator[Packet]:
        """Write the rows of a partition, and yield packets with the sink's token and the refused rows.

        If the sink fails, a packet carries the error. Without rows, the sink writes nothing and no packet is
        yielded. `packets` may come in any order.
        """
        own = self._own(packets)
        if own:
            yield from guarded(partial(self._write, {partition: own}))

    def of_all(self, partitions: Mapping[int, Iterable[Packet]]) -> Iterator[Packet]:
        """Write the rows of all partitions in this process, in one transaction if the sink supports it.

        Yield packets with the sink's token and the refused rows, or with an error, for each transaction.
        """
        parts = {number: own for number, packets in partitions.items() if (own := self._own(packets))}
        if open_sink(self.spec).commits is Commits.TASKS:
            yield from guarded(partial(self._write, parts)) if parts else ()
            return
        for number, own in parts.items():
            yield from guarded(partial(self._write, {number: own}))

    def _own(self, packets: Iterable[Packet]) -> list[Packet]:
        return [p for p in packets if p.to == sink_id(self.number) and p.holds == CHANGES and p.rows]

    def tokens(self, packets: Iterable[Packet]) -> list[str]:
        """Return the sink's tokens in the packets of its tasks.

        Raises:
            FiresteelError: The error in a packet.
        """
        found = list(packets)
        for packet in found:
            raise_failure(packet)
        return [packet.payload.decode() for packet in found if packet.holds == WRITTEN]

    def _write(self, parts: Mapping[int, list[Packet]]) -> Iterator[Packet]:
        """Write the rows of partitions, and yield packets with the sink's token and the refused rows.

        If the sink has committed nothing because of refused rows, there is no token.
        """
        refusals = None if self.refused is None else Refusals(self.refused)
        try:
            token = self._written(parts, refusals)
        except RowsRefusedError:
            yield from self._refused_packets(refusals, again=True)
            return
        yield Packet(0, FIRST, 0, 0, token.encode(), WRITTEN, to=sink_id(self.number))
        yield from self._refused_packets(refusals, again=False)

    def _refused_packets(self, refusals: Refusals | None, *, again: bool) -> Iterator[Packet]:
        if refusals is not None and refusals.found:
            value = json.dumps({"again": again, "rows": to_json(refusals.found)})
            yield Packet(0, FIRST, 0, 0, value.encode(), REFUSED, to=sink_id(self.number))

    def _written(self, parts: Mapping[int, list[Packet]], refusals: Refusals | None) -> str:
        sink = open_sink(self.spec)
        sink.refusals = refusals
        if isinstance(sink, PositionedSink):
            sink.begin_batch(self.origin)
        for partition, packets in parts.items():
            sink.open_task(job_of(self.job, self.number), self.batch, partition)
            with _aborting(sink):
                for changes in merge(sorted(packets, key=lambda packet: packet.first)):
                    sink.write(changes)
        with _aborting(sink):
            return sink.close_task()


@contextmanager
def _aborting(sink: Sink) -> Iterator[None]:
    """Abort the sink's task if the `with` block fails."""
    try:
        yield
    except BaseException:
        sink.abort_task()
        raise


def for_driver(in_tasks: Sequence[int], pairs: Iterable[tuple[object, Packet]]) -> Iterator[Packet]:
    """Yield the packets of the batch host for the driver.

    Packets for sinks that commit in tasks (numbers `in_tasks`) carry only their counts, without the rows.
    """
    ids = {sink_id(number) for number in in_tasks}
    for _, packet in pairs:
        is_kept = packet.to in ids and packet.holds == CHANGES
        yield replace(packet, payload=b"") if is_kept else packet


def written(task: SinkTask, partition: int, pairs: Iterable[tuple[object, Packet]]) -> Iterator[Packet]:
    """Run a sink's task over one partition of the batch host, and yield its packets."""
    return task.packets(partition, (packet for _, packet in pairs))
