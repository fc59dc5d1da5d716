"""Interval literals and the differences of moments: what Flink takes, and its words where it refuses."""

from __future__ import annotations

from datetime import datetime, time

import pytest

from firesteel.bind.scalar.intervals import interval_count
from firesteel.errors import ParseError, ValidationError
from firesteel.plan.expressions.text import ast_text
from firesteel.sql.parser import parse_statement
from firesteel.types.sql import DATE, DOUBLE, INT, timestamp, timestamp_ltz
from firesteel.types.sql import time as time_type
from tests.functions.evaluate import bind, evaluate

MOMENT = datetime(2024, 2, 29, 12, 34, 56, 789000)
COLUMNS = {
    "ts": (timestamp(3), [MOMENT]),
    "ts0": (timestamp(0), [MOMENT.replace(microsecond=0)]),
    "past": (timestamp(3), [datetime(1850, 7, 1)]),
    "lz": (timestamp_ltz(3), [MOMENT]),
    "dt": (DATE, [MOMENT.date()]),
    "tm": (time_type(0), [time(12, 34, 56)]),
    "n": (INT, [2]),
    "d": (DOUBLE, [1.5]),
}


@pytest.mark.parametrize(
    ("text", "unit", "count"),
    [
        ("99", "MINUTE", 99 * 60_000),
        ("123", "MINUTE(3)", 123 * 60_000),
        ("001", "DAY", 86_400_000),
        (" 1 ", "DAY", 86_400_000),
        ("+1", "DAY", 86_400_000),
        ("99.9999", "SECOND", 99_999),
        ("1 23:59:59.999", "DAY TO SECOND", 2 * 86_400_000 - 1),
        ("-1:1.5", "MINUTE TO SECOND", -61_500),
        ("99-11", "YEAR TO MONTH", 99 * 12 + 11),
        ("1234", "MONTH(4)", 1234),
        ("1", "QUARTER", 3),
    ],
)
def test_literals(text: str, unit: str, count: int) -> None:
    assert interval_count(text, unit) == count


@pytest.mark.parametrize(
    ("text", "unit", "words"),
    [
        ("123", "MINUTE", "Interval field value 123 exceeds precision of MINUTE(2) field"),
        ("1234", "MINUTE(3)", "Interval field value 1,234 exceeds precision of MINUTE(3) field"),
        ("100 00", "DAY TO HOUR", "Interval field value 100 exceeds precision of DAY(2) field"),
        ("100", "WEEK", "Interval field value 100 exceeds precision of WEEK(2) field"),
        ("1-12", "YEAR TO MONTH", "Illegal interval literal format '1-12' for INTERVAL YEAR TO MONTH"),
        ("1 24", "DAY TO HOUR", "Illegal interval literal format '1 24' for INTERVAL DAY TO HOUR"),
        ("1.1234", "SECOND(2, 3)", "Illegal interval literal format '1.1234' for INTERVAL SECOND(2, 3)"),
        ("1.5", "DAY", "Illegal interval literal format '1.5' for INTERVAL DAY"),
        ("- 1", "DAY", "Illegal interval literal format '- 1' for INTERVAL DAY"),
        ("1.", "SECOND", "Illegal interval literal format '1.' for INTERVAL SECOND"),
        ("", "DAY", "Illegal INTERVAL literal  DAY"),
        ("1", "YEAR(11)", "Interval leading field precision '11' out of range for INTERVAL YEAR(11)"),
        ("1", "DAY(4)", "DAY_INTERVAL_TYPES precision is not supported: 4"),
        (
            "1",
            "SECOND(2, 0)",
            "Interval fractional second precision '0' out of range for INTERVAL SECOND(2, 0)",
        ),
    ],
)
def test_literals_that_flink_refuses(text: str, unit: str, words: str) -> None:
    with pytest.raises(ValidationError) as found:
        interval_count(text, unit)
    assert found.value.message == words


@pytest.mark.parametrize(
    ("expression", "words"),
    [
        ("TIMESTAMPDIFF(SECOND, ts, lz)", "TIMESTAMP_LTZ only supports diff between the same type."),
        ("TIMESTAMPDIFF(MONTH, lz, dt)", "TIMESTAMP_LTZ only supports diff between the same type."),
        ("TIMESTAMPDIFF(HOUR, tm, ts)", "is counted in months only"),
        ("TIMESTAMPADD(MICROSECOND, 1, ts)", "Unsupported call: /INT"),
        ("INTERVAL d DAY", "Unsupported casting from DOUBLE to INTERVAL SECOND(3)."),
        (
            "INTERVAL ts DAY",
            "arguments of type 'INTERVAL <TIMESTAMP(3)> <INTERVAL DAY>'.",
        ),
        ("EXTRACT(MICROSECOND FROM tm)", "unit MICROSECOND can not be applied to TIME(0) variable"),
        ("TIMESTAMP '1582-10-10 00:00:00'", "Illegal TIMESTAMP literal '1582-10-10 00:00:00'"),
    ],
)
def test_what_flink_refuses(expression: str, words: str) -> None:
    with pytest.raises(ValidationError) as found:
        bind(expression, COLUMNS)
    assert words in found.value.message


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("TIMESTAMPDIFF(MILLISECOND, past, ts)", "19026304"),
        ("TIMESTAMPDIFF(MICROSECOND, ts0, ts)", "0"),
        ("TIMESTAMPDIFF(NANOSECOND, past, ts)", "5480397296000000000"),
        ("TIMESTAMPDIFF(DECADE, past, ts)", "173"),
        ("TIMESTAMPDIFF(CENTURY, past, ts)", "1"),
        ("TIMESTAMPDIFF(MONTH, tm, ts)", "649"),
        ("TIMESTAMPADD(DECADE, 1, ts)", "2034-02-28 12:34:56.789"),
        ("TIMESTAMPADD(SECOND, n, ts0)", "2024-02-29 12:34:58"),
        ("TIMESTAMPADD(MILLISECOND, n, ts0)", "2024-02-29 12:34:56.002"),
        ("INTERVAL '1' YEAR(3)", "+1-00"),
    ],
)
def test_values(expression: str, expected: str) -> None:
    assert evaluate(expression, COLUMNS) == [expected]


@pytest.mark.parametrize("kind", ["INTERVAL DAY", "ARRAY<INTERVAL DAY>", "ROW<a INTERVAL MONTH>"])
def test_a_column_is_no_interval(kind: str) -> None:
    with pytest.raises(ParseError, match="Incorrect syntax near the keyword 'INTERVAL'"):
        parse_statement(f"CREATE TABLE t (a {kind})")


@pytest.mark.parametrize(
    "name", ["CURRENT_TIMESTAMP", "CURRENT_DATE", "CURRENT_TIME", "LOCALTIME", "LOCALTIMESTAMP"]
)
@pytest.mark.parametrize("written", ["{}", "{}()", "`{}`()"])
def test_the_clock_with_and_without_parentheses(name: str, written: str) -> None:
    assert ast_text(bind(written.format(name))) == name


def test_the_current_database() -> None:
    assert evaluate("CURRENT_DATABASE()") == ["default_database"]
