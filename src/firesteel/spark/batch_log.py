"""BatchLog, the last micro-batches of a job and what each of them spent its time on."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from firesteel.runtime.dataflow.counters import ChainCounters

KEPT = 100
"""Number of micro-batches that are remembered, the last ones."""
WAITING, TASKS, DELIVERY = "waiting", "tasks", "delivery"
"""The parts of a micro-batch, in this order.

WAITING is the time from the end of the previous micro-batch until Spark has planned this one. TASKS is the
time of the tasks. DELIVERY is the time in which the sinks, or the reader of a query, get the rows.
"""


@dataclass(frozen=True)
class Totals:
    """Counters of a job at the end of a micro-batch.

    Attributes:
        rows_in: Rows read from sources.
        rows_out: Changes that sinks have committed, or that the reader has taken.
        late: Rows dropped because they were late.
        skipped: Messages that could not be read.
    """

    rows_in: int = 0
    rows_out: int = 0
    late: int = 0
    skipped: int = 0


@dataclass(frozen=True)
class Batch:
    """One micro-batch that has ended.

    Attributes:
        number: Number of the micro-batch in the job. A restart from a checkpoint continues the numbering.
        ended: Time of its end in seconds since 1970.
        seconds: Seconds since the end of the previous micro-batch, or since the start of the job.
        spent: Seconds by part (WAITING, TASKS, DELIVERY).
        counts: Increase of the job's counters in this micro-batch.
        busy: By the number of a chain, the nanoseconds that each of its steps worked in this micro-batch, in
            all tasks together. The steps are its input, its operators in order, and its output.
    """

    number: int
    ended: float
    seconds: float
    spent: Mapping[str, float]
    counts: Totals
    busy: Mapping[int, tuple[int, ...]]


@dataclass
class BatchLog:
    """The last micro-batches of one job, oldest first, and the clock of the current one."""

    _batches: deque[Batch] = field(default_factory=lambda: deque(maxlen=KEPT))
    _marked: float = field(default_factory=time.monotonic)
    _spent: dict[str, float] = field(default_factory=dict)
    _totals: Totals = field(default_factory=Totals)
    _busy: dict[int, tuple[int, ...]] = field(default_factory=dict)

    def spend(self, part: str) -> None:
        """Add the time since the last call to the seconds of a part of the current micro-batch."""
        now = time.monotonic()
        self._spent[part] = self._spent.get(part, 0.0) + now - self._marked
        self._marked = now

    def end(self, number: int, totals: Totals, chains: Mapping[int, ChainCounters]) -> None:
        """End the current micro-batch.

        Args:
            number: Number of the micro-batch.
            totals: The job's counters now.
            chains: By the number of a chain, the job's counters now for each of its steps: its input, its
                operators in order, and its output.
        """
        before = self._totals
        counts = Totals(
            totals.rows_in - before.rows_in,
            totals.rows_out - before.rows_out,
            totals.late - before.late,
            totals.skipped - before.skipped,
        )
        busy = {chain: tuple(step.busy for step in steps) for chain, steps in chains.items()}
        own = {chain: _minus(now, self._busy.get(chain, ())) for chain, now in busy.items()}
        spent = self._spent
        self._batches.append(Batch(number, time.time(), sum(spent.values()), spent, counts, own))
        self._totals, self._busy, self._spent = totals, busy, {}

    def __iter__(self) -> Iterator[Batch]:
        return iter(list(self._batches))


def _minus(now: tuple[int, ...], before: tuple[int, ...]) -> tuple[int, ...]:
    padded = before or (0,) * len(now)
    return tuple(a - b for a, b in zip(now, padded, strict=True))
