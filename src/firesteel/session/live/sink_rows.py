"""SinkRows, samples of the last changes that the INSERTs of a job send, for the web page.

Tasks send samples only while a page asks for them (spark/task/sink_sample.py). At other times, the samples
cost nothing.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from uuid import uuid4

import pyarrow as pa

from firesteel.job.spec import JobSpec
from firesteel.jobs.job import Job
from firesteel.jobs.registry import JOBS
from firesteel.plan.tree import Field
from firesteel.runtime.spec.tables import SinkSpec
from firesteel.session.live.live_rows import MOST_CHANGES, PAGE_ROWS, last_changes, number_of
from firesteel.spark.progress import Progress
from firesteel.spark.task.sink_sample import touch
from firesteel.spark.temporary import process_folder

_KEPT = 200
"""Number of changes that are kept for each sink."""
_DEFAULT = "default_catalog.default_database."


def sampled(record: Job, job: JobSpec, progress: Progress, zone: str) -> str:
    """Prepare the web page, if this process has one, for samples of the changes that a job sends to sinks.

    Args:
        record: The record of the job.
        job: The job.
        progress: Counters of the job. They pass samples from the tasks on to the page.
        zone: Time zone in which TIMESTAMP_LTZ is shown.

    Returns:
        Path of a file that is touched while a page shows the samples. Tasks send samples while the file is
        new. "" if there is no page, or if the job is a query.
    """
    sinks = {n: s for n, s in enumerate(job.sinks) if s.connector is not None and not s.takes_dead_letters}
    if not (JOBS.shows_rows and sinks):
        return ""
    look_file = process_folder() / f"watched-{uuid4().hex}"
    rows = SinkRows(sinks, zone, look_file)
    record.rows = rows
    progress.sampled = rows.add
    return str(look_file)


class SinkRows:
    """The last sampled changes of each sink of a job.

    Args:
        sinks: The sinks by their numbers.
        zone: Time zone in which TIMESTAMP_LTZ is shown.
        look_file: File that is touched while a page shows the samples.
    """

    def __init__(self, sinks: Mapping[int, SinkSpec], zone: str, look_file: Path) -> None:
        self._numbers = list(sinks)
        self._names = [sink.table.removeprefix(_DEFAULT) for sink in sinks.values()]
        self._schemas: list[Sequence[Field]] = [
            [Field(name, kind) for name, kind in zip(sink.names, sink.types, strict=True)]
            for sink in sinks.values()
        ]
        self._zone = zone
        self._look_file = look_file
        self._tables: list[deque[pa.Table]] = [deque() for _ in sinks]
        self._counts = [0] * len(sinks)
        self._lock = threading.Lock()

    def add(self, sink: int, table: pa.Table) -> None:
        """Add a sample of the changes that a task has sent to a sink."""
        if sink not in self._numbers:
            return
        at = self._numbers.index(sink)
        with self._lock:
            tables = self._tables[at]
            tables.append(table)
            self._counts[at] += table.num_rows
            while len(tables) > 1 and sum(each.num_rows for each in tables) - tables[0].num_rows >= _KEPT:
                tables.popleft()

    def answer(self, wanted: Mapping[str, str]) -> dict[str, Any]:
        touch(self._look_file)
        at = number_of(wanted, "sink", 0, 0, len(self._names) - 1)
        size = number_of(wanted, "size", PAGE_ROWS, 1, MOST_CHANGES)
        with self._lock:
            tables, count = list(self._tables[at]), self._counts[at]
        schema = self._schemas[at]
        return {
            "view": "changes",
            "is_sample": True,
            "sinks": self._names,
            "sink": at,
            "columns": [{"name": column.name, "type": str(column.type)} for column in schema],
            "change_count": count,
            "changes": last_changes(tables, schema, self._zone, size),
        }
