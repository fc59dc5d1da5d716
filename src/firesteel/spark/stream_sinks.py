"""The packets of a micro-batch between the two steps of its delivery (sink_task.py)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pyarrow as pa
from pyspark import TaskContext

from firesteel.runtime.packets import CHANGES, Packet
from firesteel.runtime.spec import sink_id
from firesteel.spark.sink_task import SinkTask
from firesteel.spark.stream_rows import SCHEMA, from_values, to_batch

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


class KeptPackets:
    """The DataFrame of a micro-batch's packets, which Spark keeps where sinks' tasks read it once more.
    in_tasks: the numbers of these sinks."""

    def __init__(self, frame: DataFrame, in_tasks: Sequence[int]) -> None:
        self._frame = frame.persist() if in_tasks else frame
        self._ids = [sink_id(number) for number in in_tasks]

    def for_driver(self) -> list[Packet]:
        """All packets; of rows for the sinks' tasks the counts."""
        frame = self._frame
        if self._ids:
            ids = ", ".join(map(str, self._ids))
            payload = f"IF(chain IN ({ids}) AND holds = {CHANGES}, X'', payload) AS payload"
            frame = frame.selectExpr(*[name for name in frame.columns if name != "payload"], payload)
        return [from_values(tuple(row)) for row in frame.collect()]

    def run(self, task: SinkTask) -> list[Packet]:
        """What a sink's tasks give, one for each of Spark's partitions."""
        partitions = int(self._frame.sparkSession.conf.get("spark.sql.shuffle.partitions") or 1)
        own = self._frame.where(f"chain = {sink_id(task.number)} AND holds = {CHANGES}")
        told = own.repartition(partitions, "key_group").mapInArrow(_InArrow(task), SCHEMA)
        return [from_values(tuple(row)) for row in told.collect()]

    def release(self) -> None:
        """Spark need not keep them any longer."""
        if self._ids:
            self._frame.unpersist()


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
