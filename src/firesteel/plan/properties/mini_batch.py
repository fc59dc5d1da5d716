"""Interval and clock by which mini-batches below a node end (Flink: MiniBatchIntervalInferRule)."""

from __future__ import annotations

import math
from dataclasses import dataclass

from firesteel.plan.properties.property import OF_PHYSICAL, NodeProperty

NONE = "None"
PROC_TIME = "ProcTime"
ROW_TIME = "RowTime"
NO_MINI_BATCH = "NoMiniBatch"


@dataclass(frozen=True)
class Interval:
    """Requirement of a node for the mini-batches below it.

    Attributes:
        mode: Kind of time by which mini-batches end: `ProcTime`, `RowTime`, `None` for any, or `NoMiniBatch`
            for no mini-batches.
        millis: Length of a mini-batch in milliseconds, 0 for any.
    """

    mode: str = NONE
    millis: int = 0

    def merged(self, other: Interval) -> Interval:
        """Return the interval that satisfies both this requirement and `other`.

        A length of 0 fits any (FlinkRelOptUtil.mergeMiniBatchInterval).
        """
        modes = {self.mode, other.mode}
        if NO_MINI_BATCH in modes:
            return Interval(NO_MINI_BATCH)
        if NONE in modes:
            return other if self.mode == NONE else self
        if modes == {ROW_TIME}:
            return Interval(ROW_TIME, math.gcd(self.millis, other.millis))
        if modes == {PROC_TIME}:
            return self
        row, proc = (self, other) if self.mode == ROW_TIME else (other, self)
        return Interval(ROW_TIME, row.millis or proc.millis)


NOTHING_ASKED = Interval()
NOT_IN_BUNDLES = Interval(NO_MINI_BATCH)
BY_EVENT_TIME = Interval(ROW_TIME)

interval_asked: NodeProperty[Interval] = NodeProperty("mini-batch interval", OF_PHYSICAL)
"""Mini-batch interval that a node itself requires of its inputs."""
