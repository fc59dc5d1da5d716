"""What a soak measures while it runs: a line for each job every few seconds, and a line for each event."""

from __future__ import annotations

import csv
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, TypeVar

from benchmarks.memory_bounds import by_kind

from tests.recovery.runs import commits
from tests.soak.job import Job

SAMPLES, EVENTS = "samples.csv", "events.csv"
KINDS = ("driver", "jvm", "workers")
"""Kinds of processes, as columns of a sample."""


@dataclass(frozen=True)
class Sample:
    """One job at one moment.

    Attributes:
        seconds: Since the beginning.
        job: Its name.
        driver: MiB of its Python process. This and the next two are 0 while it is stopped.
        jvm: MiB of its JVM.
        workers: MiB of its Python workers.
        lag: Messages that were sent and are in no committed micro-batch.
        entries: Entries of its state; NaN if they are not known.
        batches: Micro-batches that are committed in its checkpoint.
        sent: Messages that were sent to its topics.
    """

    seconds: float
    job: str
    driver: float
    jvm: float
    workers: float
    lag: int
    entries: float
    batches: int
    sent: int


@dataclass(frozen=True)
class Event:
    """Something that was done to a job, or around it.

    Attributes:
        seconds: When it began, since the beginning.
        until: When all jobs had made a micro-batch again.
        kind: What it was.
        job: Name of the job; empty for all.
    """

    seconds: float
    until: float
    kind: str
    job: str


class Recorder:
    """Takes samples in a thread while it is open, and writes them and the events into files.

    Args:
        folder: For the files.
        jobs: The jobs.
        step: Seconds between two samples.
    """

    def __init__(self, folder: Path, jobs: Sequence[Job], step: float) -> None:
        self._folder, self._jobs, self._step = folder, jobs, step
        self._began = time.monotonic()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._take, daemon=True)

    def __enter__(self) -> Recorder:
        for name, kind in ((SAMPLES, Sample), (EVENTS, Event)):
            _write(self._folder / name, [[each.name for each in fields(kind)]], "w")
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    @property
    def now(self) -> float:
        """Return the seconds since the beginning."""
        return time.monotonic() - self._began

    def note(self, event: Event) -> None:
        """Write an event."""
        _write(self._folder / EVENTS, [[*asdict(event).values()]])

    def _take(self) -> None:
        while not self._over.wait(self._step):
            for job in self._jobs:
                with suppress(OSError):  # its checkpoint may be replaced at this moment
                    _write(self._folder / SAMPLES, [[*asdict(self._sample(job)).values()]])

    def _sample(self, job: Job) -> Sample:
        run = job.run
        memory = by_kind(run.pid, job.processes()) if run is not None else {}
        sizes = [1024 * memory.get(kind, 0.0) for kind in ("driver", "JVM", "workers")]
        return Sample(
            round(self.now, 1),
            job.name,
            *(round(size, 1) for size in sizes),
            job.lag(),
            job.metric("firesteel_state_entries"),
            commits(job.checkpoint),
            sum(job.feed.produced[topic] for topic in job.topics),
        )


def _write(file: Path, rows: Sequence[Sequence[object]], mode: str = "a") -> None:
    with file.open(mode, encoding="utf-8", newline="") as lines:
        csv.writer(lines).writerows(rows)


T = TypeVar("T", Sample, Event)


def read(folder: Path, name: str, kind: type[T]) -> list[T]:
    """Return the samples or events of a soak.

    Args:
        folder: The soak's folder.
        name: SAMPLES or EVENTS.
        kind: Sample or Event.
    """
    types: dict[str, Any] = {"float": float, "int": int, "str": str}
    with (folder / name).open(encoding="utf-8", newline="") as lines:
        return [
            kind(**{each.name: types[str(each.type)](line[each.name]) for each in fields(kind)})
            for line in csv.DictReader(lines)
        ]
