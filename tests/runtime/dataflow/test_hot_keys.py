"""KeySketch: which keys it finds, and how close its counts are."""

from __future__ import annotations

import time
from datetime import datetime

import numpy as np
import pyarrow as pa
import pytest

from firesteel.changelog import KIND, SEQUENCE
from firesteel.runtime.dataflow.hot_keys import SAMPLED, Budget, KeySketch


@pytest.fixture(autouse=True)
def all_packets(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sample all packets, however long it takes."""
    monkeypatch.setattr("firesteel.runtime.dataflow.hot_keys.PROCESS", Unlimited())


class Unlimited(Budget):
    def spend(self, begun: int) -> None:
        return


def changes(*columns: pa.Array) -> pa.Table:
    rows = len(columns[0])
    own = {f"f{at}": column for at, column in enumerate(columns)}
    return pa.table({KIND: pa.array(np.zeros(rows, np.int8)), SEQUENCE: pa.array(np.arange(rows)), **own})


def skewed(rows: int, share: float, seed: int = 1) -> pa.Array:
    """Return rows of which about `share` have the key 7, and the others keys of their own."""
    random = np.random.default_rng(seed)
    return pa.array(np.where(random.random(rows) < share, 7, 100 + np.arange(rows)))


def test_few_rows_are_counted_exactly() -> None:
    sketch = KeySketch([1])
    sketch.add(changes(pa.array([1, 2, 3, 4]), pa.array(["Tom", "Ann", "Tom", None])))
    sketch.add(changes(pa.array([5]), pa.array(["Tom"])))
    assert (sketch.rows, sketch.counts) == (5, {("Tom",): 3, ("Ann",): 1, (None,): 1})


@pytest.mark.parametrize("share", [0.01, 0.05, 0.5, 1.0])
def test_a_hot_key_among_many_rows(share: float) -> None:
    sketch, rows = KeySketch([0]), 100_000
    for seed in range(10):
        sketch.add(changes(skewed(rows, share, seed)))
    assert sketch.rows == 10 * rows
    assert list(sketch.counts) == [("7",)]
    assert sketch.counts[("7",)] / sketch.rows == pytest.approx(share, rel=0.25)


def test_keys_that_are_even_are_not_hot() -> None:
    sketch = KeySketch([0])
    sketch.add(changes(pa.array(np.arange(50_000) % 5000)))
    assert sketch.counts == {}


@pytest.mark.parametrize("period", [2, 3, 16, 50])
def test_a_period_of_the_rows_does_not_matter(period: int) -> None:
    sketch, rows = KeySketch([0]), 1 << 18
    sketch.add(changes(pa.array(np.arange(rows) % period)))
    assert len(sketch.counts) == min(period, 32)
    for count in sketch.counts.values():
        assert count == pytest.approx(rows / period, rel=0.35)


def test_the_sample_is_bounded() -> None:
    sketch = KeySketch([0])
    sketch.add(changes(pa.array([7] * (SAMPLED + 1))))
    assert sketch.counts == {("7",): SAMPLED + 1}


def test_texts_of_keys() -> None:
    sketch = KeySketch([0, 1, 2])
    at = pa.array([datetime(2026, 1, 31, 12)])
    sketch.add(changes(at, pa.array([b"\x01\xff"]), pa.array(["x" * 100])))
    assert list(sketch.counts) == [("2026-01-31 12:00:00", "x'01ff'", "x" * 60 + "…")]


def test_a_key_outside_pythons_range_of_years_has_a_text() -> None:
    sketch = KeySketch([0, 1, 2])
    day = pa.array([-719528], pa.int32()).cast(pa.date32())
    time_of_day_0 = pa.array([-719528 * 86_400_000], pa.int64()).cast(pa.timestamp("ms"))
    days = pa.ListArray.from_arrays(pa.array([0, 1], pa.int32()), day)
    sketch.add(changes(day, time_of_day_0, days))
    assert list(sketch.counts) == [("0000-01-01", "0000-01-01 00:00:00.000", "<list<item: date32[day]>>")]


def test_rows_that_are_not_sampled_count(monkeypatch: pytest.MonkeyPatch) -> None:
    sketch = KeySketch([0])
    sketch.add(changes(pa.array([7, 7, 8])))
    monkeypatch.setattr(Budget, "allows", lambda self: False)
    sketch.add(changes(pa.array([9] * 27)))
    assert (sketch.rows, sketch.counts) == (30, {("7",): 20, ("8",): 10})
    other = KeySketch([0])
    other.add(changes(pa.array([9])))
    assert (other.is_empty, other.rows, other.counts) == (True, 1, {})


def test_samples_take_little_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of ten seconds of work in steps of a millisecond, samples of two milliseconds take 0.5 %."""
    now, sampled, budget = 0, 0, Budget()
    monkeypatch.setattr(time, "process_time_ns", lambda: now)
    while now < 10_000_000_000:
        now += 1_000_000
        if budget.allows():
            begun, now, sampled = now, now + 2_000_000, sampled + 2_000_000
            budget.spend(begun)
    assert sampled / now == pytest.approx(0.005, rel=0.4)
