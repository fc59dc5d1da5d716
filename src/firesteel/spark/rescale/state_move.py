"""Move of one stage's state to another number of partitions of Spark's state store.

A key group keeps its runs and its manifest. Only its label changes: the number by which Spark's hash function
chooses the partition. The new labels spread the key groups evenly over the new partitions
(spark/internals/hash_partitions.py):

    old store -> rows (label, run, bytes) -> files -> a streaming query of one micro-batch -> new store

The query writes version 1 of the new store, as a snapshot. Only the file's name contains the version, so the
file is renamed to the version from which the job continues.

Depends on private behaviour of Spark: the names of the files of a state store.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from pyspark.sql import functions

from firesteel.errors import InternalError
from firesteel.spark.checkpoint.snapshots import SSTS
from firesteel.spark.rescale.state_loader import MANIFEST, ROWS, StateLoader
from firesteel.spark.stream.frame import STORE
from firesteel.spark.stream.stored_state import READING, readable

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_FIRST = 1
"""Version of a new store after its first micro-batch."""
_WHOLE_SNAPSHOTS = {
    **READING,
    f"{STORE}.rocksdb.changelogCheckpointing.enabled": "false",
    "spark.sql.adaptive.enabled": "false",
}
"""Settings with which a micro-batch ends with a snapshot of its state."""


def move_state(
    session: SparkSession, spark: Path, stage: int, batch: int, labels: Mapping[int, int], to: Path
) -> None:
    """Write the state of a stage into new partitions.

    Args:
        session: A session that only this rescale uses. Its `spark.sql.shuffle.partitions` is the new number.
        spark: Spark's folder in the checkpoint.
        stage: Number of the stateful operator.
        batch: Number of the last committed micro-batch.
        labels: The new label of each key group by its old label. From a label, Spark's hash function computes
            the partition.
        to: Folder of the operator's state in the new checkpoint. It gets a folder for each partition.

    Raises:
        JobError: This Spark cannot read the state.
    """
    for key, value in _WHOLE_SNAPSHOTS.items():
        session.conf.set(key, value)
    rows, load = to.with_name(f"{to.name}.rows"), to.with_name(f"{to.name}.load")
    with readable():
        _rows_of(session, spark, stage, batch, labels).write.parquet(str(rows), compression="none")
    _load(session, rows, load)
    shutil.rmtree(rows)
    for number in range(int(session.conf.get("spark.sql.shuffle.partitions") or 0)):
        _take(load / "state" / "0" / str(number), to / str(number), batch + 1)
    shutil.rmtree(load)


def _rows_of(
    session: SparkSession, spark: Path, stage: int, batch: int, labels: Mapping[int, int]
) -> DataFrame:
    reader = session.read.format("statestore").option("operatorId", stage).option("batchId", batch)
    pairs = [functions.lit(number) for pair in labels.items() for number in pair]
    label = functions.create_map(*pairs)[functions.col("key.key_group")].alias("key_group")

    def variable(name: str, id_: str, data: str) -> DataFrame:
        stored = reader.option("stateVarName", name).load(str(spark))
        return stored.select(label, functions.expr(id_).alias("id"), functions.expr(data).alias("data"))

    manifests = variable("manifest", f"'{MANIFEST}'", "value.data")
    return manifests.union(variable("runs", "user_map_key.id", "user_map_value.data"))


def _load(session: SparkSession, rows: Path, to: Path) -> None:
    read = session.readStream.schema(ROWS).parquet(str(rows))
    loaded = read.groupBy("key_group").transformWithState(StateLoader(), "key_group INT", "Append", "None")
    writer = loaded.writeStream.format("noop").outputMode("append").trigger(availableNow=True)
    writer.option("checkpointLocation", str(to)).start().awaitTermination()


def _take(store: Path, to: Path, version: int) -> None:
    """Move the snapshot of a partition's new store into the checkpoint, and rename it to `version`."""
    snapshot = store / f"{_FIRST}.zip"
    if not snapshot.exists() or (store / f"{_FIRST + 1}.zip").exists():
        raise InternalError(f"Spark has not written the state to {snapshot} in one micro-batch")
    to.mkdir(parents=True)
    for suffix in ("", ".crc"):
        if (file := snapshot.with_name(f"{snapshot.name}{suffix}")).exists():
            file.rename(to / f"{version}.zip{suffix}")
    if (store / SSTS).exists():
        (store / SSTS).rename(to / SSTS)
