"""The churn of a soak: which kills come when, the upgrade and the rescale between them, how each is done."""

from __future__ import annotations

import random
import shutil
import time
from collections.abc import Sequence
from dataclasses import dataclass

from tests.recovery.restarts import KINDS, Around, drawn
from tests.soak.job import Job
from tests.soak.queries import WIDER_TOTALS
from tests.soak.samples import Event, Recorder

UPGRADE, RESCALE = "upgrade", "rescale"
_UPGRADE_AT, _RESCALE_AT = 0.4, 0.6
_FIRST_AT, _LAST_AT = 0.05, 0.9
"""Shares of the time: after the last kill, the jobs catch up."""
_LOCAL = ("worker", "jvm")
"""Kinds of kills that hit one job."""
_SHORT_SECONDS, _LONG_EVERY = 6.0, 5
PARALLELISM = 3
"""After the rescale; 2 before."""


@dataclass(frozen=True)
class Step:
    """One thing to do.

    Attributes:
        at: When, in seconds since the beginning.
        kind: UPGRADE, RESCALE or one of KINDS.
        job: Position of the job that it hits; None for all.
        away: Seconds for which the broker, the database or the network is away.
    """

    at: float
    kind: str
    job: int | None
    away: float


def plan(seconds: float, every: float, seed: int, away: float, jobs: int) -> list[Step]:
    """Return what is done in a soak, each kind of kill at least once.

    Args:
        seconds: Length of the soak.
        every: Seconds between two kills, about.
        seed: Seed of their order, their moments and their victims.
        away: Seconds for which every fifth kill lasts, if that can be chosen.
        jobs: Number of jobs.
    """
    chance = random.Random(seed)
    span = (_LAST_AT - _FIRST_AT) * seconds
    kinds = drawn(max(len(KINDS), round(span / every)), seed)
    gap = span / len(kinds)
    steps = [Step(_UPGRADE_AT * seconds, UPGRADE, 0, 0.0), Step(_RESCALE_AT * seconds, RESCALE, None, 0.0)]
    for number, kind in enumerate(kinds):
        at = _FIRST_AT * seconds + gap * (number + chance.uniform(0.1, 0.9))
        is_long = number % _LONG_EVERY == _LONG_EVERY - 1
        pause = max(away, _SHORT_SECONDS) if is_long else chance.uniform(0, _SHORT_SECONDS)
        steps.append(Step(at, kind, chance.randrange(jobs) if kind in _LOCAL else None, pause))
    return sorted(steps, key=lambda step: step.at)


@dataclass
class Churn:
    """Does the steps of a plan.

    Attributes:
        jobs: The jobs. The first one is upgraded.
        around: What stands around them.
        recorder: Gets the events.
        chance: Chooses the victims among processes.
    """

    jobs: Sequence[Job]
    around: Around
    recorder: Recorder
    chance: random.Random

    def run(self, steps: Sequence[Step]) -> None:
        """Do one step after the other. Each begins when all jobs work.

        Raises:
            AssertionError: A job ended, or does not go on.
        """
        for step in steps:
            self.wait(step.at)
            for job in self.jobs:
                job.works()
            began = self.recorder.now
            self._do(step)
            for job in self.jobs:
                job.works()
            name = "" if step.job is None else self.jobs[step.job].name
            event = Event(round(began, 1), round(self.recorder.now, 1), step.kind, name)
            self.recorder.note(event)
            print(
                f"  {event.seconds:6.0f} s: {step.kind} {name}, at work after {event.until - began:.0f} s",
                flush=True,
            )

    def wait(self, until: float) -> None:
        """Wait for a moment. Raises AssertionError if a job ends meanwhile."""
        while self.recorder.now < until:
            for job in self.jobs:
                job.running()
            time.sleep(0.5)

    def _do(self, step: Step) -> None:
        if step.kind == UPGRADE:
            self._upgrade(self.jobs[0])
        elif step.kind == RESCALE:
            for job in self.jobs:
                job.stop()
                job.command("rescale", job.checkpoint, "--parallelism", PARALLELISM)
                job.begin()
        else:
            job = self.jobs[step.job or 0]
            driver = job.running().pid
            others = [pid for pid in job.processes() if pid != driver]
            self.around.strike(step.kind, others, self.chance, step.away)

    def _upgrade(self, job: Job) -> None:
        """Take a savepoint of the running job, stop it, and give its checkpoint to a wider script."""
        savepoint = job.folder / "savepoint"
        job.command("savepoint", job.checkpoint, savepoint)
        shutil.rmtree(savepoint)
        job.stop()
        (table,) = job.tables.values()
        table.widen(WIDER_TOTALS)
        job.command("upgrade", job.write_script(), "--yes", "--checkpoint", job.checkpoint)
        job.begin()
