"""Tasks of a sink that commits in tasks (connectors/base.py: Commits).

A batch has two steps for such a sink. In the first step, all other tasks of the batch run. Their packets for
the sink are kept until all of them have ended. If a task fails, there is no second step. In the second step,
the sink's own tasks write the rows of these packets, partitioned by the sink's primary key.
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
    """Return the name by which the sink `number` of a job knows the job.

    Sinks 0, 1 and 2 of the job `q` know it as `q`, `q.1` and `q.2`. By this name, a sink records which
    batches it has written. Two sinks of a job may write to one table, so each needs its own name.
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
    """By partition, the rows that the sink refused in an earlier attempt. This attempt leaves them out.

    None means that a refused row ends the job.
    """

    def packets(self, partition: int, packets: Iterable[Packet]) -> Iterator[Packet]:
        """Write the rows of a partition to the sink, and yield packets that report the result.

        One packet has the sink's token, the text that Sink.close_task returns for the commit. If the sink has
        refused rows, another packet has these rows. If the sink fails, there is one packet, with the error.
        Without rows, the sink writes nothing and no packet is yielded. `packets` may come in any order.
        """
        own = self._own(packets)
        if own:
            yield from guarded(partial(self._write, {partition: own}))

    def of_all(self, partitions: Mapping[int, Iterable[Packet]]) -> Iterator[Packet]:
        """Write the rows of all partitions in this process, in one transaction if the sink supports it.

        Yield for each transaction a packet with the sink's token, the text that Sink.close_task returns for
        the commit, and a packet with the refused rows, if any. If the sink fails, a packet has the error.
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
        """Return the tokens for the commit of a batch, one for each transaction of the sink's tasks.

        A token is the text that a sink returns at the end of a transaction (Sink.close_task).

        Args:
            packets: The packets that the tasks have yielded.

        Raises:
            FiresteelError: A packet carries this error.
        """
        found = list(packets)
        for packet in found:
            raise_failure(packet)
        return [packet.payload.decode() for packet in found if packet.holds == WRITTEN]

    def _write(self, parts: Mapping[int, list[Packet]]) -> Iterator[Packet]:
        """Write the rows of some partitions in one transaction, and yield the packets that report the result.

        First comes a packet with the token, the text that Sink.close_task returns for the commit. If the sink
        has refused rows, a packet with these rows follows. If the sink commits nothing because it refuses
        rows (RowsRefusedError), only the packet with the refused rows is yielded.
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
    """Yield the packets that the driver of the batch host collects: all packets, some of them without rows.

    A packet with rows for a sink that commits in tasks gets an empty payload, because the sink's own tasks
    read the rows later. The packet keeps its row counts.

    Args:
        in_tasks: Numbers of the sinks that commit in tasks.
        pairs: (key, packet) pairs. The keys are not used.
    """
    ids = {sink_id(number) for number in in_tasks}
    for _, packet in pairs:
        is_kept = packet.to in ids and packet.holds == CHANGES
        yield replace(packet, payload=b"") if is_kept else packet


def written(task: SinkTask, partition: int, pairs: Iterable[tuple[object, Packet]]) -> Iterator[Packet]:
    """Run a sink's task over one partition of the batch host, and yield the task's packets.

    Args:
        task: The task.
        partition: Number of the partition.
        pairs: The partition's packets with their keys. The keys are not used.
    """
    return task.packets(partition, (packet for _, packet in pairs))
