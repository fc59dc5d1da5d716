"""Windows, sessions, OVER and ORDER BY time from rows to results, through watermarks, packets and state: the
same however the input is cut, and in however many key groups."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firesteel.changelog import SEQUENCE, SUB_SEQUENCE
from firesteel.functions.duckdb.calc_spec import CalcSpec
from firesteel.job.spec import ChainSpec, Input, JobSpec, Output, Partitioning, sink_id
from firesteel.job.watermark_routing import with_watermark_needs
from firesteel.runtime.spec.operators import OperatorSpec, WatermarkAssignerSpec
from firesteel.runtime.spec.over import OverTime, TemporalSortSpec
from firesteel.runtime.spec.tables import SinkSpec, ValuesSpec
from firesteel.runtime.spec.window import (
    SessionWindows,
    SessionWindowTableFunctionSpec,
    WindowAggregateSpec,
    WindowTime,
)
from firesteel.runtime.state.order_codes import SortOrder
from firesteel.types.sql import BIGINT, INT, STRING, timestamp
from tests.runtime.operators.over.test_over_aggregate import COUNT as OVER_COUNT
from tests.runtime.operators.over.test_over_aggregate import RANGE, ROWS
from tests.runtime.operators.over.test_over_aggregate import call as over_call
from tests.runtime.operators.over.test_over_aggregate import spec as over
from tests.runtime.operators.window.test_group_window_aggregate import spec as group_window
from tests.runtime.operators.window.test_session_window_aggregate import spec as session
from tests.runtime.operators.window.windows import (
    COUNT,
    MAX,
    SUM,
    cumulate,
    global_phase,
    hop,
    local_phase,
    one_phase,
    tumble,
)
from tests.scale import examples, part
from tests.spark.in_process import changes, cut, late_rows, run

Row = tuple[Any, ...]

CALLS = (COUNT, SUM, MAX)
TYPES = (STRING, BIGINT, INT, INT, timestamp(3), timestamp(3))
ASSIGNER = WatermarkAssignerSpec(
    2, CalcSpec(("f2 - INTERVAL 2 MILLISECONDS",), (timestamp(3),)), 0, "ts", "t"
)
WINDOWS = {"TUMBLE": tumble(5), "HOP": hop(6, 2, 1), "CUMULATE": cumulate(6, 2)}


def job(spec: WindowAggregateSpec, two_phases: bool) -> JobSpec:
    if two_phases:
        return job_of(global_phase(spec), local_phase(spec))
    return job_of(spec)


def job_of(spec: OperatorSpec, *first: OperatorSpec) -> JobSpec:
    """An operator behind an exchange by the first column, or where it sorts in one task."""
    is_sort = isinstance(spec, TemporalSortSpec)
    output = Output(1, Partitioning.SINGLE) if is_sort else Output(1, Partitioning.HASH, (0,))
    chains = (
        ChainSpec(0, (Input(ValuesSpec((), ())),), (ASSIGNER, *first), (output,)),
        ChainSpec(1, (Input(0),), (spec,), (Output(sink_id(0)),)),
    )
    sink = SinkSpec(None, (), ("k", "n", "s", "m", "start", "end"), TYPES)
    return with_watermark_needs(JobSpec(chains, (sink,)))


def rows(values: Sequence[tuple[str, int]]) -> pa.Table:
    """Rows (key, number, time in milliseconds)."""
    times = pa.array([1000 * time for _, time in values], pa.timestamp("us"))
    numbers = pa.array(range(len(values)), pa.int32())
    return changes([0] * len(values), pa.array([key for key, _ in values], pa.string()), numbers, times)


def said(tables: Sequence[pa.Table]) -> Counter[tuple[object, ...]]:
    fields = (table.drop_columns("$order").columns for table in tables)
    return Counter(row for each in fields for row in zip(*map(pa.ChunkedArray.to_pylist, each), strict=True))


def by_key(tables: Sequence[pa.Table], has_keys: bool) -> dict[object, list[Row]]:
    """The changes in their order."""
    found: dict[object, list[Row]] = defaultdict(list)
    for table in tables:
        columns = [column for name, column in zip(table.column_names, table.columns, strict=True)
                   if name not in (SEQUENCE, SUB_SEQUENCE)]  # fmt: skip
        for row in zip(*map(pa.ChunkedArray.to_pylist, columns), strict=True):
            found[row[1] if has_keys else None].append(row)
    return dict(found)


SESSIONS = SessionWindows(WindowTime(2, timestamp(3)), 3)
INPUT = (STRING, INT, timestamp(3))
OPERATORS: dict[str, OperatorSpec] = {
    "session": session(COUNT, SUM, MAX, gap=3),
    "session function": SessionWindowTableFunctionSpec((0,), INPUT, SESSIONS),
    "group by hop": group_window(6, 2),
    **{
        f"{'rows' if rows else 'range'} {size}": over(rows, size, over_call("$SUM0"), OVER_COUNT)
        for rows, size in ((ROWS, None), (RANGE, None), (ROWS, 2), (RANGE, 3))
    },
    "sort": TemporalSortSpec(INPUT, OverTime.ROWTIME, 2, (0, 1), (SortOrder(), SortOrder(True))),
}
VALUES = st.lists(st.tuples(st.sampled_from("abcd"), st.integers(0, 40)), max_size=40)
BATCHES = st.lists(st.lists(st.integers(0, 9), min_size=1, max_size=3), max_size=4)


@pytest.mark.parametrize("name", part(list(OPERATORS), 5))
@settings(max_examples=examples(40), deadline=None)
@given(VALUES, BATCHES, st.integers(1, 3))
def test_any_cutting_and_any_key_groups_give_the_same_changes(
    name: str, values: list[tuple[str, int]], batches: list[list[int]], targets: int
) -> None:
    """Of each key in their order, and of sorted rows all of them."""
    whole, table, has_keys = job_of(OPERATORS[name]), rows(values), name != "sort"
    pieces = cut(table, *batches)
    assert by_key(run(whole, [pieces], targets), has_keys) == by_key(run(whole, [[[table]]]), has_keys)
    assert late_rows(whole, [pieces], targets) == late_rows(whole, [[[table]]])


@settings(max_examples=15, deadline=None)
@given(
    VALUES,
    st.sampled_from(list(WINDOWS)),
    BATCHES,
    st.booleans(),
    st.integers(1, 3),
)
def test_any_cutting_says_the_same(
    values: list[tuple[str, int]], function: str, batches: list[list[int]], two_phases: bool, targets: int
) -> None:
    spec, table = one_phase(WINDOWS[function], CALLS), rows(values)
    expected = said(run(job(spec, two_phases=False), [[[table]]]))
    assert said(run(job(spec, two_phases), [cut(table, *batches)], targets)) == expected


@pytest.mark.parametrize("targets", [1, 3])
def test_late_rows_are_counted(targets: int) -> None:
    table = rows([("a", 1), ("a", 30), ("b", 2), ("b", 25), ("c", 28), ("d", 3)])
    whole = job(one_phase(WINDOWS["TUMBLE"], CALLS), two_phases=False)
    assert late_rows(whole, [cut(table, [3], [1, 2])], targets) == 2
