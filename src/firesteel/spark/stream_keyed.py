"""The keyed chains of a stage as a stateful operator of Structured Streaming, keyed by key group.

The state of a key group is sorted runs (runtime/state). Spark's state store is their durable home: a
map from run id to bytes and one value, the manifest. Runs lie also in a folder of the executor, mapped
into memory and shared by its workers, as Python workers change partitions between batches.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from pyspark.sql import Row
from pyspark.sql.streaming.stateful_processor import (
    MapState,
    StatefulProcessor,
    StatefulProcessorHandle,
    TimerValues,
    ValueState,
)
from pyspark.sql.types import BinaryType, StringType, StructType

from firesteel.runtime.state.backend import SortedRunBackend
from firesteel.runtime.state.cache import RunCache
from firesteel.spark.flow import TaskId
from firesteel.spark.internals.tasks import batch_number
from firesteel.spark.stream_rows import ARROW, from_values, now_of, to_values
from firesteel.spark.tasks import StageTask, state_size

_ROW = Row(*ARROW.names)
_ID = StructType().add("id", StringType())
_DATA = StructType().add("data", BinaryType())
"""Of what is in the state store. Not as texts: each task would ask the JVM to parse them."""


class SparkRunStore:
    """The runs of the current key group in Spark's state store (runtime/state/base.py: RunStore)."""

    def __init__(self, runs: MapState, manifest: ValueState) -> None:
        self._runs = runs
        self._manifest = manifest

    def get(self, run: str) -> bytes | None:
        if not self._runs.containsKey((run,)):
            return None
        value = self._runs.getValue((run,))
        return None if value is None else bytes(value[0])

    def put(self, run: str, data: bytes) -> None:
        self._runs.updateValue((run,), (data,))

    def remove(self, runs: Iterable[str]) -> None:
        for run in runs:
            self._runs.removeKey((run,))

    def manifest(self) -> bytes | None:
        value = self._manifest.get()
        return None if value is None else bytes(value[0])

    def set_manifest(self, data: bytes) -> None:
        self._manifest.update((data,))


class KeyedProcessor(StatefulProcessor):
    """Runs the keyed chains of a stage over the packets of each key group that a batch touches."""

    def __init__(self, task: StageTask, labels: tuple[int, ...]) -> None:
        self._task = task
        self._labels = labels

    def init(self, handle: StatefulProcessorHandle) -> None:
        self._runs = handle.getMapState("runs", _ID, _DATA)
        self._manifest = handle.getValueState("manifest", _DATA)

    def handleInputRows(self, key: Any, rows: Iterator[Any], timerValues: TimerValues) -> Iterator[Row]:
        group = self._labels.index(key[0])
        came = [tuple(row) for row in rows]
        now = max(map(now_of, came))
        packets = sorted(
            (replace(from_values(row), target=group) for row in came), key=lambda packet: packet.first
        )
        state = SortedRunBackend.open(SparkRunStore(self._runs, self._manifest), run_cache())
        task = TaskId(batch_number(), index=group)
        for packet in self._task.at(now).packets(packets, state, task):
            yield _ROW(*to_values(packet, self._labels, now))
        state.commit()
        size = state_size(self._task.number, group, state.entries)
        yield _ROW(*to_values(size, self._labels, now))

    def close(self) -> None:
        """Nothing is held."""


@cache
def run_cache() -> RunCache:
    """The folder of runs of this executor: it goes when Spark's own local folder does."""
    local = os.environ.get("SPARK_LOCAL_DIRS", "").split(",")[0] or tempfile.gettempdir()
    return RunCache(Path(local) / f"firesteel-runs-{os.getuid() if hasattr(os, 'getuid') else 0}")
