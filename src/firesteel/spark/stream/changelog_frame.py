"""Changes of a job as an ordinary streaming DataFrame.

It has one row for each change, with `_change_type` as in Delta's change feed.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from firesteel.changelog import KIND, field
from firesteel.errors import NotSupportedError
from firesteel.job.spec import JobSpec
from firesteel.runtime.dataflow.packets import CHANGES, FAILURE
from firesteel.runtime.spec.tables import SinkSpec
from firesteel.spark.internals.frames import spark_schema
from firesteel.spark.stream.frame_source import CHANGE_TYPE, CHANGE_TYPES
from firesteel.types.arrow import to_arrow
from firesteel.types.arrow_maps import column_as_maps, map_type
from firesteel.types.sql import SqlType, TypeRoot

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from firesteel.spark.launch.launch import Spark
    from firesteel.spark.stream.settings import StreamSettings

_PARTITIONS = "spark.sql.shuffle.partitions"
_SPARKS_PARTITIONS = "200"
"""Spark's default for `spark.sql.shuffle.partitions`.

Any other value in the user's session sets the parallelism of the job, if `StreamSettings.parallelism` is 0.
This value does not: it suits a cluster.
"""

_NO_SPARK_TYPE = (
    *(TypeRoot.TIME, TypeRoot.INTERVAL_DAY_TIME, TypeRoot.INTERVAL_YEAR_MONTH),
    *(TypeRoot.MULTISET, TypeRoot.VARIANT, TypeRoot.BITMAP),
)


def changes_frame(
    job: JobSpec, spark: Spark, settings: StreamSettings, folder: str, frames: Mapping[str, DataFrame]
) -> DataFrame:
    """Return the changes of a job without a sink as a DataFrame: `_change_type`, then the columns.

    Raises:
        NotSupportedError: Spark lacks the type of a column.
    """
    from firesteel.spark.stream.frame import PROVIDER, ROCKSDB, packet_frame

    schema = arrow_schema(job.sinks[0])
    session = spark.session
    session.conf.set(PROVIDER, ROCKSDB)
    own = session.conf.get(_PARTITIONS, _SPARKS_PARTITIONS) or _SPARKS_PARTITIONS
    if not settings.parallelism and own != _SPARKS_PARTITIONS:
        settings = replace(settings, parallelism=int(own))
    packets = packet_frame(job, spark, settings, folder, frames, session)
    return packets.mapInArrow(Unpack(job.sinks[0]), spark_schema(schema))


def arrow_schema(sink: SinkSpec) -> pa.Schema:
    """Return the Arrow schema of the DataFrame. Spark's timestamps are in microseconds."""
    columns = [pa.field(CHANGE_TYPE, pa.string())]
    for name, kind in zip(sink.names, sink.types, strict=True):
        if kind.root in _NO_SPARK_TYPE:
            raise NotSupportedError(
                f"column {name}: a DataFrame cannot hold {kind}", hint="cast it to STRING"
            )
        columns.append(pa.field(name, _spark_arrow(kind)))
    return pa.schema(columns)


def _spark_arrow(kind: SqlType) -> pa.DataType:
    made = map_type(to_arrow(kind))
    return pa.timestamp("us", made.tz) if pa.types.is_timestamp(made) else made


@dataclass(frozen=True)
class Unpack:
    """Function for workers that turns packets into rows."""

    sink: SinkSpec

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Yield the changes in packets as rows of the DataFrame.

        Raises:
            FiresteelError: The error of a failed task, which a packet carries.
        """
        schema = arrow_schema(self.sink)
        for batch in batches:
            for holds, payload in zip(
                batch.column("holds").to_pylist(), batch.column("payload").to_pylist(), strict=True
            ):
                if holds == FAILURE:
                    raise pickle.loads(payload)
                if holds == CHANGES and payload:
                    yield from self._rows(pa.ipc.open_stream(payload).read_all(), schema)

    def _rows(self, changes: pa.Table, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
        kinds = np.asarray(CHANGE_TYPES, dtype=object)[changes.column(KIND).to_numpy()]
        columns = [pa.array(kinds, pa.string())]
        for index, target in enumerate(list(schema)[1:]):
            column = column_as_maps(changes.column(field(index)))
            columns.append(column.cast(target.type, safe=False))
        yield from pa.table(columns, schema=schema).to_batches()
