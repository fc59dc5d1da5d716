"""FLOOR and CEIL of points in time: every unit, before 1582 and 1970, in a time zone."""

from __future__ import annotations

from datetime import date, datetime, time

import pytest

from firesteel.errors import NotSupportedError, ValidationError
from firesteel.types.sql import DATE, timestamp, timestamp_ltz
from firesteel.types.sql import time as time_type
from tests.functions.evaluate import bind, evaluate

OLD, BEFORE, NEW = datetime(100, 2, 28, 5, 6, 7, 80000), datetime(1969, 12, 31, 23, 59, 59, 999000), None
MOMENTS = [OLD, BEFORE, datetime(8888, 12, 31, 23, 59, 59, 999000), NEW]
COLUMNS = {
    "ts": (timestamp(3), MOMENTS),
    "lz": (timestamp_ltz(3), MOMENTS),
    "dt": (DATE, [m and m.date() for m in MOMENTS]),
    "tm": (time_type(0), [time(23, 59, 59)] * 3 + [None]),
}


@pytest.mark.parametrize(
    ("expression", "old", "before", "later"),
    [
        (
            "FLOOR(ts TO YEAR)",
            "0100-01-01 00:00:00.000",
            "1970-01-01 00:00:00.000",
            "8888-01-01 00:00:00.000",
        ),
        (
            "FLOOR(ts TO MONTH)",
            "0100-03-01 00:00:00.000",
            "1970-01-01 00:00:00.000",
            "8888-12-01 00:00:00.000",
        ),
        (
            "FLOOR(ts TO WEEK)",
            "0100-03-01 00:00:00.000",
            "1969-12-28 00:00:00.000",
            "8888-12-26 00:00:00.000",
        ),
        ("FLOOR(ts TO DAY)", "0100-02-28 00:00:00.000", "1969-12-31 00:00:00.000", "8888-12-31 00:00:00.000"),
        (
            "FLOOR(ts TO HOUR)",
            "0100-02-28 05:00:00.000",
            "1969-12-31 23:00:00.000",
            "8888-12-31 23:00:00.000",
        ),
    ],
)
def test_timestamps(expression: str, old: str, before: str, later: str) -> None:
    assert evaluate(expression, COLUMNS) == [old, before, later, "<NULL>"]


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("CEIL(dt TO CENTURY)", "8901-01-01"),
        ("CEIL(dt TO MILLENNIUM)", "9001-01-01"),
        ("FLOOR(dt TO HOUR)", "8888-12-31"),
        ("FLOOR(dt TO DOW)", "8888-12-31"),
        ("CEIL(dt TO DAY)", "8889-01-01"),
        ("CEIL(tm TO HOUR)", "24:00:00"),
        ("FLOOR(tm TO MINUTE)", "23:59:00"),
    ],
)
def test_dates_and_times(expression: str, expected: str) -> None:
    assert evaluate(expression, COLUMNS)[2] == expected


@pytest.mark.parametrize(
    ("expression", "old", "later"),
    [
        ("FLOOR(lz TO YEAR)", "0100-01-01 00:05:43.000", "8889-01-01 00:00:00.000"),
        ("CEIL(lz TO DAY)", "0100-03-01 00:05:43.000", "8889-01-02 00:00:00.000"),
    ],
)
def test_instants_go_by_a_zone_without_local_mean_time(expression: str, old: str, later: str) -> None:
    found = evaluate(expression, COLUMNS, "Asia/Shanghai")
    assert (found[0], found[2]) == (old, later)


@pytest.mark.parametrize(
    "expression",
    ["FLOOR(ts TO MICROSECOND)", "CEIL(ts TO DOW)", "FLOOR(lz TO ISOYEAR)", "FLOOR(ts TO SQL_TSI_DAY)"],
)
def test_units_that_flink_fails_on_are_refused(expression: str) -> None:
    with pytest.raises(ValidationError, match="Cannot apply"):
        bind(expression, COLUMNS)


def test_a_time_has_no_days() -> None:
    with pytest.raises(NotSupportedError, match="FLOOR of a TIME TO DAY"):
        bind("FLOOR(tm TO DAY)", COLUMNS)


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("EXTRACT(MINUTE FROM dt)", "48"),
        ("EXTRACT(SECOND FROM dt)", "52"),
        ("EXTRACT(MILLISECOND FROM dt)", "896"),
        ("HOUR(dt)", "0"),
    ],
)
def test_clock_units_of_a_date_are_taken_of_its_days(expression: str, expected: str) -> None:
    assert evaluate(expression, {"dt": (DATE, [date(9999, 12, 31)])}) == [expected]
