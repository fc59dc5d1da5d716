"""A generator of the user's at work: the same watermarks however the input is cut, its state kept."""

from __future__ import annotations

import base64
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firesteel.errors import JobError, UsageError
from firesteel.functions.python import (
    TimestampAssigner,
    WatermarkGenerator,
    WatermarkOutput,
    WatermarkStrategy,
)
from firesteel.functions.python.load import PICKLED
from firesteel.job.spec import ChainSpec, Input, JobSpec, Output, Partitioning
from firesteel.job.watermark_routing import with_watermark_needs
from firesteel.runtime.dataflow.operator import MAX_WATERMARK, MIN_WATERMARK
from firesteel.runtime.spec.operators import GeneratedWatermarksSpec
from firesteel.session.row_time import row_time
from firesteel.spark.internals.tasks import by_value
from firesteel.types.user_function import UserFunction
from tests.runtime.clocked import ClockedSpec
from tests.spark.in_process import cut, run
from tests.spark.jobs import HASH
from tests.spark.test_watermarks_at_exchanges import CUT, SHOWN, SINK, TIMES, reading, rows, seen


class EveryThird(WatermarkGenerator):
    """The greatest time so far, behind each third row: what it counts has to outlive its operator."""

    def __init__(self) -> None:
        self.count = self.greatest = 0

    def on_event(self, value: Any, timestamp: int, output: WatermarkOutput) -> None:
        self.count += 1
        self.greatest = max(self.greatest, timestamp)
        if self.count % 3 == 0:
            output.emit_watermark(self.greatest)

    def on_periodic_emit(self, output: WatermarkOutput) -> None:
        pass


def telling(tells: Callable[[Any], Any]) -> WatermarkStrategy:
    """Emits what a function makes of each row."""

    class Tells(EveryThird):
        def on_event(self, value: Any, timestamp: int, output: WatermarkOutput) -> None:
            output.emit_watermark(tells(value))

    return WatermarkStrategy.for_generator(Tells)


class Later(TimestampAssigner):
    def extract_timestamp(self, value: Any, record_timestamp: int) -> int:
        return record_timestamp + 1000


def job(strategy: WatermarkStrategy) -> JobSpec:
    pickled = PICKLED + base64.b64encode(by_value(strategy)).decode()
    spec = GeneratedWatermarksSpec(1, UserFunction("own", pickled), ("v", "ts"), "ts", "t")
    single = (Output(1, Partitioning.SINGLE),)
    chains = (
        replace(reading(0, to=1), outputs=single),
        ChainSpec(1, (Input(0),), (spec,), (Output(2, HASH, (0,)),)),
        ChainSpec(2, (Input(1),), (ClockedSpec(),), SHOWN),
    )
    return with_watermark_needs(JobSpec(chains, (SINK,)))


@settings(deadline=None, max_examples=40)
@given(TIMES, CUT, st.integers(1, 3))
def test_any_cutting_gives_the_same(times: list[int], batches: list[list[int]], targets: int) -> None:
    found = seen(run(job(WatermarkStrategy.for_generator(EveryThird)), [cut(rows(times), *batches)], targets))
    expected: list[tuple[int | None, int]] = []
    stood = MIN_WATERMARK
    for number in range(len(times)):
        expected.append((number, stood))
        greatest = max([0, *times[: number + 1]])
        if number % 3 == 2 and greatest > stood:
            stood = greatest
            expected.append((None, stood))
    assert found == [*expected, (None, MAX_WATERMARK)]


def test_a_micro_batch_ends_for_periodic_ones() -> None:
    strategy = WatermarkStrategy.for_bounded_out_of_orderness(timedelta(milliseconds=2))
    found = seen(run(job(strategy), [cut(rows([5, 9, 7, 8]), [2], [1])]))
    assert found == [
        (0, MIN_WATERMARK), (1, MIN_WATERMARK), (None, 6), (2, 6), (3, 6), (None, MAX_WATERMARK)
    ]  # fmt: skip


def test_an_assigner_gives_rows_their_time() -> None:
    strategy = WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(Later())
    assert (None, 1004) in seen(run(job(strategy), [cut(rows([5, 9]), [1])]))


@pytest.mark.parametrize(
    ("tells", "message"),
    [
        (lambda row: 1 // (row.v - 1), "ZeroDivisionError: .*; row .I.1, 1970-01-01 00:00:00.009"),
        (lambda row: row.ts, "emit_watermark takes milliseconds as an int, got datetime.datetime"),
        (lambda row: row.nix, "AttributeError: 'Row' object has no attribute 'nix'"),
    ],
)
def test_what_fails_is_reported_with_the_row(tells: Callable[[Any], Any], message: str) -> None:
    with pytest.raises(JobError, match=f"Watermarks of t failed: {message}"):
        run(job(telling(tells)), [cut(rows([5, 9]))])


def test_backwards_is_left_out() -> None:
    found = seen(run(job(telling(lambda row: [7, 3, 9][row.v])), [cut(rows([1, 2, 3]))]))
    assert [time for row, time in found if row is None] == [7, 9, MAX_WATERMARK]


def test_both_are_needed() -> None:
    assert row_time(None, None) is None
    with pytest.raises(UsageError, match="both are needed"):
        row_time("ts", None)
