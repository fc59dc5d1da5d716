"""KeptPackets, the packets of a micro-batch between the two steps of its delivery (spark/sink_task.py)."""

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
from firesteel.spark.stream.rows import from_values, packet_schema, to_batch

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


FEW_ROWS = 1000
"""Number of rows up to which the driver collects a packet for a sink's task together with its rows.

If the packets are persisted, the driver collects a larger packet without its rows: only columns such as the
number of rows and the key group. The rows stay in Spark.

If the driver has the rows of all packets for a sink, it runs the sink's tasks itself. A Spark job would take
longer. It would also give each worker other partitions in each batch, so the workers would have to take over
Kafka transactional ids from each other.
"""


class KeptPackets:
    """The packets of a micro-batch.

    Args:
        frame: The packets as a DataFrame.
        in_tasks: Numbers of the sinks that commit in tasks. If there are any, Spark persists the DataFrame.
        is_local: Whether the driver may run the tasks of sinks.
        expects_few: Whether few rows are expected. The DataFrame is then not persisted in any case, which
            saves a tenth of the time of a small micro-batch.
    """

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
        """Return all packets, which the driver collects.

        If the DataFrame is persisted, packets for sinks' tasks come without their rows if they have more than
        FEW_ROWS rows, or if the driver must not run the tasks of sinks.
        """
        frame = self._frame
        if self._is_kept:
            ids = ", ".join(map(str, self._ids))
            is_left = f"chain IN ({ids}) AND holds = {CHANGES} AND rows > {self._few}"
            payload = f"IF({is_left}, X'', payload) AS payload"
            names = [name for name in frame.columns if name != "payload"]
            frame = self._noted(frame.selectExpr(*names, payload))
        self._packets = [from_values(tuple(row)) for row in frame.collect()]
        return self._packets

    def partitions_of(self, groups: Iterable[tuple[int, int]]) -> set[tuple[int, int]]:
        """Return the (sink, partition) pairs with rows, for (sink, key group) pairs that have rows."""
        return {(sink, partition_of(group, self._partitions)) for sink, group in groups}

    @property
    def _partitions(self) -> int:
        return int(self._frame.sparkSession.conf.get("spark.sql.shuffle.partitions") or 1)

    @property
    def were_few(self) -> bool:
        """Return whether the driver may run the sinks' tasks and each packet for them has few rows."""
        own = (packet for packet in self._packets if packet.to in self._ids and packet.holds == CHANGES)
        return self._few > 0 and all(packet.rows <= self._few for packet in own)

    def run(self, task: SinkTask) -> list[Packet]:
        """Run the tasks of a sink, one for each Spark partition, and return their packets."""
        partitions = self._partitions
        to = sink_id(task.number)
        here = [packet for packet in self._packets if packet.to == to and packet.holds == CHANGES]
        if all(packet.payload or packet.stored for packet in here if packet.rows):
            return _run_here(task, here, partitions)
        own = self._noted(self._frame.where(f"chain = {to} AND holds = {CHANGES}"))
        own = self._noted(own.repartition(partitions, "key_group"))
        told = self._noted(own.mapInArrow(_InArrow(task), packet_schema()))
        return [from_values(tuple(row)) for row in told.collect()]

    def release(self) -> None:
        """Let Spark drop the DataFrames."""
        if self._is_kept:
            self._frame.unpersist()
        for frame in self._frames:
            let_go(frame)

    def _noted(self, frame: DataFrame) -> DataFrame:
        """Register a DataFrame for `release` and return it."""
        self._frames.append(frame)
        return frame


def _run_here(task: SinkTask, packets: Iterable[Packet], partitions: int) -> list[Packet]:
    """Run the tasks of a sink on the driver, each over the packets that Spark would give it.

    A sink notes for each partition whether it is committed. A retry of the batch may run as a Spark job, and
    then needs these notes. So the rows must be partitioned here as Spark partitions them.
    """
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
