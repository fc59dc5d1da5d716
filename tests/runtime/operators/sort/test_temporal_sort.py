"""ORDER BY time: what goes out, what is late, however the input is cut. Flink: RowTimeSortOperatorTest,
ProcTimeSortOperatorTest."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from firesteel.runtime.dataflow.operator import MAX_WATERMARK, WatermarkedBatch
from firesteel.runtime.operators.sort.temporal_sort import RowTimeSort, build
from firesteel.runtime.spec.over import OverTime, TemporalSortSpec
from firesteel.runtime.state.memory import memory_backend
from firesteel.runtime.state.order_codes import SortOrder
from firesteel.types.sql import INT, STRING, timestamp
from tests.runtime.changes import to_table
from tests.runtime.messages import Driver, all_rows
from tests.scale import examples

TYPES = (INT, STRING, timestamp(3))
BY_TIME = TemporalSortSpec(TYPES, OverTime.ROWTIME, 2)
BY_NUMBER_TOO = TemporalSortSpec(TYPES, OverTime.ROWTIME, 2, (0, 1), (SortOrder(), SortOrder(True)))


def driver(spec: TemporalSortSpec) -> Driver:
    return Driver(build(spec, memory_backend(), lambda: 0), TYPES)


def test_rows_of_one_time_keep_their_order() -> None:
    drive = driver(BY_TIME)
    drive.changes("+I 3 a 3, +I 2 b 1, +I 1 c 3, +I 4 d 9")
    assert drive.watermark(3) == "+I[2,b,1] +I[3,a,3] +I[1,c,3] W3"
    assert drive.watermark(MAX_WATERMARK) == "+I[4,d,9] WMAX"


def test_other_columns_sort_rows_of_one_time() -> None:
    drive = driver(BY_NUMBER_TOO)
    drive.changes("+I 3 a 3, +I 1 b 3, +I 1 c 3, +I null d 3, +I 9 e 2")
    assert drive.watermark(5) == "+I[9,e,2] +I[null,d,3] +I[1,c,3] +I[1,b,3] +I[3,a,3] W5"


def test_late_is_what_is_not_above_the_last_row_that_went_out() -> None:
    drive = driver(BY_TIME)
    drive.changes("+I 1 a 4")
    assert drive.watermark(8) == "+I[1,a,4] W8"
    drive.changes("+I 2 a 4, +I 3 a 6, +I 4 a 5")
    assert drive.watermark(9) == "+I[4,a,5] +I[3,a,6] W9"


def over_a_restart(spec: TemporalSortSpec, rows: str, mark: int) -> tuple[str, Driver, RowTimeSort]:
    """What goes out up to a watermark, and the operator that goes on behind it."""
    backend = memory_backend()
    drive = Driver(RowTimeSort(spec, backend), spec.input_types)
    assert drive.changes(rows) == ""
    out = drive.watermark(mark)
    assert drive.barrier() == ""
    after = RowTimeSort(spec, backend)
    return out, Driver(after, spec.input_types), after


def test_sort_on_two_fields() -> None:
    """testSortOnTwoFields."""
    spec = TemporalSortSpec((INT, timestamp(3), INT), OverTime.ROWTIME, 1, (0,), (SortOrder(),))
    out, after, operator = over_a_restart(
        spec,
        "+I 3 3 3, +I 2 2 2, +I 6 2 6, +I 5 3 5, +I 7 1 7, +I 9 4 9, +I 10 4 10, +I 8 4 8, +I 1 1 2, "
        "+I 1 1 1, +I 4 3 4, +I 4 5 4",
        4,
    )
    assert out == (
        "+I[1,1,2] +I[1,1,1] +I[7,1,7] +I[2,2,2] +I[6,2,6] +I[3,3,3] +I[4,3,4] +I[5,3,5] +I[8,4,8] "
        "+I[9,4,9] +I[10,4,10] W4"
    )
    assert after.changes("+I 5 3 6") == ""
    assert [after.watermark(time) for time in (5, 11, 12)] == ["+I[4,5,4] W5", "W11", "W12"]
    assert operator.late == 1


def test_sort_on_row_time_only() -> None:
    """testOnlySortOnRowTime."""
    spec = TemporalSortSpec((timestamp(3), INT, INT), OverTime.ROWTIME, 0)
    out, after, operator = over_a_restart(
        spec,
        "+I 3 2 3, +I 2 2 2, +I 6 3 6, +I 5 3 5, +I 7 4 7, +I 9 4 9, +I 10 4 10, +I 8 4 8, +I 1 1 2, "
        "+I 1 1 1, +I 4 3 4",
        9,
    )
    assert out == (
        "+I[1,1,2] +I[1,1,1] +I[2,2,2] +I[3,2,3] +I[4,3,4] +I[5,3,5] +I[6,3,6] +I[7,4,7] +I[8,4,8] "
        "+I[9,4,9] W9"
    )
    assert after.changes("+I 5 3 6") == ""
    assert [after.watermark(time) for time in (10, 11, 12)] == ["+I[10,4,10] W10", "W11", "W12"]
    assert operator.late == 1


def test_by_the_clock_a_micro_batch_is_sorted_at_its_end() -> None:
    drive = driver(TemporalSortSpec(TYPES, OverTime.PROCTIME, 2, (0,), (SortOrder(True),)))
    assert drive.changes("+I 1 a 0, +I 3 b 0, +I 2 c 0") == ""
    assert drive.barrier() == "+I[3,b,0] +I[2,c,0] +I[1,a,0]"


EVENTS = st.lists(
    st.one_of(st.tuples(st.integers(0, 3), st.integers(-9, 30)), st.integers(1, 12)), max_size=40
)


@settings(max_examples=examples(200), deadline=None)
@given(events=EVENTS, cuts=st.lists(st.integers(0, 40), max_size=4), anew=st.booleans())
def test_any_cutting_gives_what_flink_gives(events: list, cuts: list[int], anew: bool) -> None:
    """Against RowTimeSortOperator, row by row. A number is how far event time moves, a pair a row."""
    backend = memory_backend()
    operator, out, late, expected = RowTimeSort(BY_NUMBER_TOO, backend), [], 0, []
    waiting: list[tuple] = []
    mark, sent, dropped, order = 0, -(1 << 63), 0, 0
    stream = [*events, 1 << 40]
    bounds = [0, *sorted(min(cut, len(stream)) for cut in cuts), len(stream)]
    for start, end in pairwise(bounds):
        rows, times, sequences = [], [], []
        for event in stream[start:end]:
            if isinstance(event, tuple):
                number, time = event[0], mark + event[1]
                rows.append(("+I", number, str(order + len(rows)), np.datetime64(time, "ms").astype(object)))
                if time > sent:
                    waiting.append((time, number, -order - len(rows), rows[-1][2]))
                else:
                    dropped += 1
                continue
            mark += event
            times.append(mark)
            sequences.append(order + len(rows) - 1)
            due = sorted(row for row in waiting if row[0] <= mark)
            waiting = [row for row in waiting if row[0] > mark]
            expected += [(row[0], row[1], row[3]) for row in due]
            sent = due[-1][0] if due else sent
        message = WatermarkedBatch(
            to_table(rows, TYPES, order), np.array(times, np.int64), np.array(sequences, np.int64)
        )
        order += len(rows)
        out += all_rows(operator.watermarked(message))
        operator.barrier()
        if anew:
            late += operator.late
            operator = RowTimeSort(BY_NUMBER_TOO, backend)
    found = [(_millis(time), number) for _, number, _, time in out]
    assert found == [(time, number) for time, number, _ in expected]
    assert late + operator.late == dropped


def _millis(time: object) -> int:
    return int(np.datetime64(time, "ms").astype(int))
