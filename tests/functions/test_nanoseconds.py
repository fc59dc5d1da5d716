"""TIMESTAMP and TIMESTAMP_LTZ of seven to nine digits: cut, never rounded, in any time zone."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime

import pytest

from firesteel.errors import JobError
from firesteel.types.sql import DATE, STRING, SqlType, timestamp, timestamp_ltz
from tests.functions.evaluate import evaluate, one

NANOS = [1_709_210_096_123_456_789, 1_730_597_400_999_999_999, -1, 1]
COLUMNS = {"n": (timestamp(9), NANOS), "z": (timestamp_ltz(9), NANOS)}


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("CAST(n AS TIMESTAMP(6))", "2024-02-29 12:34:56.123456"),
        ("CAST(n AS TIMESTAMP(8))", "2024-02-29 12:34:56.12345678"),
        ("CAST(n AS TIMESTAMP(3))", "2024-02-29 12:34:56.123"),
        ("CAST(n AS TIMESTAMP(0))", "2024-02-29 12:34:56"),
        ("EXTRACT(NANOSECOND FROM n)", "123456789"),
        ("EXTRACT(MICROSECOND FROM n)", "123456"),
        ("EXTRACT(NANOSECOND FROM z)", "123456789"),
        ("FLOOR(n TO MILLISECOND)", "2024-02-29 12:34:56.123000000"),
        ("CEIL(n TO MILLISECOND)", "2024-02-29 12:34:56.124000000"),
        ("CEIL(z TO MILLISECOND)", "2024-02-29 12:34:56.123000000"),
        ("CEIL(n TO SECOND)", "2024-02-29 12:34:57.000000000"),
        ("n + INTERVAL '1' MONTH", "2024-03-29 12:34:56.123456789"),
        ("n - INTERVAL '1' DAY", "2024-02-28 12:34:56.123456789"),
        ("n = CAST(n AS TIMESTAMP(6))", "FALSE"),
        ("DATE_FORMAT(n, 'SSSSSSSSS n A')", "123456789 123456789 45296123"),
        ("CAST(CAST(n AS STRING) AS TIMESTAMP(9)) = n", "TRUE"),
    ],
)
def test_all_nine_digits_count(expression: str, expected: str) -> None:
    assert evaluate(expression, COLUMNS)[0] == expected


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("CAST(n AS TIMESTAMP(3))", "1969-12-31 23:59:59.999"),
        ("CAST(n AS TIMESTAMP(6))", "1969-12-31 23:59:59.999999"),
        ("CAST(z AS TIMESTAMP(0))", "1970-01-01 00:00:00"),
        ("EXTRACT(NANOSECOND FROM n)", "-1"),
        ("FLOOR(n TO SECOND)", "1969-12-31 23:59:59.000000000"),
        ("CEIL(n TO SECOND)", "1970-01-01 00:00:00.000000000"),
        ("CAST(z AS DATE)", "1969-12-31"),
        ("CAST(n AS DATE)", "1970-01-01"),
    ],
)
def test_before_1970(expression: str, expected: str) -> None:
    assert evaluate(expression, COLUMNS)[2] == expected


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("z", "2024-02-29 07:34:56.123456789"),
        ("CAST(z AS TIMESTAMP(9))", "2024-02-29 07:34:56.123456789"),
        ("CAST(n AS TIMESTAMP_LTZ(9))", "2024-02-29 12:34:56.123456789"),
        ("CAST(CAST(z AS STRING) AS TIMESTAMP_LTZ(9)) = z", "TRUE"),
        ("FLOOR(z TO DAY)", "2024-02-29 00:00:00.000000000"),
        ("CEIL(z TO MONTH)", "2024-03-01 00:00:00.000000000"),
        ("z > n", "FALSE"),
        ("z + INTERVAL '1' MONTH", "2024-03-29 08:34:56.123456789"),
        ("DATE_FORMAT(z, 'HH:mm:ss.SSSSSSSSS')", "07:34:56.123456789"),
        ("EXTRACT(HOUR FROM z)", "7"),
    ],
)
def test_in_another_zone(expression: str, expected: str) -> None:
    assert evaluate(expression, COLUMNS, "America/New_York")[0] == expected


def test_a_literal_has_nine_digits_at_most() -> None:
    assert evaluate("TIMESTAMP '2024-01-01 00:00:00.1234567899'") == ["2024-01-01 00:00:00.123456789"]


def test_digits_of_a_small_fraction_are_counted_without_zeros() -> None:
    columns = {"n": (timestamp(9), [1_234_567])}
    assert evaluate("CAST(CAST(n AS TIMESTAMP(7)) AS TIMESTAMP(9))", columns) == [
        "1970-01-01 00:00:00.001234567"
    ]


def test_years_that_nine_digits_cannot_hold_are_an_error_that_says_so() -> None:
    with pytest.raises(JobError, match="held from 1677-09-21 to 2262-04-11"):
        one("CAST(s AS TIMESTAMP(9))", s=(STRING, "0001-01-01 00:00:00"))


@pytest.mark.parametrize(
    ("operator", "expected"),
    [
        ("<", ["FALSE", "TRUE", "TRUE", "FALSE", "FALSE"]),
        ("<=", ["FALSE", "TRUE", "TRUE", "TRUE", "FALSE"]),
        (">", ["TRUE", "FALSE", "FALSE", "FALSE", "TRUE"]),
        (">=", ["TRUE", "FALSE", "FALSE", "TRUE", "TRUE"]),
        ("=", ["FALSE", "FALSE", "FALSE", "TRUE", "FALSE"]),
        ("<>", ["TRUE", "TRUE", "TRUE", "FALSE", "TRUE"]),
        ("IS DISTINCT FROM", ["TRUE", "TRUE", "TRUE", "FALSE", "TRUE"]),
    ],
)
@pytest.mark.parametrize(
    "kinds", [(timestamp, timestamp), (timestamp_ltz, timestamp_ltz), (timestamp, timestamp_ltz)]
)
def test_milliseconds_of_any_year_beside_nanoseconds(
    operator: str, expected: list[str], kinds: tuple[Callable[[int], SqlType], Callable[[int], SqlType]]
) -> None:
    coarse = [
        datetime(8888, 1, 1),
        datetime(1, 1, 1),
        datetime(1970, 1, 1),
        datetime(1970, 1, 1),
        datetime(1970, 1, 1),
    ]
    columns = {"c": (kinds[0](3), coarse), "f": (kinds[1](9), [1, 1, 1, 0, -1])}
    assert evaluate(f"c {operator} f", columns) == expected
    mirrored = (
        operator.translate(str.maketrans("<>", "><")) if operator in ("<", "<=", ">", ">=") else operator
    )
    assert evaluate(f"f {mirrored} c", columns) == expected


@pytest.mark.parametrize("cast", ["CAST", "TRY_CAST"])
def test_a_date_beyond_what_nanoseconds_hold(cast: str) -> None:
    with pytest.raises(JobError, match="held from 1677-09-21 to 2262-04-11 only"):
        one(f"{cast}(d + INTERVAL '1' YEAR AS TIMESTAMP(9))", d=(DATE, date(9999, 12, 31)))
