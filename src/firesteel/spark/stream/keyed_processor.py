"""The keyed chains of a stage as a stateful operator of Structured Streaming, keyed by key group.

The state of a key group consists of sorted runs (runtime/state). Spark's state store keeps them durably: a
map from run ID to bytes, and one value with the manifest and the small runs (run_store.py). Copies of the
larger runs are in a folder of the executor, mapped into memory and shared by its workers, because Python
workers change partitions between batches.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any
from uuid import uuid4

from pyspark.sql import Row
from pyspark.sql.streaming.stateful_processor import (
    StatefulProcessor,
    StatefulProcessorHandle,
    TimerValues,
)
from pyspark.sql.types import BinaryType, StringType, StructType

from firesteel.file_trust import distrust, make_private
from firesteel.runtime.dataflow.packets import COUNTERS
from firesteel.runtime.state.backend import SortedRunBackend
from firesteel.runtime.state.cache import RunCache
from firesteel.spark.internals.lazy_state import map_when_used
from firesteel.spark.internals.tasks import batch_number
from firesteel.spark.stream.rows import ARROW, from_values, now_of, to_values
from firesteel.spark.stream.run_store import RunsAtHand, SparkRunStore
from firesteel.spark.task.context import TaskId
from firesteel.spark.task.counters import StateSizes, with_state
from firesteel.spark.task.spilled_packets import IN_MEMORY_ONLY, Spill, SpilledPackets
from firesteel.spark.task.stage_task import StageTask
from firesteel.spark.temporary import private_folder

_ROW = Row(*ARROW.names)
RUN_ID = StructType().add("id", StringType())
DATA = StructType().add("data", BinaryType())
"""Schemas of run IDs and of data in the state store.

They are objects, because each task would have to call the JVM to parse a schema that is a text.
"""


class KeyedProcessor(StatefulProcessor):
    """A stateful processor that runs the keyed chains of a stage over the packets of each key group.

    Args:
        task: The stage.
        labels: Numbers by which Spark knows the key groups (spark/internals/hash_partitions.py).
        spill: Folder for packets that are too large for memory.
    """

    def __init__(self, task: StageTask, labels: tuple[int, ...], spill: Spill = IN_MEMORY_ONLY) -> None:
        self._task = task
        self._labels = labels
        self._spill = spill
        self._job = uuid4().hex  # Jobs may share workers, so each start of a job has an ID of its own.

    def init(self, handle: StatefulProcessorHandle) -> None:
        self._runs = map_when_used(handle, "runs", RUN_ID, DATA)
        self._manifest = handle.getValueState("manifest", DATA)

    def handleInputRows(self, key: Any, rows: Iterator[Any], timerValues: TimerValues) -> Iterator[Row]:
        """Run the chains over the packets of one key group, yield the resulting packets and write its state.

        If a resulting packet carries an error, the state is not written, because the driver ends the batch.
        """
        group = self._labels.index(key[0])
        came = [tuple(row) for row in rows]
        now = max(map(now_of, came))
        packets = sorted(
            (replace(from_values(row), target=group) for row in came), key=lambda packet: packet.first
        )
        store = SparkRunStore(self._runs, self._manifest)
        state = SortedRunBackend.open(
            store, RunsAtHand(store, run_cache(), (self._job, self._task.number, group))
        )
        task, last = TaskId(batch_number(), index=group), None
        with SpilledPackets(self._spill) as spilled:
            for packet in self._task.at(now).packets(packets, state, task):
                if last is not None:
                    yield _ROW(*to_values(last, self._labels, now))
                last = spilled.sent(packet)
        # The last packet of a task has its counters, unless an error has ended the task. After an error, the
        # state is not written, because the driver ends the batch.
        if last is not None and last.holds == COUNTERS:
            state.commit()
            store.flush()
            last = with_state(last, StateSizes(self._task.number, group, state.sizes()))
        if last is not None:
            yield _ROW(*to_values(last, self._labels, now))

    def close(self) -> None:
        """Do nothing: the processor holds no resources."""


@cache
def run_cache() -> RunCache:
    """Return the cache of runs of this executor. Its folder is in Spark's local folder and ends with it.

    If another user has made a folder of that name, as is possible in `/tmp`, this process uses a private one.
    """
    local = os.environ.get("SPARK_LOCAL_DIRS", "").split(",")[0] or tempfile.gettempdir()
    folder = Path(local) / f"firesteel-runs-{os.getuid() if hasattr(os, 'getuid') else 0}"
    make_private(folder)
    return RunCache(folder if distrust(folder) is None else private_folder("runs"))
