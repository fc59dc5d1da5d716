"""A user's DataFrame as the source of a chain: its rows are changes, and the chain runs in mapInArrow.

`_change_type` has the row kinds, as in Delta's change feed. Without this column, every row is an insert.

Spark's rows have no order of their own. With a `_commit_version` column (Delta's), rows are read by version,
deletions of a version first, and then by partition. Without it, they are read by partition. Within a
partition, they keep their order. So without versions, all changes of one key must be in one partition, in
their order.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from pyspark import TaskContext

from firesteel.changelog import KIND, SEQUENCE, SUB_SEQUENCE, field
from firesteel.counted import counted
from firesteel.errors import DataError
from firesteel.runtime.dataflow.sequence import ROW_BITS, row_sequences, split_number
from firesteel.runtime.spec.tables import ScanSpec
from firesteel.spark.internals.tasks import batch_number
from firesteel.spark.stream.rows import to_batch
from firesteel.spark.task.context import TaskId
from firesteel.spark.task.source_task import SourceTask
from firesteel.types.arrow import to_arrow

CONNECTOR = "dataframe"
"""Name of the connector for tables that stand for DataFrames."""

CHANGE_TYPE = "_change_type"
CHANGE_TYPES = ("insert", "update_preimage", "update_postimage", "delete")
"""Delta's names of the row kinds, in the order of Flink's row kind bytes."""

COMMIT_VERSION = "_commit_version"

_NOW = "$now"

BATCH_TIME = f"unix_millis(current_timestamp()) AS `{_NOW}`"
"""Spark SQL for the processing time of a row's micro-batch, which Spark keeps with the offsets."""

SUB_SEQUENCE_BITS = 24
"""Bits of the sub-sequence of a row with a `_commit_version`: the number of the row in its partition.

    sequence: version, whether deletion or insertion, partition        sub-sequence: row in the partition

A sequence has no bits left for the row. So all deletions of a commit in one partition share a sequence, and
so do all insertions. A smaller number in place of the version is not possible: versions are not consecutive,
and no task knows the versions that other tasks read.
"""

_PARTITION_BITS = 17


@dataclass(frozen=True)
class FrameTask:
    """Function that runs a source's fragment over one partition of a DataFrame.

    Attributes:
        task: Task of the source.
        labels: Numbers by which Spark knows the key groups (spark/internals/hash_partitions.py).
        numbers: The split numbers of this source in a micro-batch. Partition i counts as the split with
            number `numbers[i]`.
    """

    task: SourceTask
    labels: tuple[int, ...]
    numbers: range

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Run the fragment over the rows of a partition, and yield one row for each packet."""
        context = TaskContext.get()
        partition = context.partitionId() if context is not None else 0
        taken = [batch for batch in batches if batch.num_rows]
        if not taken:
            return
        now = taken[0].column(_NOW)[0].as_py()
        tables = partial(self._tables, taken, partition)
        for packet in self.task.at(now).of_tables(tables, TaskId(batch_number(), 0, partition)):
            yield to_batch(packet, self.labels, now)

    def _tables(self, taken: list[pa.RecordBatch], partition: int) -> list[pa.Table]:
        return [self.changes(pa.Table.from_batches(taken), partition)]

    def changes(self, rows: pa.Table, partition: int) -> pa.Table:
        """Return the rows of a partition as a changes table (runtime/spec/operators.py).

        With a `_commit_version` column, rows are sorted by version, deletions of a version first. Rows that
        are equal in both, and all rows without the column, keep the order of the partition.

        Raises:
            DataError: A `_change_type` is unknown, or a version, a partition or the number of rows is too
                large.
        """
        head = self.task.source
        assert isinstance(head, ScanSpec)
        kinds, sub_sequence = row_kinds(rows), None
        if COMMIT_VERSION in rows.column_names:
            commits = self._commits(rows.column(COMMIT_VERSION).to_numpy().astype(np.int64), kinds)
            sorting = np.argsort(commits, kind="stable")
            rows, kinds = rows.take(pa.array(sorting)), kinds[sorting]
            sequence = pa.array(commits[sorting] + self._within_commit(partition, rows.num_rows))
            sub_sequence = pa.array(np.arange(rows.num_rows, dtype=np.int64))
        else:
            sequence = row_sequences(split_number(self.numbers, partition), 0, rows.num_rows)
        columns = {KIND: pa.array(kinds), SEQUENCE: sequence}
        for index, position in enumerate(head.projection):
            column = rows.column(head.names[position])
            columns[field(index)] = column.cast(to_arrow(head.types[position]), safe=False)
        return pa.table(columns if sub_sequence is None else columns | {SUB_SEQUENCE: sub_sequence})

    def _commits(self, versions: NDArray[np.int64], kinds: NDArray[np.int8]) -> NDArray[np.int64]:
        """Return the base of each row's sequence, int64[rows]. The caller adds the partition's number to it.

        The base depends on the row's version and on whether the row is a deletion. So in all partitions, the
        deletions (-U, -D) of a version come before its insertions (+I, +U).

        Args:
            versions: int64[rows], the `_commit_version` of each row.
            kinds: int8[rows], the row kind of each row.

        Raises:
            DataError: A version is too large or below 0.
        """
        first = self.numbers[0] << ROW_BITS
        room = len(self.numbers) << ROW_BITS >> _PARTITION_BITS + 1
        if len(versions) and not 0 <= int(versions.min()) <= int(versions.max()) < room:
            raise DataError(f"{COMMIT_VERSION} is not from 0 to {room - 1:,} in a row of the DataFrame")
        adds = ((kinds == 0) | (kinds == 2)).astype(np.int64)
        sequences: NDArray[np.int64] = first + (((versions << 1) + adds) << _PARTITION_BITS)
        return sequences

    def _within_commit(self, partition: int, rows: int) -> int:
        if rows >> SUB_SEQUENCE_BITS or partition >> _PARTITION_BITS:
            raise DataError(
                f"{counted(rows, 'row')} in partition {partition:,} of the DataFrame",
                hint="repartition it, by more and smaller partitions or by fewer ones",
            )
        return partition


def used_sub_sequence_bits(frames: Mapping[str, Any]) -> int:
    """Return how many bits of the sub-sequence the rows of these DataFrames use when they are read."""
    return SUB_SEQUENCE_BITS if any(COMMIT_VERSION in frame.columns for frame in frames.values()) else 0


def row_kinds(rows: pa.Table) -> NDArray[np.int8]:
    """Return the row kind of each row.

    Raises:
        DataError: A `_change_type` is none of Delta's.
    """
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
