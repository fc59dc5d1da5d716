"""Windows over rows in their order say what Spark SQL answers in batch."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import accumulate
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from firesteel.job.spec import JobSpec
from tests.runtime.operators.window.test_session_window_aggregate import COUNT, MAX, SUM
from tests.runtime.operators.window.test_session_window_aggregate import spec as session
from tests.runtime.operators.window.windows import cumulate, hop, one_phase, tumble
from tests.scale import examples
from tests.spark.in_process import cut, run
from tests.spark.test_windows_in_process import CALLS, job, job_of, rows, said

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from firesteel.spark.launch.launch import Spark

EPOCH = datetime(1970, 1, 1)
_SESSION = session(COUNT, SUM, MAX, gap=3)
JOBS: dict[str, JobSpec] = {
    "tumble": job(one_phase(tumble(5), CALLS), two_phases=False),
    "hop": job(one_phase(hop(6, 2), CALLS), two_phases=True),
    "cumulate": job(one_phase(cumulate(6, 2), CALLS), two_phases=True),
    "session": job_of(_SESSION),
}
_RESULTS = "COUNT(*), SUM(v), MAX(v), unix_millis(w.start), unix_millis(w.end)"
_EACH = "SELECT '{name}', k, " + _RESULTS + " FROM (SELECT *, {window} w FROM t) GROUP BY k, w"
_CUMULATE = (
    "SELECT *, named_struct('start', w.start, 'end', w.start + n * INTERVAL 2 MILLISECONDS) c "
    "FROM (SELECT *, window(ts, '6 milliseconds') w, explode(sequence(1, 3)) n FROM t)"
)
ANSWER = " UNION ALL ".join(
    [
        _EACH.format(name="tumble", window="window(ts, '5 milliseconds')"),
        _EACH.format(name="hop", window="window(ts, '6 milliseconds', '2 milliseconds')"),
        f"SELECT 'cumulate', k, {_RESULTS} FROM (SELECT k, v, ts, c w FROM ({_CUMULATE}) WHERE ts < c.end) "
        "GROUP BY k, w",
        "SELECT 'session', k, COUNT(*), SUM(v), MAX(v), unix_millis(session_window.start), "
        "unix_millis(session_window.end) FROM t GROUP BY k, session_window(ts, '3 milliseconds')",
    ]
)


@pytest.fixture
def frame(spark: Spark) -> Any:
    spark.session.conf.set("spark.sql.shuffle.partitions", "1")
    return spark.session


STEPS = st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 4)), min_size=1, max_size=40)


@pytest.mark.spark
@settings(
    max_examples=examples(12), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(STEPS, st.lists(st.lists(st.integers(0, 9), min_size=1, max_size=3), max_size=3), st.integers(1, 3))
@pytest.mark.full
def test_in_order(frame: Any, steps: list[tuple[str, int]], batches: list[list[int]], targets: int) -> None:
    """A step is how far time moves before the row."""
    times = accumulate(step for _, step in steps)
    values = [(key, time) for (key, _), time in zip(steps, times, strict=True)]
    expected = answers(frame, values)
    for name, whole in JOBS.items():
        found = said(run(whole, [cut(rows(values), *batches)], targets))
        assert Counter(map(in_milliseconds, found.elements())) == expected[name], name


def answers(frame: Any, values: Sequence[tuple[str, int]]) -> dict[str, Counter[tuple[Any, ...]]]:
    """By window function: key, results and borders in milliseconds."""
    given = [(key, v, time) for v, (key, time) in enumerate(values)]
    table: DataFrame = frame.createDataFrame(given, "k STRING, v INT, ms BIGINT").coalesce(1)
    table.selectExpr("k", "v", "timestamp_millis(ms) ts").createOrReplaceTempView("t")
    found: dict[str, Counter[tuple[Any, ...]]] = {name: Counter() for name in JOBS}
    for name, *row in frame.sql(ANSWER).collect():
        found[name][tuple(row)] += 1
    return found


def in_milliseconds(row: tuple[Any, ...]) -> tuple[Any, ...]:
    """A row of changes: its kind goes, and what else of the window stands behind the borders."""
    _, key, count, total, most, start, end, *_ = row
    return (key, count, total, most, *((time - EPOCH) // timedelta(milliseconds=1) for time in (start, end)))
