"""Windows by the clock of a zone: each row is in all windows of its time, with any offset from UTC."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timezone
from zoneinfo import ZoneInfo

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firesteel.runtime.dataflow.operator import MAX_WATERMARK, Operator
from firesteel.runtime.operators.window.slicing.buffer_flush import next_triggers
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


DEVIATION = AggregateSpec("STDDEV_POP", (1,), (INT,), INT)
"""An aggregate of changes without a columnar form."""


def over(windows: WindowsSpec, zone: str, calls: tuple[AggregateSpec, ...] = (COUNT,)) -> WindowAggregateSpec:
    time = WindowTime(2, timestamp_ltz(3).with_nullable(False), zone)
    return one_phase(windows, calls, DEVIATION in calls, time=time)


def hours(*moments: float) -> list[int]:
    return [round(moment * HOUR) for moment in moments]


@pytest.mark.parametrize(
    ("windows", "zone", "marks", "wanted"),
    [
        (tumble(DAY), "UTC", [1, 23, 24], [24, 24, 48]),
        (tumble(DAY), "Asia/Shanghai", [1, 16, 24], [16, 40, 40]),  # the day ends at 16
        (tumble(DAY, 2 * HOUR), "Asia/Shanghai", [1, 2], [18, 18]),
        (hop(DAY, 6 * HOUR), "GMT+08:00", [3, 4], [4, 10]),
        (tumble(HOUR), "Asia/Kolkata", [0.5, 1], [1.5, 1.5]),
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
        return ", ".join(f"{count} to {int(end[1:-1].split(',')[1]) / HOUR:g}" for _, count, *_, end in shown)


CASES = [
    # A day of Shanghai's ends at 16. Flink flushes at 24 and loses the rows of the day before.
    (tumble(DAY), "10 15 17 25", "2 to 24, 2 to 48"),
    (tumble(DAY), "10 | 15 17 18 25", "2 to 24, 3 to 48"),
    (hop(12 * HOUR, 6 * HOUR), "3 5 7 11", "1 to 12, 3 to 18, 3 to 24, 1 to 30"),
    (cumulate(12 * HOUR, 6 * HOUR), "5 7 11 17", "2 to 18, 3 to 24, 1 to 30, 1 to 36"),
]


@pytest.mark.parametrize("calls", [(COUNT,), (COUNT, DEVIATION)], ids=["columns", "rows"])
@pytest.mark.parametrize("one_by_one", [False, True])
@pytest.mark.parametrize("two_phases", [False, True])
@pytest.mark.parametrize(("windows", "text", "wanted"), CASES)
def test_no_row_is_lost(
    windows: WindowsSpec,
    text: str,
    wanted: str,
    two_phases: bool,
    one_by_one: bool,
    calls: tuple[AggregateSpec, ...],
) -> None:
    trace = Trace(over(windows, "Asia/Shanghai", calls), two_phases)
    assert trace.told(text, one_by_one) == wanted


STEPS = st.lists(st.floats(0.25, 9), min_size=1, max_size=15)
SPECS = st.sampled_from(
    [tumble(DAY), hop(DAY, 6 * HOUR), hop(12 * HOUR, 6 * HOUR, HOUR), cumulate(DAY, 6 * HOUR)]
)


def counted(moments: list[int], windows: WindowsSpec, zone: str) -> str:
    """The rows of each window, counted one by one."""
    found: dict[int, int] = {}
    for moment in moments:
        local = datetime.fromtimestamp(moment / 1000, ZoneInfo(zone)).replace(tzinfo=timezone.utc)
        clock = round(local.timestamp() * 1000)
        first = clock - (clock - windows.offset) % windows.step + windows.step
        last = first + windows.size - windows.step
        if windows.function == "CUMULATE":
            last = clock - (clock - windows.offset) % windows.size + windows.size
        for end in range(first, last + 1, windows.step):
            found[end] = found.get(end, 0) + 1
    return ", ".join(f"{found[end]} to {end / HOUR:g}" for end in sorted(found))


@settings(deadline=None, max_examples=40)
@given(STEPS, SPECS, st.booleans(), st.sampled_from(["Asia/Shanghai", "Asia/Kolkata", "America/New_York"]))
def test_windows_have_the_rows_of_their_times(
    steps: list[float], windows: WindowsSpec, two: bool, zone: str
) -> None:
    moments = [f"{moment:.2f}" for moment in np.cumsum(steps)]
    spec, text = over(windows, zone), " ".join(moments)
    wanted = counted(hours(*map(float, moments)), windows, zone)
    assert Trace(spec, two).told(text) == wanted
    assert Trace(replace(spec), two).told(text, one_by_one=True) == wanted


def test_a_late_row_takes_back_what_has_fired() -> None:
    """A deviation forgets a value only where it is: an accumulator of the `-U` alone would hold nothing."""
    operator = WindowAggregate(one_phase(cumulate(40, 10), (COUNT, DEVIATION), True), None, lambda: 0)
    rows = [("+I", "a", 7, 5), ("+I", "a", -1, 12), ("+I", "a", 9, 45), ("-U", "a", -1, 12)]
    found = told(operator.watermarked(marked_of(rows, [(2, 11), (3, 21), (4, 50)])))
    assert "a 2 4 [0,20)" in found
    assert "a 1 0 [0,30) | a 1 0 [0,40)" in found
