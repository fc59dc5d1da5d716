"""The keyed state of a checkpoint, read while the job does not run.

Two Spark data sources read the state: `state-metadata`, and `statestore` with its option `stateVarName`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyspark

from firesteel.errors import JobError, UsageError
from firesteel.runtime.columns.keys import Keys, key_group
from firesteel.runtime.state.contents import Contents
from firesteel.spark.checkpoint.batch_origins import batches
from firesteel.spark.checkpoint.fingerprint import SPARK, STATEMENT, read
from firesteel.spark.internals.hadoop_files import names, read_text
from firesteel.spark.internals.hash_partitions import key_group_labels
from firesteel.spark.internals.lazy_state import MAY_BE_LATE
from firesteel.spark.stream.frame import PROVIDER, ROCKSDB, STORE
from firesteel.spark.stream.run_store import unpacked

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

READING = {
    PROVIDER: ROCKSDB,
    # By default, Spark 4.2 reports to its state store coordinator, which runs only in a streaming query.
    **({} if MAY_BE_LATE else {f"{STORE}.coordinatorReportSnapshotUploadLag": "false"}),
}
"""Settings of a session that reads the state of a checkpoint."""


@contextmanager
def readable() -> Iterator[None]:
    """Raise JobError if Spark cannot read the state in the `with` block because it lacks the map `runs`.

    `runs` is the map variable of Spark's state store that holds the runs of a key group. Spark 4.2 can read
    the state only after a task has created this variable. With Spark 4.2, each task of Firesteel creates it
    at its start. With Spark 4.3, or in an earlier version of Firesteel, a task creates it when it first needs
    it, which may be never.
    """
    try:
        yield
    except Exception as error:
        if "ON_MISSING_COLUMN_FAMILY" not in str(error):
            raise
        raise JobError(
            f"Spark {pyspark.__version__} cannot read the state of this checkpoint: a task has not written "
            "all parts of it yet",
            hint="run the job for one more micro-batch with this version of Firesteel, or use pyspark 4.3",
        ) from None


@dataclass(frozen=True)
class KeyGroup:
    """The states of one key group in one stage.

    Attributes:
        stage: Number of the stateful operator in Spark's query.
        label: Number by which Spark knows the key group.
        contents: The states. Their runs must be loaded before they are read: see StoredState.contents.
    """

    stage: int
    label: int
    contents: Contents


class StoredState:
    """The state of one statement after a micro-batch.

    Args:
        session: Spark's session, whose state store is set to RocksDB.
        folder: The statement's folder in the checkpoint.
        batch: Number of the micro-batch; None for the last committed one.

    Raises:
        UsageError: The checkpoint has no state of that micro-batch.
        JobError: A file of the checkpoint is damaged, or this version cannot read the state.
    """

    def __init__(self, session: SparkSession, folder: str, batch: int | None = None) -> None:
        for key, value in READING.items():
            session.conf.set(key, value)
        self._session = session
        self._spark = f"{folder}/{SPARK}"
        self._saved = read(session.sparkContext, folder) or {}
        self.statement = " ".join((read_text(session.sparkContext, f"{folder}/{STATEMENT}") or "").split())
        self._metadata = self._read_metadata(folder)
        self.batch = self._chosen(folder, batch)
        self._runs: dict[str, bytes] = {}
        self.groups = [group for stage in self._metadata for group in self._groups(stage)]

    @property
    def specs(self) -> Mapping[str, Mapping[str, Any]]:
        """Return the spec of each operator with state as JSON, by the name of its state (`state_id`).

        The specs come from the description of the job that the checkpoint holds (checkpoint/fingerprint.py).
        """
        return {spec["state_id"]: spec for spec in _with_state(self._saved.get("job"))}

    @property
    def key_groups(self) -> int:
        """Return the number of key groups of the checkpoint."""
        return int(self._saved["key_groups"])

    def label_of(self, key: Keys) -> int:
        """Return the label of the key group to which a key belongs.

        A label is the number by which Spark groups the packets and the state of a key group. Spark chooses
        the partition by a hash of the label. With the labels, each partition gets about the same number of
        key groups. With the numbers of the key groups, some would get several and others none.
        """
        layout = (self.key_groups, self._saved["partitions"])
        return key_group_labels(*layout)[int(key_group(key.hash1, layout[0])[0])]

    def tables(self, state: str, key: Keys | None = None) -> Iterator[pa.Table]:
        """Yield the live entries of a state, one table for each key group (see Contents.table).

        Args:
            state: Name of the state.
            key: One key, if only its entries are wanted: only its key group is read. None for all keys.
        """
        label = None if key is None else self.label_of(key)
        chosen = [
            group for group in self.groups if state in group.contents.entries and label in (None, group.label)
        ]
        self._load_all(chosen, (state,), key)
        for group in chosen:
            yield group.contents.table(state, key)

    def contents(self, states: Sequence[str]) -> Iterator[Contents]:
        """Load the runs of `states`, and yield the contents of each key group that has all these states."""
        chosen = [group for group in self.groups if set(states) <= group.contents.entries.keys()]
        self._load_all(chosen, states)
        for group in chosen:
            yield group.contents

    def _load_all(self, groups: Sequence[KeyGroup], states: Sequence[str], key: Keys | None = None) -> None:
        """Load the runs of `states` in `groups`; with a key, only the runs that reading this key needs."""
        for stage in {group.stage for group in groups}:
            own = [group.contents for group in groups if group.stage == stage]
            ids = {run for each in own for state in states for run in each.runs(state, key)}
            self._load(stage, sorted(ids - self._runs.keys()))

    def check(self) -> None:
        """Check that the store has all runs of the states. Their content is not read.

        Raises:
            JobError: A run is missing.
        """
        for stage in self._metadata:
            with readable():
                stored = {row[0] for row in self._source(stage, "runs").select("user_map_key.id").collect()}
            for group in (each for each in self.groups if each.stage == stage):
                for name in group.contents.entries:
                    for run in group.contents.runs(name):
                        if run not in stored:
                            self._run(run)

    def _read_metadata(self, folder: str) -> dict[int, tuple[int, int]]:
        """Return, for each stage, the first and the last micro-batch whose state Spark keeps."""
        if not names(self._session.sparkContext, f"{self._spark}/state"):
            raise UsageError(
                f"the checkpoint {folder} holds no state",
                hint="a query without GROUP BY, join or rank keeps none; another has none before its first "
                "micro-batch has ended",
            )
        rows = self._session.read.format("state-metadata").load(self._spark).collect()
        return {row["operatorId"]: (row["minBatchId"], row["maxBatchId"]) for row in rows}

    def _chosen(self, folder: str, batch: int | None) -> int:
        ended = batches(self._session.sparkContext, folder, "commits")
        first = max((low for low, _ in self._metadata.values()), default=0)
        last = ended[-1] if ended else -1
        if batch is None and ended:
            return last
        if batch is None or not first <= batch <= last:
            raise UsageError(
                f"the checkpoint {folder} has no state of micro-batch {batch}"
                if batch is not None
                else f"no micro-batch of the checkpoint {folder} has ended",
                hint=f"it has that of the micro-batches {first} to {last}" if ended else "run the job first",
            )
        return batch

    def _groups(self, stage: int) -> Iterator[KeyGroup]:
        for row in self._source(stage, "manifest").collect():
            manifest, small = unpacked(bytes(row["value"]["data"]))
            self._runs.update(small)
            yield KeyGroup(stage, row["key"]["key_group"], Contents.read(manifest, self._run))

    def _load(self, stage: int, runs: list[str]) -> None:
        """Load runs of a stage from Spark's state store.

        Args:
            stage: Number of the stage.
            runs: Ids of larger runs. Small runs are stored together with the manifest and loaded with it.
        """
        if runs:
            found = self._source(stage, "runs").where("user_map_key.id IN ('" + "','".join(runs) + "')")
            with readable():
                rows = found.collect()
            for row in rows:
                self._runs[row["user_map_key"]["id"]] = bytes(row["user_map_value"]["data"])

    def _run(self, run: str) -> bytes:
        if run not in self._runs:
            raise JobError(f"The run {run} of the state is not in the store")
        return self._runs[run]

    def _source(self, stage: int, variable: str) -> DataFrame:
        reader = self._session.read.format("statestore").option("operatorId", stage)
        return reader.option("batchId", self.batch).option("stateVarName", variable).load(self._spark)


def _with_state(value: Any) -> Iterator[dict[str, Any]]:
    """Yield the spec of each operator with state in a job's JSON: each object with the key `state_id`.

    Args:
        value: The JSON of the job, or any part of it.
    """
    if isinstance(value, dict):
        if "state_id" in value:
            yield value
        for part in value.values():
            yield from _with_state(part)
    elif isinstance(value, list):
        for part in value:
            yield from _with_state(part)
