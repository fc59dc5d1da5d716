"""Aggregate functions of the user's over pandas: frames of OVER, windows of GROUP BY, and refusals."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings

from firesteel import TableEnvironment
from firesteel.errors import FiresteelError, JobError, NotSupportedError, ValidationError
from firesteel.functions.python import udaf
from firesteel.functions.python.series import aggregated, to_series
from firesteel.runtime.operators.over.over_aggregate import RowTimeOver
from firesteel.runtime.spec.operators import AggregateSpec
from firesteel.runtime.spec.over import OverTime
from firesteel.runtime.state.memory import memory_backend
from firesteel.types.sql import BIGINT, INT, STRING
from firesteel.types.user_function import UserFunction
from tests.functions.python import sample
from tests.reference.over import ReferenceOver
from tests.runtime.messages import all_rows
from tests.runtime.operators.over.test_over_aggregate import RANGE, ROWS, driver, in_messages, spec, streams
from tests.runtime.operators.window.test_group_window_aggregate import Steps
from tests.runtime.operators.window.test_group_window_aggregate import spec as window_spec
from tests.scale import examples


def function(name: str) -> UserFunction:
    return UserFunction(name, f"tests.functions.python.sample:{name}", is_pandas=True)


SUMMED = AggregateSpec("summed", (1,), (INT,), INT, user=function("summed"))
COUNTED = AggregateSpec("counted", (1,), (INT,), BIGINT, user=function("counted"))
LISTED = AggregateSpec("listed", (1, 0), (INT, STRING), STRING, user=function("listed"))
MEDIAN = AggregateSpec("median", (1,), (INT,), INT, user=function("median"))


# --- OVER ----------------------------------------------------------------------------------------------
@pytest.mark.parametrize("frame", [(ROWS, 0), (ROWS, 2), (RANGE, 0), (RANGE, 7)])
@settings(max_examples=examples(60), deadline=None)
@given(stream=streams())
def test_any_cutting_gives_the_frames_of_flink(frame: tuple, stream: tuple) -> None:
    events, cuts = stream
    reference, expected = ReferenceOver(*frame), []
    for event in events:
        if isinstance(event, tuple):
            reference.element(*event)
        else:
            expected += sorted(reference.watermark(event), key=lambda out: (out[2], out[1]))
    what, backend = spec(*frame, SUMMED, COUNTED), memory_backend()
    found = []
    for message in in_messages(events, cuts):
        operator = RowTimeOver(what, backend)
        found += all_rows(operator.watermarked(message))
        operator.barrier()
    assert [(k, v, total, count) for _, k, v, _, total, count in found] == [
        (k, v, total, count) for k, v, _, total, count in expected
    ]


def test_a_frame_comes_in_the_order_of_time_and_is_never_empty() -> None:
    drive = driver(spec(ROWS, 1, LISTED))
    drive.changes("+I a 1 3, +I b 7 2, +I a 2 1, +I a null 2")
    assert drive.watermark(9) == (
        "+I[a,2,1,2|a] +I[b,7,2,7|b] +I[a,null,2,2.0~nan|a~a] +I[a,1,3,nan~1.0|a~a] W9"
    )


def test_by_the_clock() -> None:
    drive = driver(spec(ROWS, 1, LISTED, order=OverTime.PROCTIME))
    drive.changes("+I a 1 3, +I b 7 2")
    assert drive.changes("+I a 2 1, +I a 3 1") == "+I[a,2,1,1~2|a~a] +I[a,3,1,2~3|a~a]"


def test_peers_of_a_range_are_given_to_the_function_once() -> None:
    calls: list[int] = []
    sample.median.function.function, kept = lambda v: calls.append(len(v)), sample.median.function.function
    try:
        drive = driver(spec(RANGE, 5, MEDIAN))
        drive.changes("+I a 1 2, +I a 4 2, +I a 2 1")
        drive.watermark(5)
    finally:
        sample.median.function.function = kept
    assert calls == [1, 3]


# --- windows of GROUP BY -------------------------------------------------------------------------------
@pytest.mark.parametrize("restarts", [False, True])
def test_hops_have_each_their_rows_as_they_came(restarts: bool) -> None:
    """As Flink: [2, 4] [1, 2, 3, 4, 5] [1, 3, 5, 6]; panes that are shared would mix them up."""
    steps = Steps(window_spec(10, 5, calls=(LISTED,)))
    for row in ("a 1 7", "a 2 3", "a 3 6", "a 4 1", "a 5 6", "a 6 12"):
        steps.rows(f"+I {row}")
        if restarts:
            steps.clock(0)
            steps.restart()
    assert [row.split(",")[1] for row in steps.watermark(4)[:-1]] == ["2~4|a~a"]
    assert [row.split(",")[1] for row in steps.watermark(9)[:-1]] == ["1~2~3~4~5|a~a~a~a~a"]
    assert steps.rows("+I a 8 3") == []
    assert [row.split(",")[1] for row in steps.watermark(14)[:-1]] == ["1~3~5~6|a~a~a~a"]
    steps.watermark(30)
    assert not steps.operator._state._live


def test_rows_are_taken_back() -> None:
    count = AggregateSpec("COUNT", (), (), BIGINT)
    steps = Steps(window_spec(10, calls=(LISTED, count), retracts=True))
    steps.rows("+I a 1 1, +I a null 2, +I b 5 2, -D a 1 1, +I a 3 1, -D b 5 2, +I a null 4, -U a null 2")
    assert [row.split(",")[1] for row in steps.watermark(9)[:-1]] == ["3.0~nan|a~a"]


# --- values --------------------------------------------------------------------------------------------
def value(call: object, kind: pa.DataType, *columns: pa.Array) -> object:
    sample.probe = udaf(call, result_type="STRING", func_type="pandas")  # type: ignore[attr-defined]
    from firesteel.functions.python import load

    load._loaded.clear()
    return aggregated(function("probe"), columns or [pa.array([1, 2])], kind).to_pylist()[0]


@pytest.mark.parametrize(
    ("result", "kind", "expected"),
    [
        (2.0, pa.int32(), 2),
        (np.int64(7), pa.int32(), 7),
        (float("nan"), pa.float64(), None),
        (None, pa.string(), None),
        (Decimal("1.5"), pa.decimal128(10, 2), Decimal("1.50")),
        (dt.date(2026, 1, 2), pa.date32(), dt.date(2026, 1, 2)),
        ([1, None], pa.list_(pa.int32()), [1, None]),
        ((1, "x"), pa.struct([("a", pa.int32()), ("b", pa.string())]), {"a": 1, "b": "x"}),
    ],
)
def test_results(result: object, kind: pa.DataType, expected: object) -> None:
    assert value(lambda v: result, kind) == expected


@pytest.mark.parametrize(("result", "kind"), [(1.5, pa.int32()), ("seven", pa.int32()), (7, pa.string())])
def test_what_is_not_of_the_type_is_named(result: object, kind: pa.DataType) -> None:
    with pytest.raises(JobError, match=r"Function probe\('int64\[2\]'\) gave .*, which is no "):
        value(lambda v: result, kind)


def test_a_function_that_fails_is_named_with_its_line() -> None:
    with pytest.raises(JobError, match=r"Function probe\('int64\[2\]'\) failed: ZeroDivisionError") as failed:
        value(lambda v: 1 / 0, pa.int32())
    assert failed.value.hint is not None
    assert "tests/functions/python/test_pandas_aggregate.py" in failed.value.hint


def test_arguments() -> None:
    days = to_series(pa.array([dt.date(2026, 1, 2), None]))
    assert days.tolist() == [dt.date(2026, 1, 2), None]
    rows = to_series(pa.array([{"x": 1, "y": None}, {"x": 2, "y": "b"}]))
    assert rows.to_dict("list") == {"x": [1, 2], "y": [None, "b"]}


# --- what is refused -----------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def environment() -> TableEnvironment:
    made = TableEnvironment.create()
    made.execute_sql(
        "CREATE TABLE t (k STRING, v INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH "
        "('connector' = 'filesystem', 'path' = 'unread/t.json', 'format' = 'json')"
    )
    for name in ("median", "listed", "weighted_average"):
        made.create_temporary_function(name, getattr(sample, name))
    return made


BY = "PARTITION BY k ORDER BY ts"
LAST = f"({BY} ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)"
TUMBLE = "GROUP BY k, TUMBLE(ts, INTERVAL '1' MINUTE)"
_TIME = "OVER windows' ordering in stream mode must be defined on a time attribute."
_SINGLE = "The window can only be ordered by a single time column."
_UNBOUNDED = "Python UDAF is not supported to be used in UNBOUNDED {} OVER windows."
_STREAMING = "Pandas UDAFs are not supported in streaming mode currently."
_MIXED = "Python UDAF and Java/Scala UDAF cannot be used together."


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("SELECT median(v) FROM t", _STREAMING),
        ("SELECT k, median(v), SUM(v) FROM t GROUP BY k", _STREAMING),
        ("SELECT median(v) FROM TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '1' MINUTE) GROUP BY window_start, "
         "window_end", _STREAMING),
        (f"SELECT median(v) OVER ({BY}) FROM t", _UNBOUNDED.format("PRECEDING")),
        (f"SELECT median(v) OVER ({BY} ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) FROM t",
         _UNBOUNDED.format("FOLLOWING")),
        ("SELECT median(v) OVER (PARTITION BY k) FROM t", _SINGLE),
        (f"SELECT median(v) OVER ({BY}, v ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM t", _SINGLE),
        (f"SELECT median(v) OVER ({BY} DESC) FROM t", "The window can only be ordered in ASCENDING mode."),
        ("SELECT median(v) OVER (ORDER BY v) FROM t", _TIME),
        (f"SELECT median(v) OVER {LAST}, SUM(v) OVER {LAST} FROM t", _MIXED),
        (f"SELECT median(v) OVER {LAST}, weighted_average(v) OVER {LAST} FROM t",
         "Non-Pandas Python UDAFs are not supported in stream mode currently."),
        (f"SELECT median(v) OVER {LAST}, median(v) OVER (ORDER BY ts ROWS 2 PRECEDING) FROM t",
         "Over Agg: Unsupported use of OVER windows."),
        (f"SELECT median(v), COUNT(*) FROM t {TUMBLE}", _MIXED),
        (f"SELECT median(v), weighted_average(v) FROM t {TUMBLE}",
         "Pandas UDAFs and General Python UDAFs are not supported in used together currently."),
        ("SELECT median(v) FROM t GROUP BY SESSION(ts, INTERVAL '1' MINUTE)",
         "Session Group Window is currently not supported for Pandas UDAF."),
        (f"SELECT listed() FROM t {TUMBLE}", "listed is a function over pandas: it needs an argument"),
    ],
)  # fmt: skip
def test_what_is_refused(environment: TableEnvironment, query: str, message: str) -> None:
    with pytest.raises(ValidationError) as refused:
        environment.explain_sql(query)
    assert refused.value.message.startswith(message)
    assert refused.value.range is not None


@pytest.mark.parametrize(
    "query",
    [
        f"SELECT median(DISTINCT v) FROM t {TUMBLE}",
        f"SELECT median(v) FILTER (WHERE v > 1) FROM t {TUMBLE}",
        f"SELECT median(DISTINCT v) OVER {LAST} FROM t",
    ],
)
def test_flink_leaves_these_words_unread(environment: TableEnvironment, query: str) -> None:
    with pytest.raises(NotSupportedError, match="which Flink leaves unread") as refused:
        environment.explain_sql(query)
    assert refused.value.range is not None


def test_windows_that_fire_early_are_refused() -> None:
    made = TableEnvironment.create()
    made.execute_sql(
        "CREATE TABLE t (v INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH "
        "('connector' = 'filesystem', 'path' = 'unread/t.json', 'format' = 'json')"
    )
    made.create_temporary_function("median", sample.median)
    made.execute_sql("SET 'table.exec.emit.early-fire.enabled' = 'true'")
    made.execute_sql("SET 'table.exec.emit.early-fire.delay' = '1 s'")
    with pytest.raises(ValidationError, match="not supported for early fired or lately fired"):
        made.explain_sql("SELECT median(v) FROM t GROUP BY TUMBLE(ts, INTERVAL '1' MINUTE)")


def test_a_map_is_no_result() -> None:
    made = TableEnvironment.create()
    with pytest.raises(FiresteelError, match="Pandas UDAF doesn't support DataType type MAP<STRING, INT>"):
        made.create_temporary_function(
            "f", udaf(lambda v: {}, result_type="MAP<STRING, INT>", func_type="pandas")
        )


def test_the_plan_is_flinks(environment: TableEnvironment) -> None:
    plan = environment.explain_sql(f"SELECT k, median(v) OVER {LAST} FROM t")
    assert (
        "PythonOverAggregate(partitionBy=[k], orderBy=[ts ASC], window=[ ROWS BETWEEN 1 PRECEDING AND "
        "CURRENT ROW], select=[k, v, ts, median(v) AS w0$o0])"
    ) in plan
    plan = environment.explain_sql(f"SELECT k, median(v) AS m FROM t {TUMBLE}")
    assert (
        "PythonGroupWindowAggregate(groupBy=[k], window=[TumblingGroupWindow('w$, ts, 60000)], "
        "select=[k, median(v) AS m])"
    ) in plan
