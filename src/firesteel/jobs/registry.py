"""Registry of the jobs of a process, read by SHOW JOBS, the metrics and the JSON API."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable
from itertools import count

from firesteel.jobs.about import About
from firesteel.jobs.job import Job, Source
from firesteel.spark.progress import Progress

KEPT = 500
"""Maximum number of ended jobs to remember."""
ROWS_KEPT = 8
"""Maximum number of ended jobs whose rows are kept for the web page."""


class Registry:
    """Jobs in the order of their creation.

    Args:
        kept: Maximum number of ended jobs to remember. The oldest are dropped.
    """

    def __init__(self, kept: int = KEPT) -> None:
        self._kept = kept
        self._jobs: dict[str, Job] = {}
        self._numbers = count(1)
        self._names: Counter[str] = Counter()
        self._lock = threading.Lock()
        self.shows_rows = False
        """Whether this process has a web page that shows rows. Only then, jobs keep the rows of results."""

    def add(self, source: Source) -> Job:
        """Add a job that is about to be planned."""
        with self._lock:
            self._trim()
            job = Job(str(next(self._numbers)), source)
            self._jobs[job.id] = job
            return job

    def planned(
        self,
        job: Job,
        progress: Progress,
        plan: Callable[[], str] = str,
        cancel: Callable[[], object] | None = None,
        about: About | None = None,
    ) -> None:
        """Attach counters and plan to a job (Job.planned), and give it a label that no other job has."""
        with self._lock:
            job.label = self._label(progress.name or job.id)
        job.planned(progress, plan, cancel, about)

    def discard(self, job: Job) -> None:
        """Remove a job that could not be planned. The error of its statement tells the user why."""
        with self._lock:
            self._jobs.pop(job.id, None)

    def jobs(self) -> list[Job]:
        """Return the jobs, oldest first."""
        with self._lock:
            self._trim()
            return list(self._jobs.values())

    def find(self, id: str) -> Job | None:
        """Return the job with this id, None if there is none."""
        with self._lock:
            return self._jobs.get(id)

    def _label(self, name: str) -> str:
        """Return the name, with a number appended if an earlier job has the same name."""
        taken = {job.label for job in self._jobs.values() if job.progress is not None}
        label = ""
        while not label or label in taken:
            self._names[name] += 1
            label = name if self._names[name] == 1 else f"{name} ({self._names[name]})"
        return label

    def _trim(self) -> None:
        """Drop abandoned jobs and the oldest ended jobs, so that at most `kept` ended jobs are left.

        Drop the result rows of all ended jobs but the last ROWS_KEPT that have rows.
        """
        for job in [job for job in self._jobs.values() if job.is_abandoned]:
            del self._jobs[job.id]
        idle = [job for job in self._jobs.values() if job.state.has_ended]
        for job in idle[: max(0, len(idle) - self._kept)]:
            del self._jobs[job.id]
        for job in [job for job in idle if job.rows is not None][:-ROWS_KEPT]:
            job.rows = None


JOBS = Registry()
"""The jobs of this process."""
