"""Windows that end before their rows are in Flink's state: what comes of them, as Flink 2.3 answered."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firesteel.runtime.dataflow.operator import MAX_WATERMARK, Operator
from firesteel.runtime.operators.window.slicing.buffer_flush import may_delay, next_triggers
from firesteel.runtime.operators.window.slicing.slices import Slices
from firesteel.runtime.operators.window.window_aggregate import WindowAggregate
from firesteel.runtime.spec.operators import AggregateSpec
from firesteel.runtime.spec.window import WindowAggregateSpec, WindowsSpec, WindowTime
from firesteel.runtime.state.backend import SortedRunBackend
from firesteel.runtime.state.memory import MemoryStore
from firesteel.types.sql import INT, timestamp_ltz
from tests.runtime.operators.window.windows import (
    COUNT,
    InTwoPhases,
    Row,
    cumulate,
    hop,
    marked_of,
    one_phase,
    told,
    tumble,
)

HOUR = 3_600_000
DAY = 24 * HOUR
FALL_BACK = 1_793_512_800_000  # 2026-11-01 06:00 UTC: in New York the clock shows 1:00 for the second time


def over(windows: WindowsSpec, zone: str) -> WindowAggregateSpec:
    return one_phase(windows, (COUNT,), time=WindowTime(2, timestamp_ltz(3).with_nullable(False), zone))


def hours(*moments: float) -> list[int]:
    return [round(moment * HOUR) for moment in moments]


@pytest.mark.parametrize(
    ("windows", "zone", "marks", "wanted"),
    [
        (tumble(DAY), "UTC", [1, 23, 24], [24, 24, 48]),
        (tumble(DAY), "Asia/Shanghai", [1, 16, 24], [24, 24, 48]),  # the day ends at 16
        (tumble(DAY, 2 * HOUR), "Asia/Shanghai", [1, 2], [2, 26]),
        (hop(DAY, 6 * HOUR), "GMT+08:00", [5, 6], [6, 12]),
        (tumble(HOUR), "Asia/Kolkata", [0.5, 1], [1, 2]),
        (cumulate(DAY, HOUR), "America/New_York", [0.5, 5], [1, 6]),
        (tumble(DAY), "America/New_York", [0.5, 5], [5, 29]),
    ],
)
def test_next_triggers(windows: WindowsSpec, zone: str, marks: list[float], wanted: list[float]) -> None:
    slices = Slices.of(over(windows, zone))
    assert next_triggers(np.array(hours(*marks)), slices).tolist() == [w - 1 for w in hours(*wanted)]


def test_an_hour_that_is_shown_twice() -> None:
    slices = Slices.of(over(tumble(HOUR // 2), "America/New_York"))
    first = FALL_BACK - HOUR // 3  # 1:40, half past one comes again
    assert next_triggers(np.array([first]), slices).tolist() == [FALL_BACK + HOUR - 1]


@pytest.mark.parametrize(
    ("windows", "zone", "wanted"),
    [
        (tumble(DAY), "Asia/Shanghai", True),
        (tumble(HOUR), "Asia/Shanghai", False),
        (tumble(HOUR), "Asia/Kolkata", True),
        (hop(DAY, HOUR // 2), "Asia/Kolkata", False),
        (tumble(HOUR), "Europe/Berlin", True),
        (tumble(DAY), "UTC", False),
    ],
)
def test_where_rows_may_be_delayed(windows: WindowsSpec, zone: str, wanted: bool) -> None:
    assert may_delay(Slices.of(over(windows, zone))) == wanted


class Trace:
    """Rows of key a at these hours, with a watermark at the hour of each; `|` is the end of a micro-batch."""

    def __init__(self, spec: WindowAggregateSpec, two_phases: bool) -> None:
        self._spec, self._two_phases, self._store, self._order = spec, two_phases, MemoryStore(), 0
        self._open()

    def _open(self) -> None:
        self._state = SortedRunBackend(self._store)
        self._operator: Operator = (
            InTwoPhases(self._spec, self._state)
            if self._two_phases
            else WindowAggregate(self._spec, self._state, lambda: 0)
        )

    def told(self, text: str, one_by_one: bool = False) -> str:
        """The windows that come out: how many rows, and the hour at which each ends by the clock."""
        found = []
        for batch in (*text.split("|"), None):
            moments = [] if batch is None else hours(*map(float, batch.split()))
            marks = moments if batch is not None else [MAX_WATERMARK]
            cuts = [([m], [(1, m)]) for m in moments] if one_by_one and batch is not None else [
                (moments, [(i + (batch is not None), m) for i, m in enumerate(marks)])
            ]  # fmt: skip
            for times, at in cuts:
                rows = [("+I", "a", 1, time) for time in times]
                found.append(told(self._operator.watermarked(marked_of(rows, at, self._order))))
                self._order += len(rows)
            found.append(told(self._operator.barrier()))
            self._state.commit()
            self._open()
        words = " | ".join(found).split(" | ")
        shown = [word.split() for word in words if word and not word.startswith("W")]
        return ", ".join(f"{count} to {int(end[1:-1].split(',')[1]) / HOUR:g}" for _, count, end in shown)


CASES = [
    # What lies in a day of Shanghai's, which ends at 16, is gone when UTC's has ended at 24...
    (tumble(DAY), "10 15 17 25", "2 to 48"),
    # ... but for what comes at once, from before its end to behind UTC's.
    (tumble(DAY), "10 15 25", "2 to 24, 1 to 48"),
    # A checkpoint brings what there is to the state in time; the day's rest is still lost.
    (tumble(DAY), "10 | 15 17 18 25", "1 to 24, 3 to 48"),
    # What came too late for the window of its own slice is in the next one, which other rows make fire.
    (hop(12 * HOUR, 6 * HOUR), "3 5 7 11", "3 to 18, 3 to 24, 1 to 30"),
    # So it is with the first slice of CUMULATE.
    (cumulate(12 * HOUR, 6 * HOUR), "5 7 11 17", "3 to 24, 1 to 30, 1 to 36"),
]


@pytest.mark.parametrize("one_by_one", [False, True])
@pytest.mark.parametrize("two_phases", [False, True])
@pytest.mark.parametrize(("windows", "text", "wanted"), CASES)
def test_days(windows: WindowsSpec, text: str, wanted: str, two_phases: bool, one_by_one: bool) -> None:
    trace = Trace(over(windows, "Asia/Shanghai"), two_phases)
    assert trace.told(text, one_by_one) == wanted


STEPS = st.lists(st.floats(0.25, 9), min_size=1, max_size=15)
SPECS = st.sampled_from(
    [tumble(DAY), hop(DAY, 6 * HOUR), hop(12 * HOUR, 6 * HOUR, HOUR), cumulate(DAY, 6 * HOUR)]
)


@settings(deadline=None, max_examples=40)
@given(STEPS, SPECS, st.booleans(), st.sampled_from(["Asia/Shanghai", "Asia/Kolkata", "America/New_York"]))
def test_any_cutting_into_tables(steps: list[float], windows: WindowsSpec, two: bool, zone: str) -> None:
    text = " ".join(f"{moment:.2f}" for moment in np.cumsum(steps))
    spec = over(windows, zone)
    assert Trace(spec, two).told(text, one_by_one=True) == Trace(replace(spec), two).told(text)


def test_a_late_row_takes_back_what_has_fired() -> None:
    """A deviation forgets a value only where it is: an accumulator of the `-U` alone would hold nothing."""
    deviation = AggregateSpec("STDDEV_POP", (1,), (INT,), INT)
    operator = WindowAggregate(one_phase(cumulate(40, 10), (COUNT, deviation), True), None, lambda: 0)
    rows = [("+I", "a", 7, 5), ("+I", "a", -1, 12), ("+I", "a", 9, 45), ("-U", "a", -1, 12)]
    found = told(operator.watermarked(marked_of(rows, [(2, 11), (3, 21), (4, 50)])))
    assert "a 2 4 [0,20)" in found
    assert "a 1 0 [0,30) | a 1 0 [0,40)" in found


@pytest.mark.parametrize("one_by_one", [False, True])
def test_it_does_so_where_rows_reach_the_state_later(one_by_one: bool) -> None:
    deviation = AggregateSpec("STDDEV_POP", (1,), (INT,), INT)
    spec = one_phase(
        cumulate(DAY, 6 * HOUR), (COUNT, deviation), True, time=over(tumble(DAY), "Asia/Shanghai").time
    )
    operator = WindowAggregate(spec, None, lambda: 0)
    events = [("+I", 7, 17), ("+I", -1, 18), ("+I", 9, 25), ("-U", -1, 18), ("+I", 9, 45), ("+I", 9, 70)]
    rows: list[Row] = [(kind, "a", value, hours(at)[0]) for kind, value, at in events]
    marks = np.maximum.accumulate([hours(at)[0] for _, _, at in events]).tolist()
    whole = [(rows, list(enumerate(marks, 1)))]
    pieces = [([row], [(1, mark)]) for row, mark in zip(rows, marks, strict=True)]
    found = " ".join(
        told(operator.watermarked(marked_of(piece, at, order)))
        for order, (piece, at) in enumerate(pieces if one_by_one else whole)
    )
    assert "a 2 4 [86400000,108000000)" in found
    assert "a 2 1 [86400000,129600000) | a 2 1 [86400000,151200000)" in found
