"""JobPlot, the charts of a running job: changes per second, and entries of each state."""

from __future__ import annotations

import itertools
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from html import escape

from firesteel.jobs.job import Job
from firesteel.notebook.line_chart import line_chart
from firesteel.spark.progress import Progress

SAMPLES = 600
"""Maximum number of samples that a plot keeps. The oldest are dropped."""
_MOST_STATES = 6
"""Greatest number of states in a chart. If a job has more, the chart shows those with the most entries."""


@dataclass(frozen=True)
class Sample:
    """Counters of a job at one moment.

    Attributes:
        seconds: Seconds since the start of the job.
        changes: Number of changes that the job has sent so far: to its sinks, or to the reader of its result.
        entries: Number of entries in each state, by the name of the state.
    """

    seconds: float
    changes: int
    entries: dict[str, int]


def _seconds(progress: Progress) -> float:
    return progress.seconds


class JobPlot:
    """Charts of a job in a notebook cell, which are drawn again while the job runs.

    Implements LiveView (notebook/live_view.py). Each call of `html` adds a sample of the job's counters and
    draws all samples that the plot keeps.

    Args:
        job: The job.
        clock: Function that takes the job's counters and returns the seconds since the start of the job.
    """

    has_rows = False
    error: BaseException | None = None

    def __init__(
        self, job: Job, clock: Callable[[Progress], float] = lambda progress: progress.seconds
    ) -> None:
        self._job = job
        self._clock = clock
        self._samples: deque[Sample] = deque(maxlen=SAMPLES)
        self._stopped = threading.Event()
        self._lock = threading.Lock()

    def sample(self) -> None:
        """Add the counters of now. A job that has ended gets no more than one sample after its end."""
        progress = self._job.progress
        if progress is None or self._has_last:
            return
        self._has_last = self._job.state.has_ended
        entries = {name: size.entries for name, size in progress.state_sizes().items()}
        with self._lock:
            self._samples.append(Sample(self._clock(progress), progress.changes, entries))

    _has_last = False
    """Whether the sample after the end of the job was taken."""

    def changes_per_second(self) -> list[tuple[float, float]]:
        """Return the points of the chart "changes per second", as pairs (time, rate).

        There is a point for each sample but the first. The time is that of the sample, in seconds since the
        start of the job. The rate is the average between the previous sample and this one. If both have the
        same time, there is no point.
        """
        with self._lock:
            samples = list(self._samples)
        pairs = itertools.pairwise(samples)
        return [
            (b.seconds, (b.changes - a.changes) / (b.seconds - a.seconds))
            for a, b in pairs
            if b.seconds > a.seconds
        ]

    def entries(self) -> dict[str, list[tuple[float, float]]]:
        """Return the entries of each of the largest states over time, the largest state first."""
        with self._lock:
            samples = list(self._samples)
        if not samples:
            return {}
        now = samples[-1].entries
        names = sorted(now, key=lambda name: (-now[name], name))[:_MOST_STATES]
        return {name: [(s.seconds, float(s.entries.get(name, 0))) for s in samples] for name in names}

    def html(self) -> str:
        self.sample()
        job = self._job
        head = f"job {job.id}, {job.label}: {job.phase or job.state.value}"
        if job.cause:
            head += f", {job.cause}"
        charts = line_chart("changes per second", {"changes per second": self.changes_per_second()})
        entries = self.entries()
        if entries:
            charts += line_chart("entries of state", entries)
        return f"<div>{escape(head)}</div>{charts}"

    _repr_html_ = html

    def wait(self, seconds: float) -> bool:
        until = time.monotonic() + seconds
        while not self._job.state.has_ended:
            left = until - time.monotonic()
            if left <= 0 or self._stopped.wait(min(left, 0.1)):
                return self._stopped.is_set()
        return True

    def stop(self) -> None:
        """Stop drawing the charts. The job itself is not stopped."""
        self._stopped.set()

    def ask(self, wanted: dict[str, str]) -> None:
        """Do nothing: the settings in `wanted` (search, sort order, page) apply to tables, not to charts."""
