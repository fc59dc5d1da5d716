"""The clock of micro-batches in the offsets of a source."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from firesteel.connectors.base import Offset
from firesteel.runtime.dataflow.packets import FIRST, TIMER, Packet
from firesteel.spark.stream.batch_clock import BatchClock, Ticks, ticks_between, time_of, without_time
from firesteel.spark.stream.timers import JobTimers, next_timer


class Stream:
    """A source that is asked for offsets as Spark does. rows: how many it has."""

    def __init__(self, ticks: Ticks | None, interval: int = 0) -> None:
        self.now = 1000
        self.rows = 0
        self.elapsed = 0.0
        self.clock = BatchClock(ticks, interval, lambda: self.now, lambda: self.elapsed)

    def begin(self) -> Offset:
        return self.clock.first({"row": 0})

    def batch(self, start: Offset, now: int) -> str:
        """The micro-batch from an offset on, as `rows@time`, with a ! where it ticks; "" for none."""
        self.now, self.end = now, start
        self.end = self.clock.next(start, lambda _: {"row": self.rows})
        if self.end == start:
            return ""
        assert self.end["row"] == self.rows
        return f"{self.rows}@{time_of(self.end)}{'!' * ticks_between(start, self.end)}"


def tell(timers: JobTimers, *told: tuple[int, int, int | None]) -> None:
    payloads = ("[" + ",".join("null" if n is None else str(n) for n in each) + "]" for each in told)
    timers.take([Packet(0, FIRST, 0, 0, payload.encode(), TIMER) for payload in payloads])


@pytest.fixture
def timers(tmp_path: Path) -> JobTimers:
    return JobTimers(str(tmp_path / "timers"))


def test_a_micro_batch_of_rows_has_the_time_at_which_it_began() -> None:
    stream = Stream(None)
    first = stream.begin()
    assert stream.batch(first, 2000) == ""
    stream.rows = 3
    assert stream.batch(first, 2005) == "3@2005"
    assert without_time(stream.end) == {"row": 3}
    assert stream.batch(stream.end, 3000) == ""


def test_the_clock_goes_on() -> None:
    stream = Stream(None)
    stream.rows = 1
    assert stream.batch(stream.begin(), 2000) == "1@2000"
    stream.rows = 2
    assert stream.batch(stream.end, 1999) == "2@2001"


HOUR = 3_600_000
NOON = 1_780_315_200_000


def test_a_timer_goes_off_though_the_clock_was_set_back(timers: JobTimers) -> None:
    """After the time that it had to wait for, as in Flink; it waited for an hour and that time before."""
    stream = Stream(Ticks(timers.file, alone=True))
    stream.rows = 1
    assert stream.batch(stream.begin(), NOON) == f"1@{NOON}"
    tell(timers, (1, 0, NOON + 5000))
    stream.elapsed = 4.0
    assert stream.batch(stream.end, NOON - HOUR + 4000) == ""
    stream.elapsed = 5.25
    assert stream.batch(stream.end, NOON - HOUR + 5250) == f"1@{NOON + 5250}!"
    (notice,) = stream.clock.notices()
    assert "shows 2026-06-01 11:00:04 UTC, but processing time is at 2026-06-01 12:00:04 UTC" in notice
    assert stream.clock.notices() == []
    tell(timers, (1, 0, None))
    stream.rows = 2
    stream.elapsed = 6.0
    assert stream.batch(stream.end, NOON + HOUR) == f"2@{NOON + HOUR}"
    assert stream.clock.notices() == []


def test_rows_wait_for_no_mini_batch_of_an_hour(timers: JobTimers) -> None:
    stream = Stream(Ticks(timers.file, alone=True), interval=1000)
    stream.rows = 1
    assert stream.batch(stream.begin(), NOON) == f"1@{NOON}"
    stream.rows = 2
    stream.elapsed = 1.0
    assert stream.batch(stream.end, NOON - HOUR) == f"2@{NOON + 1000}"


def test_a_run_on_a_machine_whose_clock_is_behind(timers: JobTimers) -> None:
    stream = Stream(Ticks(timers.file, alone=True))
    before: dict[str, Any] = {"row": 0, "$now": NOON, "$ticked": NOON}
    assert stream.batch(before, NOON - HOUR) == f"0@{NOON + 1}!"
    tell(timers, (1, 0, NOON + 3000))
    stream.elapsed = 3.5
    assert stream.batch(stream.end, NOON - HOUR + 3500) == f"0@{NOON + 3501}!"
    assert len(stream.clock.notices()) == 1


def test_a_clock_that_lags_by_little_is_not_reported() -> None:
    stream = Stream(None)
    stream.rows = 1
    stream.batch(stream.begin(), 5000)
    stream.rows = 2
    stream.batch(stream.end, 4500)
    assert stream.clock.notices() == []


def test_a_timer_begins_a_micro_batch(timers: JobTimers) -> None:
    stream = Stream(Ticks(timers.file, alone=True))
    stream.rows = 1
    assert stream.batch(stream.begin(), 2000) == "1@2000"
    tell(timers, (1, 0, 2500), (1, 1, 2100), (1, 2, None))
    assert stream.batch(stream.end, 2099) == ""
    assert stream.batch(stream.end, 2103) == "1@2103!"
    tell(timers, (1, 1, None))
    assert next_timer(timers.file) == 2500
    assert stream.batch(stream.end, 2499) == ""
    stream.rows = 2
    assert stream.batch(stream.end, 2500) == "2@2500!"
    tell(timers, (1, 0, None))
    assert next_timer(timers.file) is None
    assert stream.batch(stream.end, 9999) == ""


def test_a_run_that_goes_on_begins_with_a_tick(timers: JobTimers) -> None:
    """What the run before has told is not known to it."""
    stream = Stream(Ticks(timers.file, alone=True))
    before: dict[str, Any] = {"row": 0, "$now": 1500, "$ticked": 0}
    assert stream.batch(before, 2000) == "0@2000!"
    assert stream.batch(stream.end, 2001) == ""


def test_a_bounded_job_waits_for_no_timer(timers: JobTimers) -> None:
    stream = Stream(Ticks(timers.file, alone=False))
    first = stream.begin()
    tell(timers, (1, 0, 1000))
    assert stream.batch(first, 2000) == ""
    stream.rows = 1
    assert stream.batch(first, 2000) == "1@2000!"


def test_without_a_driver_it_ticks_each_second() -> None:
    stream = Stream(Ticks("", alone=True))
    assert stream.batch(stream.begin(), 2000) == "0@2000!"
    assert stream.batch(stream.end, 2999) == ""
    stream.rows = 1
    assert stream.batch(stream.end, 2999) == "1@2999"
    assert stream.batch(stream.end, 3000) == "1@3000!"


def test_rows_wait_for_the_mini_batch_and_timers_do_not(timers: JobTimers) -> None:
    stream = Stream(Ticks(timers.file, alone=True), interval=1000)
    stream.rows = 1
    assert stream.batch(stream.begin(), 2000) == "1@2000"
    tell(timers, (1, 0, 2500))
    stream.rows = 2
    assert stream.batch(stream.end, 2499) == ""
    assert stream.batch(stream.end, 2500) == "2@2500!"
    tell(timers, (1, 0, None))
    stream.rows = 3
    assert stream.batch(stream.end, 2999) == ""
    assert stream.batch(stream.end, 3000) == "3@3000"


def test_an_offset_of_an_earlier_version_has_no_time() -> None:
    stream = Stream(None)
    stream.rows = 4
    assert stream.batch({"row": 3}, 2000) == "4@2000"
    assert time_of({"row": 3}) == 0
