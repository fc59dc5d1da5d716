"""By which time the mini-batches below a node end (Flink: MiniBatchIntervalInferRule)."""

from __future__ import annotations

import math
from dataclasses import dataclass

from firesteel.plan.properties.property import OF_PHYSICAL, Fact

NONE = "None"
PROC_TIME = "ProcTime"
ROW_TIME = "RowTime"
NO_MINI_BATCH = "NoMiniBatch"


@dataclass(frozen=True)
class Interval:
    """What a node asks of its inputs: the time by which mini-batches end, and how far apart, in ms."""

    mode: str = NONE
    millis: int = 0

    def merged(self, other: Interval) -> Interval:
        """What serves both; an interval of 0 is any interval (FlinkRelOptUtil.mergeMiniBatchInterval)."""
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

interval_asked: Fact[Interval] = Fact("mini-batch interval", OF_PHYSICAL)
"""What a node asks of its inputs, besides what is asked of it."""
