"""OVER aggregates against Flink's functions row by row, however the input is cut; and their traces.

Flink: RowTimeOverWindow*Test, RowTimeRangeBoundedPrecedingFunctionTest, RowTimeRowsBoundedPrecedingFunctionTest,
RowTimeRangeUnboundedPrecedingFunctionTest, RowTimeRowsUnboundedPrecedingFunctionTest,
ProcTimeRangeBoundedPrecedingFunctionTest.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firesteel.runtime.operators.base import MAX_WATERMARK, Marked, Watermark
from firesteel.runtime.operators.over_aggregate import RowTimeOver, build
from firesteel.runtime.over_spec import OverAggregateSpec, OverFrame, OverTime
from firesteel.runtime.spec import AggregateSpec, GroupAggregateSpec
from firesteel.runtime.state.memory import memory_backend
from firesteel.types.sql import BIGINT, DOUBLE, INT, STRING, SqlType, timestamp
from tests.reference.over import ReferenceOver
from tests.runtime.changes import to_table
from tests.runtime.messages import Driver, all_rows

ROWS, RANGE = True, False
COUNT = AggregateSpec("COUNT", (), (), BIGINT)


def call(function: str, kind: SqlType = INT, **more: object) -> AggregateSpec:
    result = BIGINT if function == "COUNT" else kind
    return replace(AggregateSpec(function, (1,), (kind,), result), **more)  # type: ignore[arg-type]


def spec(
    rows: bool,
    preceding: int | None,
    *calls: AggregateSpec,
    order: OverTime = OverTime.ROWTIME,
    kind: SqlType = INT,
    keys: tuple[int, ...] = (0,),
) -> OverAggregateSpec:
    """Calls over (k STRING, v, ts): what the translation makes of them."""
    bounded = preceding is not None
    epochs = bounded and order is OverTime.ROWTIME
    types = (STRING, kind, timestamp(3))
    aggregate = GroupAggregateSpec(
        (*keys, 3) if epochs else keys,
        tuple(replace(each, retract=bounded) for each in calls),
        (*types, BIGINT) if epochs else types,
        bounded,
        False,
        every_row=True,
        state_id="over",
    )
    return OverAggregateSpec(aggregate, 3, (), OverFrame(rows, preceding), order, 2)


def driver(what: OverAggregateSpec, clock: int = 0) -> Driver:
    types = what.aggregate.input_types[:3]
    return Driver(build(what, memory_backend(), lambda: clock), types)


EVENTS = st.lists(
    st.tuples(st.sampled_from("ab"), st.integers(-5, 60), st.integers(0, 9)), min_size=1, max_size=30
)


@st.composite
def streams(draw: st.DrawFn) -> tuple[list[object], list[int]]:
    """Rows (key, value, time) and watermarks among them, and where the stream is cut into messages."""
    events: list[object] = []
    mark = draw(st.integers(0, 10))
    for number, (key, ahead, step) in enumerate(draw(EVENTS)):
        events.append((key, number, max(mark + ahead - 25, -3)))
        if step > 4:
            mark += step
            events.append(mark)
    events.append(MAX_WATERMARK)
    return events, draw(st.lists(st.integers(0, len(events)), max_size=4))


def in_messages(events: list[object], cuts: list[int]) -> list[Marked]:
    """The stream as tables with watermarks among their rows."""
    found, start, order = [], 0, 0
    for end in [*sorted(cuts), len(events)]:
        piece, start = events[start:end], end
        rows = [("+I", *event) for event in piece if isinstance(event, tuple)]
        marks = [event for event in piece if isinstance(event, int)]
        orders, at = [], order
        for event in piece:
            at += isinstance(event, tuple)
            if isinstance(event, int):
                orders.append(at - 1)
        table = to_table([_timed(row) for row in rows], (STRING, INT, timestamp(3)), order)
        order += len(rows)
        found.append(Marked(table, np.array(marks, np.int64), np.array(orders, np.int64)))
    return found


def _timed(row: tuple) -> tuple:
    return (*row[:3], np.datetime64(row[3], "ms").astype(object))


@pytest.mark.parametrize("frame", [(ROWS, None), (RANGE, None), (ROWS, 0), (ROWS, 2), (RANGE, 0), (RANGE, 7)])
@settings(deadline=None)
@given(stream=streams(), anew=st.booleans())
def test_any_cutting_gives_what_flink_gives(frame: tuple, stream: tuple, anew: bool) -> None:
    events, cuts = stream
    reference = ReferenceOver(*frame)
    expected = []
    for event in events:
        if isinstance(event, tuple):
            reference.element(*event)
        else:
            expected.append(sorted(reference.watermark(event), key=lambda out: (out[2], out[1])))
    what, backend = spec(*frame, call("$SUM0"), COUNT), memory_backend()
    operator, late, found = RowTimeOver(what, backend), 0, []
    for message in in_messages(events, cuts):
        found += all_rows(operator.marked(message))
        operator.barrier()
        if anew:  # as the stream host does: all that matters is in the state
            late += operator.late
            operator = RowTimeOver(what, backend)
    flat = [
        (k, v, int(np.datetime64(ts).astype("datetime64[ms]").astype(int)), total, count)
        for _, k, v, ts, total, count in found
    ]
    assert flat == [out for outs in expected for out in outs]
    assert late + operator.late == reference.late
