"""Stateful operator that writes the runs and manifests of key groups into a new state store.

It declares the same state variables as the operators of jobs (spark/stream/keyed_processor.py), so that a job
can continue from the store.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pyspark.sql import Row
from pyspark.sql.streaming.stateful_processor import (
    StatefulProcessor,
    StatefulProcessorHandle,
    TimerValues,
)

from firesteel.spark.stream.keyed_processor import DATA, RUN_ID

MANIFEST = ""
"""Value of the column `id` of ROWS in the row of a manifest. In the row of a run, it is the run's ID."""
ROWS = "key_group INT, id STRING, data BINARY"
"""Schema of the rows that a state consists of: one row for each run and one for the manifest of a key group.

    key_group   label of the key group: its number for Spark's hash function (internals/hash_partitions.py)
    id          ID of the run, or MANIFEST
    data        bytes of the run or of the manifest
"""


class StateLoader(StatefulProcessor):
    """A stateful processor that stores all rows of a key group, and sends none."""

    def init(self, handle: StatefulProcessorHandle) -> None:
        self._runs = handle.getMapState("runs", RUN_ID, DATA)
        self._manifest = handle.getValueState("manifest", DATA)

    def handleInputRows(self, key: Any, rows: Iterator[Any], timerValues: TimerValues) -> Iterator[Row]:
        """Store the rows of one key group."""
        for row in rows:
            if row["id"] == MANIFEST:
                self._manifest.update((bytes(row["data"]),))
            else:
                self._runs.updateValue((row["id"],), (bytes(row["data"]),))
        return iter(())

    def close(self) -> None:
        """Do nothing: the processor holds no resources."""
