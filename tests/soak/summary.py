"""What the samples of a soak say: memory, state and lag by quarters, what each event did to the lag, and
whether memory and state stay flat.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from tests.soak.samples import KINDS, Event, Sample

FLAT = 1.15
"""Memory is flat if the median of the last quarter is at most so many times that of the second one."""
FLAT_STATE = 1.25
"""The same for entries of state: what has expired is dropped once it is half of all, so their number
swings."""
JUDGED_SECONDS = 2_400.0
"""Shorter soaks are not judged: processes are young, and little has expired."""
WITH_TTL = "recent"
"""The job whose state has a time to live."""
_FRESH = ("jvm", "upgrade", "rescale")
"""Events with fresh processes behind them."""
_SETTLED_SECONDS = 60.0
"""Samples of fresh processes do not count for so long."""
_FEW_SECONDS = 10.0
"""A lag of so many seconds of what is sent counts as caught up."""


@dataclass(frozen=True)
class Summary:
    """Figures of a soak.

    Attributes:
        samples: Its samples.
        events: Its events.
        seconds: Its length.
        ttl: Time to live of the state of one job.
    """

    samples: Sequence[Sample]
    events: Sequence[Event]
    seconds: float
    ttl: float

    @property
    def jobs(self) -> list[str]:
        """Return the names of the jobs."""
        return sorted({each.job for each in self.samples}, reverse=True)

    def text(self) -> str:
        """Return the figures as text."""
        return "\n".join(
            [
                f"{'job':<8}{'':<16}" + "".join(f"{f'quarter {n}':>16}" for n in range(1, 5)),
                *(self._line(job, column) for job in self.jobs for column in (*KINDS, "entries", "lag")),
                *map(self._event_line, self.events),
                *(f"{job}: longest pause between micro-batches {self.pause(job):.0f} s" for job in self.jobs),
            ]
        )

    def wrong(self) -> list[str]:
        """Return what is not flat, and whether a job stood still for its time to live."""
        found = []
        if (pause := self.pause(WITH_TTL)) >= self.ttl:
            found.append(
                f"{WITH_TTL} stood still for {pause:.0f} s, and its state lives {self.ttl:.0f} s: its answer "
                "is not known. Give a longer --ttl"
            )
        if self.seconds < JUDGED_SECONDS:
            return found
        limits = [(job, kind, FLAT) for job in self.jobs for kind in KINDS] + [
            (WITH_TTL, "entries", FLAT_STATE)
        ]
        for job, column, most in limits:
            second, last = (self.values(job, column, quarter) for quarter in (1, 3))
            if not second or not last:
                found.append(f"{job}: no samples of {column} in the second or the last quarter")
            elif median(last) > most * median(second):
                found.append(f"{job}: {column} grew from {median(second):,.0f} to {median(last):,.0f}")
        return found

    def values(self, job: str, column: str, quarter: int) -> list[float]:
        """Return the samples of a job's column in a quarter, from 0 on.

        Where it is memory, the first minute of fresh processes is left out.
        """
        begin, end = (self.seconds * number / 4 for number in (quarter, quarter + 1))
        found = [each for each in self.samples if each.job == job and begin <= each.seconds < end]
        if column in KINDS:
            found = [each for each in found if each.driver and not self._is_fresh(each)]
        values = [float(getattr(each, column)) for each in found]
        return [value for value in values if not math.isnan(value)]

    def pause(self, job: str) -> float:
        """Return the longest time without another micro-batch, in seconds."""
        own = [each for each in self.samples if each.job == job]
        if not own:
            return 0.0
        longest, last = 0.0, own[0]
        for each in own[1:]:
            longest = max(longest, each.seconds - last.seconds)
            if each.batches != last.batches:
                last = each
        return longest

    def lag_after(self, event: Event, job: str) -> tuple[float, float]:
        """Return the greatest lag of a job after an event, and the seconds until it has caught up.

        The lag is in seconds, too: messages divided by their rate. What comes after the next event does not
        count.
        """
        own = [each for each in self.samples if each.job == job]
        rate = max((own[-1].sent - own[0].sent) / max(1.0, own[-1].seconds - own[0].seconds), 1e-9)
        end = min((each.seconds for each in self.events if each.seconds > event.seconds), default=math.inf)
        after = [each for each in own if event.seconds <= each.seconds < end]
        worst = max(after, key=lambda each: each.lag, default=None)
        if worst is None:
            return 0.0, 0.0
        level = _FEW_SECONDS * rate
        up = (each.seconds for each in after if each.seconds >= worst.seconds and each.lag <= level)
        return worst.lag / rate, next(up, math.inf) - event.seconds

    def _is_fresh(self, sample: Sample) -> bool:
        settles = min(_SETTLED_SECONDS, self.seconds / 40)
        events = [each for each in self.events if each.kind in _FRESH and each.job in ("", sample.job)]
        return sample.seconds < settles or any(
            each.seconds <= sample.seconds < each.until + settles for each in events
        )

    def _line(self, job: str, column: str) -> str:
        unit = " MiB" if column in KINDS else ""
        cells = []
        for quarter in range(4):
            values = self.values(job, column, quarter)
            cells.append(f"{median(values):,.0f}, {max(values):,.0f}" if values else "")
        return f"{job:<8}{column + unit:<16}" + "".join(f"{cell:>16}" for cell in cells)

    def _event_line(self, event: Event) -> str:
        told = []
        for job in self.jobs:
            lag, caught_up = self.lag_after(event, job)
            when = (
                f"caught up after {caught_up:.0f} s"
                if math.isfinite(caught_up)
                else "not before the next event"
            )
            told.append(f"{job} {lag:.0f} s behind, {when}")
        return f"{event.seconds:6.0f} s {event.kind:<9}{event.job:<8}{'; '.join(told)}"
