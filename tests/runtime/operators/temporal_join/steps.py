"""What the tests of temporal joins share: a join, and steps that are played to it."""

from __future__ import annotations

from firesteel.functions.duckdb.calc_spec import CalcSpec
from firesteel.runtime.dataflow.chain import standing_clock
from firesteel.runtime.dataflow.operator import MAX_WATERMARK
from firesteel.runtime.operators.temporal_join.temporal_join import TemporalJoin
from firesteel.runtime.spec.temporal_join import TemporalJoinSpec, TimedInput
from firesteel.runtime.state.memory import memory_backend
from firesteel.types.sql import INT, STRING, timestamp
from tests.runtime.messages import Driver

TYPES = (INT, STRING, timestamp(3))
"""id, k, time"""


def spec(pads: bool = False, condition: CalcSpec | None = None, ttl: int = 0) -> TemporalJoinSpec:
    side = TimedInput(TYPES, (1,), 2)
    return TemporalJoinSpec(pads, (side, side), condition, ttl)


def driver(of: TemporalJoinSpec) -> Driver:
    return Driver(TemporalJoin(of, memory_backend(), standing_clock(1)), TYPES, TYPES)


def play(drive: Driver, steps: str) -> list[str]:
    """What leaves at each step: `l +I 1 a 5` and `r ...` are rows, `l W7` and `r W7` watermarks."""
    sent = []
    for step in filter(None, (step.strip() for step in steps.splitlines())):
        port, what = "lr".index(step[0]), step[2:].strip()
        if what.startswith("W"):
            time = MAX_WATERMARK if what == "WMAX" else int(what[1:])
            found = " ".join(w for w in drive.watermark(time, port).split() if not w.startswith("W"))
        else:
            found = drive.changes(what, port)
        if found:
            sent.append(f"{step}: {found}")
    return sent
