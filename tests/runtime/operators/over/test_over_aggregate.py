"""OVER aggregates against Flink's functions row by row, however the input is cut; and their traces.

Flink: RowTimeOverWindowTestBase and its tests of ROWS and RANGE, bounded and unbounded,
ProcTimeRangeBoundedPrecedingFunctionTest.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from firesteel.runtime.dataflow.operator import MAX_WATERMARK, Watermark, WatermarkedBatch
from firesteel.runtime.operators.over.over_aggregate import RowTimeOver, build
from firesteel.runtime.spec.operators import AggregateSpec, GroupAggregateSpec
from firesteel.runtime.spec.over import OverAggregateSpec, OverFrame, OverTime
from firesteel.runtime.state.memory import memory_backend
from firesteel.types.sql import BIGINT, DOUBLE, INT, STRING, SqlType, timestamp
from tests.reference.over import ReferenceOver
from tests.runtime.changes import to_table
from tests.runtime.messages import Driver, all_rows
from tests.runtime.state_size import kept
from tests.scale import examples

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


def in_messages(events: list[object], cuts: list[int]) -> list[WatermarkedBatch]:
    """The stream as tables with watermarks among their rows."""
    found, start, order = [], 0, 0
    for end in [*sorted(cuts), len(events)]:
        piece, start = events[start:end], end
        rows = [("+I", *event) for event in piece if isinstance(event, tuple)]
        marks = [event for event in piece if isinstance(event, int)]
        sequences, at = [], order
        for event in piece:
            at += isinstance(event, tuple)
            if isinstance(event, int):
                sequences.append(at - 1)
        table = to_table([_timed(row) for row in rows], (STRING, INT, timestamp(3)), order)
        order += len(rows)
        found.append(WatermarkedBatch(table, np.array(marks, np.int64), np.array(sequences, np.int64)))
    return found


def _timed(row: tuple) -> tuple:
    return (*row[:3], np.datetime64(row[3], "ms").astype(object))


BEHIND = [("a", 0, 3), 21, ("a", 1, 4)]
"""The timer that forgets the key is set behind event time, and rings with the next watermark."""


@pytest.mark.parametrize("frame", [(ROWS, None), (RANGE, None), (ROWS, 0), (ROWS, 2), (RANGE, 0), (RANGE, 7)])
@settings(max_examples=examples(200), deadline=None)
@given(stream=streams(), anew=st.booleans())
@example(stream=([*BEHIND, 26, ("a", 2, 4), MAX_WATERMARK], [3, 3]), anew=True)
@example(stream=([*BEHIND, ("a", 2, 30), 26, ("a", 3, 5), MAX_WATERMARK], [3]), anew=True)
@example(stream=([*BEHIND, ("b", 2, 30), 26, ("a", 3, 5), MAX_WATERMARK], [3, 4]), anew=True)
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
        found += all_rows(operator.watermarked(message))
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


@pytest.mark.parametrize("frame", [(ROWS, None), (RANGE, None), (ROWS, 2000), (RANGE, 2000)])
def test_late_rows_are_counted(frame: tuple[bool, int | None]) -> None:
    """testLateRecordMetrics of RowTimeRowsUnbounded-, RowTimeRangeUnbounded-, RowTimeRowsBounded- and
    RowTimeRangeBoundedPrecedingFunctionTest."""
    what = spec(*frame, call("$SUM0"))
    operator = RowTimeOver(what, memory_backend())
    drive = Driver(operator, what.aggregate.input_types[:3])
    drive.changes("+I key 1 100, +I key 1 100, +I key 1 500")
    assert drive.watermark(500).split()[-2:] == ["+I[key,1,500,3]", "W500"]
    drive.changes("+I key 1 400")
    assert operator.late == 1


def test_state_of_a_range_with_a_bound_is_cleared() -> None:
    """RowTimeRangeBoundedPrecedingFunctionTest.testStateCleanup; in 2.3 nothing is left of the key."""
    what, backend = spec(RANGE, 2000, call("$SUM0")), memory_backend()
    operator = RowTimeOver(what, backend)
    drive = Driver(operator, what.aggregate.input_types[:3])
    drive.changes("+I key 1 100, +I key 1 100, +I key 1 500")
    drive.watermark(1000)
    drive.barrier()
    assert sum(kept(backend).values()) > 3
    drive.watermark(4000)
    drive.barrier()
    assert kept(backend) == {f"over-aggregate/{name}": 1 for name in ("time", "came", "went")}
    drive.changes("+I key 1 400")
    assert operator.late == 0


def test_late_rows_of_a_range_with_a_bound() -> None:
    what = spec(RANGE, 2000, call("$SUM0"))
    operator = RowTimeOver(what, memory_backend())
    drive = Driver(operator, what.aggregate.input_types[:3])
    drive.changes("+I k 1 1000, +I k 2 500")
    assert (drive.watermark(500), operator.late) == ("+I[k,2,500,2] W500", 0)
    drive.changes("+I k 3 499")
    assert operator.late == 1
    assert drive.watermark(1000) == "+I[k,1,1000,3] W1000"


def test_a_key_is_forgotten_and_begins_again() -> None:
    """RANGE 10: forgotten 16 after its last row; then even a row of long ago is taken, and sees nothing."""
    drive = driver(spec(RANGE, 10, call("$SUM0"), COUNT))
    drive.changes("+I a 5 100, +I b 1 100")
    assert drive.watermark(115) == "+I[a,5,100,5,1] +I[b,1,100,1,1] W115"
    drive.changes("+I a 6 99")
    assert drive.watermark(116) == "W116"
    drive.changes("+I a 7 99")
    assert drive.watermark(117) == "+I[a,7,99,7,1] W117"


@pytest.mark.parametrize("preceding", [None, 3])
def test_rows_of_one_time_are_peers_of_a_range(preceding: int | None) -> None:
    drive = driver(spec(RANGE, preceding, call("$SUM0"), call("MAX")))
    drive.changes("+I a 1 2, +I a 4 2, +I a 2 1")
    assert drive.watermark(5) == "+I[a,2,1,2,2] +I[a,1,2,7,4] +I[a,4,2,7,4] W5"


def test_a_sum_of_floating_point_keeps_what_retraction_leaves() -> None:
    """As Flink: a frame without the rows before is not summed anew."""
    drive = driver(spec(ROWS, 0, call("$SUM0", DOUBLE), kind=DOUBLE))
    drive.changes("+I a 0.1 1, +I a 0.2 2, +I a 0.3 3")
    assert drive.watermark(5) == (
        "+I[a,0.1,1,0.1] +I[a,0.2,2,0.2] +I[a,0.3,3,0.30000000000000004] W5".replace(
            "0.30000000000000004", str((0.1 - 0.1 + 0.2) - 0.2 + 0.3)
        )
    )


LAG = AggregateSpec("LAG", (1,), (INT,), INT, options=("1",))


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        (ROWS, "+I[a,1,1,null] +I[a,2,2,1] +I[a,3,2,2] +I[a,4,3,3] W5"),
        (RANGE, "+I[a,1,1,null] +I[a,2,2,2] +I[a,3,2,2] +I[a,4,3,3] W5"),
    ],
)
def test_lag(rows: bool, expected: str) -> None:
    drive = driver(spec(rows, None, LAG))
    drive.changes("+I a 1 1, +I a 2 2, +I a 3 2, +I a 4 3")
    assert drive.watermark(5) == expected


def test_lag_with_an_offset_and_a_default() -> None:
    what = spec(ROWS, None, replace(LAG, args=(1, 3), arg_types=(INT, INT), options=("2",)))
    aggregate = replace(what.aggregate, input_types=(*what.aggregate.input_types, INT))
    drive = driver(replace(what, aggregate=aggregate, constants=((-1, INT),)))
    drive.changes("+I a 1 1, +I a null 2, +I a 3 3, +I a 4 4")
    assert drive.watermark(9) == "+I[a,1,1,-1] +I[a,null,2,-1] +I[a,3,3,1] +I[a,4,4,null] W9"


def test_distinct_values_leave_with_their_rows() -> None:
    count = replace(call("COUNT", distinct=True), arg_types=(STRING,))
    drive = driver(spec(ROWS, 1, count, call("LISTAGG", STRING), kind=STRING))
    drive.changes("+I a x 1, +I a x 2, +I a y 3, +I a z 4")
    assert drive.watermark(9) == "+I[a,x,1,1,x] +I[a,x,2,1,x,x] +I[a,y,3,2,x,y] +I[a,z,4,2,y,z] W9"


def test_without_partition_all_rows_are_one() -> None:
    drive = driver(spec(ROWS, None, COUNT, keys=()))
    drive.changes("+I a 1 2, +I b 4 1")
    assert drive.watermark(5) == "+I[b,4,1,1] +I[a,1,2,2] W5"


def test_rows_go_out_with_the_watermarks_that_pass_them() -> None:
    drive = driver(spec(RANGE, None, COUNT))
    assert drive.watermarked("+I a 1 5, +I a 2 3, +I a 3 9, +I a 4 4", (2, 3), (3, 7)) == (
        "+I[a,2,3,1] W3 +I[a,1,5,2] W7"
    )
    assert drive.watermark(MAX_WATERMARK) == "+I[a,3,9,3] WMAX"


@pytest.mark.parametrize("rows", [ROWS, RANGE])
def test_by_processing_time_without_a_bound_each_row_goes_out_at_once(rows: bool) -> None:
    drive = driver(spec(rows, None, call("$SUM0"), order=OverTime.PROCTIME))
    assert drive.changes("+I b 1 0, +I a 2 0, +I b 3 0") == "+I[b,1,0,1] +I[a,2,0,2] +I[b,3,0,4]"
    assert drive.changes("+I a 2 0") == "+I[a,2,0,4]"


def test_by_processing_time_a_number_of_rows() -> None:
    drive = driver(spec(ROWS, 1, call("$SUM0"), order=OverTime.PROCTIME))
    assert drive.changes("+I a 1 0, +I a 2 0") == "+I[a,1,0,1] +I[a,2,0,3]"
    assert drive.changes("+I a 4 0, +I a 8 0") == "+I[a,4,0,6] +I[a,8,0,12]"


def test_by_processing_time_a_range_waits_until_the_clock_moves() -> None:
    now = 1000
    what = spec(RANGE, 4, call("$SUM0"), order=OverTime.PROCTIME)
    drive = Driver(build(what, memory_backend(), lambda: now), what.aggregate.input_types)
    assert drive.changes("+I a 1 0, +I a 2 0") == ""
    assert drive.barrier() == "+I[a,1,0,3] +I[a,2,0,3]"
    now = 1004
    drive.changes("+I a 4 0")
    assert drive.barrier() == "+I[a,4,0,7]"
    now = 1005
    drive.changes("+I a 8 0")
    assert drive.barrier() == "+I[a,8,0,12]"


@pytest.mark.parametrize("keys", [(0,), ()])
def test_by_processing_time_a_range_forgets_who_is_silent(keys: tuple[int, ...]) -> None:
    now, backend = 1000, memory_backend()
    what = spec(RANGE, 4, call("$SUM0"), order=OverTime.PROCTIME, keys=keys)
    drive = Driver(build(what, backend, lambda: now), what.aggregate.input_types)
    drive.changes("+I a 1 0, +I a 2 0")
    assert drive.barrier() == "+I[a,1,0,3] +I[a,2,0,3]"
    now = 1006
    assert drive.barrier() == ""
    assert kept(backend)["over-aggregate/kept"] == 2
    now = 1007
    drive.changes("+I a 4 0")
    assert drive.barrier() == "+I[a,4,0,4]"
    now = 1014
    assert drive.barrier() == ""
    assert kept(backend) == {"over-aggregate/came": 1}


def test_the_watermark_is_kept_over_micro_batches() -> None:
    what, backend = spec(RANGE, None, COUNT), memory_backend()
    first = RowTimeOver(what, backend)
    list(first.watermark(Watermark(10)))
    first.barrier()
    second = RowTimeOver(what, backend)
    Driver(second, what.aggregate.input_types[:3]).changes("+I a 1 10, +I a 1 11")
    assert second.late == 1
