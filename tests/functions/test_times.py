"""Dates, times, intervals and their texts."""

from __future__ import annotations

from datetime import date, datetime, time

import pytest

from firesteel.errors import JobError, ValidationError
from firesteel.types.sql import DATE, INT, STRING, timestamp
from firesteel.types.sql import time as time_type
from tests.functions.evaluate import bind, evaluate, one, type_of

NOON = datetime(2024, 2, 29, 12, 34, 56, 789000)
COLUMNS = {
    "ts": (timestamp(3), [NOON]),
    "dt": (DATE, [date(2024, 1, 31)]),
    "tm": (time_type(0), [time(23, 30)]),
    "n": (INT, [2]),
}


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("ts + INTERVAL '1' DAY", "2024-03-01 12:34:56.789"),
        ("ts - INTERVAL '1' YEAR", "2023-02-28 12:34:56.789"),
        ("dt + INTERVAL '1' MONTH", "2024-02-29"),
        ("dt + INTERVAL '25' HOUR", "2024-02-01"),
        ("tm + INTERVAL '1' HOUR", "00:30:00"),
        ("ts + INTERVAL '1' DAY * n", "2024-03-02 12:34:56.789"),
        ("INTERVAL '1' DAY - INTERVAL '25' HOUR", "-0 01:00:00.000"),
        ("INTERVAL '2-03' YEAR TO MONTH", "+2-03"),
        ("EXTRACT(DOW FROM dt)", "4"),
        ("EXTRACT(WEEK FROM ts)", "9"),
        ("EXTRACT(MILLISECOND FROM ts)", "789"),
        ("EXTRACT(EPOCH FROM dt)", "1706659200"),
        ("YEAR(ts) * 100 + MONTH(ts)", "202402"),
        ("FLOOR(ts TO HOUR)", "2024-02-29 12:00:00.000"),
        ("CEIL(ts TO MONTH)", "2024-03-01 00:00:00.000"),
        ("FLOOR(ts TO WEEK)", "2024-02-25 00:00:00.000"),
        ("CEIL(dt TO DAY)", "2024-02-01"),
        ("TIMESTAMPDIFF(MONTH, dt, ts)", "1"),
        ("TIMESTAMPDIFF(DAY, ts, dt)", "-29"),
        ("TIMESTAMPADD(MONTH, 1, dt)", "2024-02-29"),
        ("(ts - dt) DAY TO SECOND", "+29 12:34:56.789"),
        ("(dt, INTERVAL '1' MONTH) OVERLAPS (DATE '2024-02-29', DATE '2024-03-01')", "TRUE"),
        ("DATE_FORMAT(ts, 'yyyy/MM/dd HH:mm')", "2024/02/29 12:34"),
        ("DATE_FORMAT(ts, 'EEE d MMM, w h a')", "Thu 29 Feb, 9 12 PM"),
    ],
)
def test_values(expression: str, expected: str) -> None:
    assert evaluate(expression, COLUMNS) == [expected]


@pytest.mark.parametrize(
    ("expression", "text", "expected"),
    [
        ("TO_DATE(s)", "2023-02-29", "<NULL>"),
        ("TO_DATE(s)", "0000000002023-2-9", "2023-02-09"),
        ("TO_DATE(s, 'yyyy-MM-dd')", "2023-02-29", "2023-03-01"),
        ("TO_TIMESTAMP(s)", "2024-2-9 1:2:3.4", "2024-02-09 01:02:03.400"),
        ("TO_TIMESTAMP(s, 'dd/MMM/yyyy hh:mm a')", "29/Feb/2024 01:02 PM", "2024-02-29 13:02:00.000"),
        ("TO_TIMESTAMP(s, 'yyyyMMdd')", "20240229", "2024-02-29 00:00:00.000"),
        ("TO_TIMESTAMP(s, 'yyyyMMdd')", "2024-02-30 01:00:00", "2024-03-01 01:00:00.000"),
        ("UNIX_TIMESTAMP(s)", "1970-01-01 00:00:01", "1"),
        ("UNIX_TIMESTAMP(s)", "no", "-9223372036854775808"),
        ("CONVERT_TZ(s, 'UTC', 'America/New_York')", "2024-07-01 12:00:00", "2024-07-01 08:00:00"),
        ("CONVERT_TZ(s, 'Nowhere', 'UTC')", "2024-07-01 12:00:00", "2024-07-01 12:00:00"),
    ],
)
def test_texts(expression: str, text: str, expected: str) -> None:
    assert one(expression, s=(STRING, text)) == expected


def test_the_session_s_zone() -> None:
    columns = {"n": (INT, [0])}
    assert evaluate("FROM_UNIXTIME(n)", columns, "Asia/Shanghai") == ["1970-01-01 08:00:00"]
    assert evaluate("TO_TIMESTAMP_LTZ(n, 0)", columns, "Asia/Shanghai") == ["1970-01-01 08:00:00.000"]
    assert evaluate("EXTRACT(HOUR FROM TO_TIMESTAMP_LTZ(n, 3))", columns, "Asia/Shanghai") == ["8"]


def test_clocks_have_their_types() -> None:
    assert type_of("CURRENT_TIMESTAMP") == "TIMESTAMP_LTZ(3) NOT NULL"
    assert type_of("CURRENT_DATE") == "DATE NOT NULL"
    assert evaluate("CURRENT_DATE >= DATE '2020-01-01'") == ["TRUE"]


def test_intervals_remember_how_they_were_written() -> None:
    literal = bind("INTERVAL '1 02:03' DAY TO MINUTE")
    assert literal.value == (26 * 60 + 3) * 60_000  # type: ignore[union-attr]
    assert literal.type.names == ("DAY", "MINUTE")


def test_timestampdiff_has_calcite_s_shape() -> None:
    tree = bind("TIMESTAMPDIFF(MINUTE, ts, ts)", COLUMNS)
    assert tree.function == "CAST"  # type: ignore[union-attr]
    assert tree.args[0].function == "/INT"  # type: ignore[union-attr]
    assert tree.args[0].args[0].function == "Reinterpret"  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("DATE '2023-02-29'", "Illegal DATE literal '2023-02-29': not in format 'yyyy-MM-dd'"),
        ("dt - dt", "Cannot apply '-' to arguments of type '<DATE> - <DATE>'"),
        ("EXTRACT(YEAR FROM tm)", "unit YEAR can not be applied to time variable"),
        ("TO_TIMESTAMP_LTZ(1, 10)", "Precision for TO_TIMESTAMP_LTZ must be between 0 and 9 but was 10."),
    ],
)
def test_refused(expression: str, message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        bind(expression, COLUMNS)


def test_a_wrong_pattern_fails_the_job() -> None:
    with pytest.raises(JobError, match="Unknown pattern letter: b"):
        evaluate("DATE_FORMAT(ts, 'bad')", COLUMNS)
