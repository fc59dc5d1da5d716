"""The jobs with a checkpoint that a session has started, as `WHY` in the shell explains them."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from firesteel.plan.tree import Node

if TYPE_CHECKING:
    from firesteel.job.spec import JobSpec
    from firesteel.runtime.spec.operators import OperatorSpec

KEPT = 100
"""Maximum number of jobs to remember. The oldest are dropped."""


@dataclass(frozen=True)
class StartedJob:
    """A job with a checkpoint.

    Attributes:
        text: Its statement on one line.
        job: The job.
        plans: The roots of its physical plans.
        origins: Its operators with their plan nodes.
        folder: Its folder in the checkpoint.
    """

    text: str
    job: JobSpec
    plans: Sequence[Node]
    origins: list[tuple[OperatorSpec, Node]]
    folder: str


class StartedJobs:
    """The started jobs of a session, by their ids in the registry. Any thread may call it."""

    def __init__(self) -> None:
        self._jobs: dict[str, StartedJob] = {}
        self._lock = threading.Lock()

    def add(self, id: str, job: StartedJob) -> None:
        """Remember a job by its id, in place of an earlier one with this id."""
        with self._lock:
            self._jobs[id] = job
            while len(self._jobs) > KEPT:
                del self._jobs[next(iter(self._jobs))]

    def find(self, id: str) -> StartedJob | None:
        """Return a job; None if it has no checkpoint, has not started yet, or is unknown."""
        with self._lock:
            return self._jobs.get(id)

    def last_to(self, table: str) -> StartedJob | None:
        """Return the job that was started last among those that write to a table; None if there is none.

        Args:
            table: Path of the table.
        """
        with self._lock:
            fitting = [
                job for job in self._jobs.values() if any(sink.table == table for sink in job.job.sinks)
            ]
        return fitting[-1] if fitting else None
