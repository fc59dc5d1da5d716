"""A user's DataFrame as the source of a chain: its rows are changes, the chain runs in mapInArrow.

The kinds are in `_change_type`, as in Delta's change feed; without that column every row is an insert.
Spark's rows have no order of their own. Where there is a `_commit_version` (Delta's), rows are taken
by version, what a version takes away first; else as they stand in their partition, partition by
partition. So without versions the changes of one key must lie in one partition, in their order.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from pyspark import TaskContext

from firesteel.errors import DataError
from firesteel.runtime.chain import Chain, wall_clock
from firesteel.runtime.packets import Packet
from firesteel.runtime.spec import KIND, ORDER, ORDER_ROW_BITS, ChainSpec, ScanSpec, field
from firesteel.spark.errors import guarded
from firesteel.spark.stream_rows import batch_number, to_batch
from firesteel.spark.tasks import Destination, Place
from firesteel.types.arrow import to_arrow

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

CONNECTOR = "dataframe"
"""The connector of tables that stand for DataFrames."""

CHANGE_TYPE = "_change_type"
CHANGE_TYPES = ("insert", "update_preimage", "update_postimage", "delete")
"""Delta's word for each row kind, by its byte."""

COMMIT_VERSION = "_commit_version"
_ROW_BITS, _TASK_BITS = 22, 17
_TASKS = (1 << _TASK_BITS) - 1
"""Below the commit in an order: the task's number, then the row's."""


@dataclass(frozen=True)
class FrameTask:
    """Runs a source chain over one partition of the DataFrame; `first` is added to the order of its rows,
    `labels` are of the key groups (stream_rows.py)."""

    chain: ChainSpec
    to: Destination
    labels: tuple[int, ...]
    first: int

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """One row a packet."""
        for packet in guarded(partial(self._packets, batches)):
            yield to_batch(packet, self.labels)

    def _packets(self, batches: Iterable[pa.RecordBatch]) -> Iterator[Packet]:
        context = TaskContext.get()
        task = self.first + (context.partitionId() if context is not None else 0)
        taken = list(batches)
        if not any(batch.num_rows for batch in taken):
            return
        packer = self.to.packer()
        changes = self.changes(pa.Table.from_batches(taken), task)
        packer.read += changes.num_rows
        chain = Chain(self.chain.operators, None, wall_clock)
        yield from self.to.send(chain.run([changes]), packer, Place(batch_number(), task))

    def changes(self, rows: pa.Table, task: int) -> pa.Table:
        """The rows of a task as a changes table (runtime/spec.py), in their order.

        Raises DataError for a `_change_type` that is none, or for too many rows to number.
        """
        head = self.chain.head
        assert isinstance(head, ScanSpec)
        if rows.num_rows >> _ROW_BITS:
            raise DataError(
                f"{rows.num_rows:,} rows in one partition of the DataFrame",
                hint="repartition it into smaller ones",
            )
        kinds = row_kinds(rows)
        numbers = np.arange(rows.num_rows, dtype=np.int64)
        if COMMIT_VERSION in rows.column_names:
            adds = ((kinds == 0) | (kinds == 2)).astype(np.int64)
            commits = (rows.column(COMMIT_VERSION).to_numpy().astype(np.int64) << 1) + adds
            sorting = np.argsort(commits, kind="stable")
            rows, kinds = rows.take(pa.array(sorting)), kinds[sorting]
            order = (commits[sorting] << (_TASK_BITS + _ROW_BITS)) + ((task & _TASKS) << _ROW_BITS) + numbers
        else:
            order = (task << ORDER_ROW_BITS) + numbers
        columns = {KIND: pa.array(kinds), ORDER: pa.array(order)}
        for index, position in enumerate(head.projection):
            column = rows.column(head.names[position])
            columns[field(index)] = column.cast(to_arrow(head.types[position]), safe=False)
        return pa.table(columns)


def row_kinds(rows: pa.Table) -> NDArray[np.int8]:
    """The row kind of each row. Raises DataError for a `_change_type` that is none of Delta's."""
    if CHANGE_TYPE not in rows.column_names:
        return np.zeros(rows.num_rows, dtype=np.int8)
    found = pc.index_in(rows.column(CHANGE_TYPE), pa.array(CHANGE_TYPES))
    if found.null_count:
        wrong = rows.column(CHANGE_TYPE).filter(pc.is_null(found))[0].as_py()
        raise DataError(
            f"{CHANGE_TYPE} is {wrong!r} in a row of the DataFrame",
            hint=f"it takes {', '.join(CHANGE_TYPES)}",
        )
    return np.asarray(found.to_numpy(), dtype=np.int8)


def of_session(frame: DataFrame, session: SparkSession) -> DataFrame:
    """The same DataFrame in another session of its Spark, whose settings then apply."""
    from pyspark.sql.classic.dataframe import DataFrame as ClassicDataFrame

    dataset = session._jvm.org.apache.spark.sql.classic.Dataset
    plan = frame._jdf.queryExecution().analyzed()
    return ClassicDataFrame(dataset.ofRows(session._jsparkSession, plan), session)
