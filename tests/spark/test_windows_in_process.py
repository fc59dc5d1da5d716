"""Windows from rows to results, through watermarks, packets and state: the same however the input is cut."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firesteel.runtime.mark_paths import with_marks
from firesteel.runtime.spec import (
    CalcSpec,
    ChainSpec,
    Input,
    JobSpec,
    OperatorSpec,
    Output,
    Partitioning,
    SinkSpec,
    ValuesSpec,
    WatermarkAssignerSpec,
    sink_id,
)
from firesteel.runtime.window_spec import WindowAggregateSpec
from firesteel.types.sql import BIGINT, INT, STRING, timestamp
from tests.spark.in_process import changes, cut, late_rows, run
from tests.windows.windows import COUNT, MAX, SUM, cumulate, global_phase, hop, local_phase, one_phase, tumble

CALLS = (COUNT, SUM, MAX)
TYPES = (STRING, BIGINT, INT, INT, timestamp(3), timestamp(3))
ASSIGNER = WatermarkAssignerSpec(
    2, CalcSpec(("f2 - INTERVAL 2 MILLISECONDS",), (timestamp(3),)), 0, "ts", "t"
)
WINDOWS = {"TUMBLE": tumble(5), "HOP": hop(6, 2, 1), "CUMULATE": cumulate(6, 2)}


def job(spec: WindowAggregateSpec, two_phases: bool) -> JobSpec:
    first: tuple[OperatorSpec, ...] = (ASSIGNER,)
    if two_phases:
        first = (ASSIGNER, local_phase(spec))
        spec = global_phase(spec)
    by_key = Output(1, Partitioning.HASH, (0,))
    chains = (
        ChainSpec(0, (Input(ValuesSpec((), ())),), first, (by_key,)),
        ChainSpec(1, (Input(0),), (spec,), (Output(sink_id(0)),)),
    )
    sink = SinkSpec(None, (), ("k", "n", "s", "m", "start", "end"), TYPES)
    return with_marks(JobSpec(chains, (sink,)))


def rows(values: Sequence[tuple[str, int]]) -> pa.Table:
    """Rows (key, number, time in milliseconds)."""
    times = pa.array([1000 * time for _, time in values], pa.timestamp("us"))
    numbers = pa.array(range(len(values)), pa.int32())
    return changes([0] * len(values), pa.array([key for key, _ in values], pa.string()), numbers, times)


def said(tables: Sequence[pa.Table]) -> Counter[tuple[object, ...]]:
    fields = (table.drop_columns("$order").columns for table in tables)
    return Counter(row for each in fields for row in zip(*map(pa.ChunkedArray.to_pylist, each), strict=True))


@settings(max_examples=15, deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from("abcd"), st.integers(0, 40)), max_size=40),
    st.sampled_from(list(WINDOWS)),
    st.lists(st.lists(st.integers(0, 9), min_size=1, max_size=3), max_size=4),
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
