"""Windows' wall clocks: what Flink's TimeWindowUtil answers in New York, where clocks jump."""

from __future__ import annotations

from datetime import datetime, timezone

import numpy as np
import pytest

from firesteel.runtime.operators.window.zones import END_OF_TIME, to_instants, to_timers, to_wall_clock

NEW_YORK = "America/New_York"


def millis(text: str) -> int:
    return round(datetime.fromisoformat(text).replace(tzinfo=timezone.utc).timestamp() * 1000)


def one(function, moment: str, zone: str = NEW_YORK) -> str:  # type: ignore[no-untyped-def]
    (found,) = function(np.array([millis(moment)]), zone).tolist()
    return datetime.fromtimestamp(found / 1000, timezone.utc).replace(tzinfo=None).isoformat(" ", "seconds")


@pytest.mark.parametrize(
    ("instant", "clock"),
    [
        ("2026-11-01 05:30:00", "2026-11-01 01:30:00"),
        ("2026-11-01 06:30:00", "2026-11-01 01:30:00"),
        ("2026-03-08 06:59:59", "2026-03-08 01:59:59"),
        ("2026-03-08 07:00:00", "2026-03-08 03:00:00"),
        ("1883-11-18 16:50:00", "1883-11-18 11:53:58"),  # local mean time, which ends within a stretch
    ],
)
def test_what_the_clock_shows(instant: str, clock: str) -> None:
    assert one(to_wall_clock, instant) == clock


@pytest.mark.parametrize(
    ("clock", "instant", "timer"),
    [
        ("2026-01-01 10:00:00", "2026-01-01 15:00:00", "2026-01-01 15:00:00"),
        ("2026-11-01 01:30:00", "2026-11-01 05:30:00", "2026-11-01 06:30:00"),  # shown twice
        ("2026-11-01 02:00:00", "2026-11-01 07:00:00", "2026-11-01 07:00:00"),
        ("2026-03-08 02:30:00", "2026-03-08 07:30:00", "2026-03-08 07:00:00"),  # in the gap
    ],
)
def test_instants_and_timers(clock: str, instant: str, timer: str) -> None:
    assert one(to_instants, clock) == instant
    assert one(to_timers, clock) == timer


def test_a_zone_without_daylight_time_today_fires_at_the_first_of_two_clocks() -> None:
    """Shanghai had daylight time until 1991."""
    clock = "1991-09-14 23:30:00"
    assert one(to_timers, clock, "Asia/Shanghai") == one(to_instants, clock, "Asia/Shanghai")


def test_the_end_of_time_stays() -> None:
    end = np.array([END_OF_TIME])
    for function in (to_wall_clock, to_instants, to_timers):
        assert function(end, NEW_YORK).tolist() == [END_OF_TIME]


def test_many_times_are_moved_as_one_is() -> None:
    """Close together, and spread over the years."""
    begin = millis("2024-03-10 00:00:00")  # the day on which New York's clocks go forward
    for step in (60_000, 86_400_000):
        instants = begin + np.arange(2000) * step
        apart = [to_wall_clock(np.array([each]), NEW_YORK)[0] for each in instants.tolist()]
        assert to_wall_clock(instants, NEW_YORK).tolist() == apart
