"""Watermarks on their way to whoever looks at them: the same however the input is cut."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from firesteel.functions.duckdb.calc_spec import CalcSpec
from firesteel.job.spec import ChainSpec, Input, JobSpec, Output, Partitioning, sink_id
from firesteel.job.watermark_routing import WatermarkRouting, with_watermark_needs
from firesteel.runtime.dataflow.operator import MAX_WATERMARK, MIN_WATERMARK
from firesteel.runtime.spec.operators import (
    CurrentWatermarkSpec,
    MiniBatchAssignerSpec,
    OperatorSpec,
    WatermarkAssignerSpec,
)
from firesteel.runtime.spec.tables import SinkSpec, ValuesSpec
from firesteel.types.sql import BIGINT, INT, SqlType, TypeRoot
from tests.runtime.clocked import OUT, ClockedSpec
from tests.spark.in_process import changes, cut, run
from tests.spark.jobs import HASH

TS = SqlType(TypeRoot.TIMESTAMP, precision=3)
DELAYED = CalcSpec(("f1 - INTERVAL 2 MILLISECONDS",), (TS,))
SINK = SinkSpec(None, (), ("v", "wm"), OUT)
SHOWN = (Output(sink_id(0)),)


def rows(times: Sequence[int]) -> pa.Table:
    """Rows (number, time in milliseconds)."""
    ts = pa.array([1000 * time for time in times], pa.timestamp("us"))
    return changes([0] * len(times), pa.array(range(len(times)), pa.int32()), ts)


def assigner(interval: int = 0) -> WatermarkAssignerSpec:
    return WatermarkAssignerSpec(1, DELAYED, interval, "ts", "t")


def reading(number: int, *operators: OperatorSpec, to: int) -> ChainSpec:
    return ChainSpec(number, (Input(ValuesSpec((), ())),), operators, (Output(to, HASH, (0,)),))


def one_exchange(*operators: OperatorSpec) -> JobSpec:
    chains = (reading(0, *operators, to=1), ChainSpec(1, (Input(0),), (ClockedSpec(),), SHOWN))
    return with_watermark_needs(JobSpec(chains, (SINK,)))


def seen(tables: Sequence[pa.Table]) -> list[tuple[int | None, int]]:
    """The rows, each with the watermark that stood, and the watermarks as (None, watermark), once for all
    key groups."""
    found: list[tuple[int | None, int]] = []
    for table in tables:
        for row in zip(table["f0"].to_pylist(), table["f1"].to_pylist(), strict=True):
            if row[0] is not None or not found or found[-1] != row:
                found.append(row)
    return found


def expected(times: Sequence[int], interval: int = 0) -> list[tuple[int | None, int]]:
    """What one task would see that reads all: a watermark behind each row that moves it. interval: of
    mini-batches."""
    found: list[tuple[int | None, int]] = []
    now = passed = 0
    for number, time in enumerate(times):
        found.append((number, passed or MIN_WATERMARK))
        if time - 2 > now:
            now = time - 2
            if not interval or (now + 1) // interval > (passed + 1) // interval:
                passed = now
                found.append((None, now))
    return [*found, (None, MAX_WATERMARK)]


CUT_ANYHOW = settings(deadline=None, max_examples=60)
TIMES = st.lists(st.integers(0, 40), max_size=40)
CUT = st.lists(st.lists(st.integers(0, 12), min_size=1, max_size=4), max_size=4)


@CUT_ANYHOW
@given(TIMES, CUT, st.integers(1, 4))
def test_any_cutting_gives_the_same_watermarks(
    times: list[int], batches: list[list[int]], targets: int
) -> None:
    assert seen(run(one_exchange(assigner()), [cut(rows(times), *batches)], targets)) == expected(times)


@CUT_ANYHOW
@given(TIMES, CUT, st.integers(1, 3))
def test_and_the_same_mini_batches_of_row_time(
    times: list[int], batches: list[list[int]], targets: int
) -> None:
    job = one_exchange(assigner(), MiniBatchAssignerSpec(7, row_time=True))
    assert seen(run(job, [cut(rows(times), *batches)], targets)) == expected(times, 7)


@CUT_ANYHOW
@given(TIMES, CUT, st.integers(1, 3))
def test_a_second_exchange_keeps_them(times: list[int], batches: list[list[int]], targets: int) -> None:
    calc = CalcSpec(("f0", "f1"), (INT, BIGINT))
    chains = (
        reading(0, assigner(), to=1),
        ChainSpec(1, (Input(0),), (calc,), (Output(2, Partitioning.SINGLE),)),
        ChainSpec(2, (Input(1),), (ClockedSpec(),), SHOWN),
    )
    job = with_watermark_needs(JobSpec(chains, (SINK,)))
    assert seen(run(job, [cut(rows(times), *batches)], targets)) == expected(times)


@CUT_ANYHOW
@given(TIMES, CUT)
def test_each_row_knows_the_watermark_that_stood(times: list[int], batches: list[list[int]]) -> None:
    calc = CalcSpec(("f0", "epoch_ms(f2)"), (INT, BIGINT))
    chains = (
        replace(reading(0, assigner(), to=1), outputs=(Output(1, Partitioning.SINGLE),)),
        ChainSpec(1, (Input(0),), (CurrentWatermarkSpec(calc, 2, TS),), SHOWN),
    )
    found = seen(run(with_watermark_needs(JobSpec(chains, (SINK,))), [cut(rows(times), *batches)]))
    stood = [
        (row, None if time == MIN_WATERMARK else time) for row, time in expected(times) if row is not None
    ]
    assert found == stood


def test_parts_of_a_source_that_have_orders_of_their_own_wait_for_each_other() -> None:
    """As two partitions of a topic: the second one's rows are not late for what the first one has come to."""
    batches = cut(rows([10, 20, 3, 12, 30, 40, 14, 25]), [2, 2], [2, 2])
    stood = [
        time for row, time in seen(run(one_exchange(assigner()), [batches], channels=2)) if row is not None
    ]
    none = MIN_WATERMARK
    assert stood == [none, none, none, 1, 10, 10, 10, 12]


def test_only_parts_with_watermarks_of_their_own_are_splits() -> None:
    """All files of a directory are one channel, and so is each task before a second exchange."""
    job = one_exchange(assigner())
    paths = WatermarkRouting.of(job)

    def splits(numbers: list[int]) -> list[bool]:
        ((_, channels),) = paths.channels(job, job.chains[1], 1, lambda source: numbers)
        return [channel.is_split for channel in channels]

    assert splits([7, 9]) == [True, True]
    assert splits([0]) == [False]
