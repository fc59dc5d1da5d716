"""The packets of a micro-batch between the two steps of its delivery (spark/sink_task.py)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pyarrow as pa
from pyspark import TaskContext

from firesteel.job.spec import sink_id
from firesteel.runtime.dataflow.packets import CHANGES, Packet
from firesteel.spark.internals.frames import let_go
from firesteel.spark.internals.hash_partitions import partition_of
from firesteel.spark.sink_task import SinkTask
from firesteel.spark.stream.rows import SCHEMA, from_values, to_batch

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


FEW_ROWS = 1000
"""Packets of no more rows come to the driver whole. Where that is all that a sink gets, its tasks run there:
a job of Spark's takes longer than they do, and workers, which change partitions from batch to batch, would
each time have to take over the other's transactional id."""


class KeptPackets:
    """The packets of a micro-batch. in_tasks: the numbers of the sinks whose tasks read them once more: for
    them Spark keeps the DataFrame. is_local: whether the driver may do their work. expects_few: whether it is
    to, so that nothing need be kept (which takes a tenth of a small micro-batch)."""

    def __init__(
        self, frame: DataFrame, in_tasks: Sequence[int], *, is_local: bool = False, expects_few: bool = False
    ) -> None:
        self._ids = [sink_id(number) for number in in_tasks]
        self._is_kept = bool(in_tasks) and not expects_few
        self._frame = frame.persist() if self._is_kept else frame
        self._few = FEW_ROWS if is_local else 0
        self._packets: list[Packet] = []
        self._frames = [frame]

    def for_driver(self) -> list[Packet]:
        """All packets; of many rows for the sinks' tasks the counts, where they are kept."""
        frame = self._frame
        if self._is_kept:
            ids = ", ".join(map(str, self._ids))
            is_left = f"chain IN ({ids}) AND holds = {CHANGES} AND rows > {self._few}"
            payload = f"IF({is_left}, X'', payload) AS payload"
            names = [name for name in frame.columns if name != "payload"]
            frame = self._noted(frame.selectExpr(*names, payload))
        self._packets = [from_values(tuple(row)) for row in frame.collect()]
        return self._packets

    def partitions_of(self, groups: Iterable[tuple[int, int]]) -> int:
        """How many of Spark's partitions get rows. groups: sinks and the key groups with rows for them."""
        return len({(sink, partition_of(group, self._partitions)) for sink, group in groups})

    @property
    def _partitions(self) -> int:
        return int(self._frame.sparkSession.conf.get("spark.sql.shuffle.partitions") or 1)

    @property
    def were_few(self) -> bool:
        """Whether the driver does the work of sinks' tasks, and each of them has few rows."""
        own = (packet for packet in self._packets if packet.to in self._ids and packet.holds == CHANGES)
        return self._few > 0 and all(packet.rows <= self._few for packet in own)

    def run(self, task: SinkTask) -> list[Packet]:
        """What a sink's tasks give, one for each of Spark's partitions."""
        partitions = self._partitions
        to = sink_id(task.number)
        here = [packet for packet in self._packets if packet.to == to and packet.holds == CHANGES]
        if all(packet.payload for packet in here if packet.rows):
            return _run_here(task, here, partitions)
        own = self._noted(self._frame.where(f"chain = {to} AND holds = {CHANGES}"))
        own = self._noted(own.repartition(partitions, "key_group"))
        told = self._noted(own.mapInArrow(_InArrow(task), SCHEMA))
        return [from_values(tuple(row)) for row in told.collect()]

    def release(self) -> None:
        """Spark need not keep them any longer."""
        if self._is_kept:
            self._frame.unpersist()
        for frame in self._frames:
            let_go(frame)

    def _noted(self, frame: DataFrame) -> DataFrame:
        """One that is to be let go of."""
        self._frames.append(frame)
        return frame


def _run_here(task: SinkTask, packets: Iterable[Packet], partitions: int) -> list[Packet]:
    """The work of the tasks, each over the packets that Spark would give it: a batch that is tried again may
    go the other way, and what is committed is known by the partition."""
    parts: dict[int, list[Packet]] = {}
    for packet in packets:
        parts.setdefault(partition_of(packet.target, partitions), []).append(packet)
    return list(task.of_all(dict(sorted(parts.items()))))


@dataclass(frozen=True)
class _InArrow:
    task: SinkTask

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        context = TaskContext.get()
        assert context is not None
        columns = (map(pa.Array.to_pylist, batch.columns) for batch in batches)
        packets = (from_values(row) for each in columns for row in zip(*each, strict=True))
        for packet in self.task.packets(context.partitionId(), packets):
            yield to_batch(packet, (0,))
