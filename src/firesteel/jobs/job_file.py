"""JobFile, the file in a checkpoint that describes its job for `firesteel ui CHECKPOINT`.

The file is no part of the state: a job never reads it, and no write of it may fail the job. So it is not
synced, and a job whose file is missing or damaged runs as any other.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from firesteel import __version__
from firesteel.errors import UsageError
from firesteel.jobs.job import Job
from firesteel.jobs.json_form import batches, details, time_text
from firesteel.spark.checkpoint.lock import local_folder
from firesteel.spark.checkpoint.owner import ShutOutError
from firesteel.spark.internals.hadoop_files import write_text

FILE = "job.json"
FORMAT = 1
"""Number of the file's format. A reader refuses a higher one."""
REMOTE_SECONDS = 10.0
"""Minimum number of seconds between two writes to a file system that is not on this machine.

Such a write takes long.
"""


class JobFile:
    """Writer of a job's state and counters to a file in its checkpoint. Any thread may call it.

    It writes nothing until `begin` gives it a folder.

    Args:
        job: The job.
        context: Returns the SparkContext, which writes to a folder that is not on this machine.
    """

    def __init__(self, job: Job, context: Callable[[], Any]) -> None:
        self._job = job
        self._context = context
        self._folder: str | None = None
        self._lock = threading.Lock()
        self._saved = float("-inf")

    def begin(self, folder: str | None) -> None:
        """Write the file now, and then after each micro-batch.

        Args:
            folder: The statement's folder in the checkpoint, which the job owns; None without a checkpoint.
        """
        if self._folder is None and folder is not None:
            self._folder = folder
            if self._job.progress is not None:
                self._job.progress.batch_ended = self.save
            self.save(at_once=True)

    def end(self, error: BaseException | None) -> None:
        """Write the file at the end of the job.

        Do nothing if the error means that this job does not own the checkpoint: the file is that of another
        run.
        """
        if not isinstance(error, (ShutOutError, UsageError)):
            self.save(at_once=True)

    def save(self, *, at_once: bool = False) -> None:
        """Write the file with the job's current state and counters.

        Args:
            at_once: Whether to write even if the folder is not on this machine, and the last write is less
                than REMOTE_SECONDS ago.
        """
        if self._folder is None:
            return
        with self._lock, suppress(Exception):  # a page that shows less is no reason to fail the job
            local, now = local_folder(self._folder), time.monotonic()
            if local is None and not at_once and now - self._saved < REMOTE_SECONDS:
                return
            self._saved = now
            text = json.dumps(self._value(), ensure_ascii=False)
            if local is None:
                write_text(self._context(), f"{self._folder}/{FILE}", text)
            else:
                _replace(local, text)

    def _value(self) -> dict[str, object]:
        return {
            "format": FORMAT,
            "version": __version__,
            "saved": time_text(time.time()),
            "job": details(self._job, asks_spark=False, shows_keys=True),
            "graph": self._job.graph,
            "batches": batches(self._job),
        }


def _replace(folder: Path, text: str) -> None:
    """Write the file, so that readers see either the old or the new one."""
    beside = folder / f".{FILE}.tmp"
    beside.write_text(text, encoding="utf-8")
    beside.replace(folder / FILE)
