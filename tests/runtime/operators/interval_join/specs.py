"""Interval joins for tests: rows are (id, k, ts), the time in milliseconds."""

from __future__ import annotations

from firesteel.functions.duckdb.calc_spec import CalcSpec
from firesteel.runtime.dataflow.chain import standing_clock
from firesteel.runtime.operators.interval_join.interval_join import IntervalJoin
from firesteel.runtime.spec.interval_join import IntervalJoinSpec
from firesteel.runtime.spec.join import JoinInput, JoinKind
from firesteel.types.sql import INT, STRING, timestamp
from tests.runtime.messages import Driver

TYPES = (INT, STRING, timestamp(3))
LESS = CalcSpec((), (), "f0 < f3")
"""The id of the left row is less than that of the right one."""


def spec(
    kind: JoinKind,
    lower: int,
    upper: int,
    *,
    min_cleanup: int = 0,
    null_safe: bool = False,
    condition: CalcSpec | None = None,
    is_rowtime: bool = True,
    keyed: bool = True,
) -> IntervalJoinSpec:
    side = JoinInput(TYPES, (1,) if keyed else ())
    safe = (null_safe,) if keyed else ()
    return IntervalJoinSpec(
        kind, (side, side), safe, lower, upper, is_rowtime, (2, 2), condition, min_cleanup
    )


def driver(of: IntervalJoinSpec) -> Driver:
    return Driver(IntervalJoin(of, None, standing_clock(1)), TYPES, TYPES)


def both(drive: Driver, time: int) -> str:
    """Send a watermark at both inputs and return what the second one causes."""
    assert drive.watermark(time, 0) == ""
    return drive.watermark(time, 1)
