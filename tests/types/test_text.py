"""The text of values."""

from __future__ import annotations

from datetime import date, datetime, time, timezone
from decimal import Decimal

import pyarrow as pa
import pytest

from firesteel.types.arrow import to_arrow
from firesteel.types.primitive_text import date_text, double_text, float_text
from firesteel.types.sql import (
    BOOLEAN,
    BYTES,
    DATE,
    INT,
    STRING,
    SqlType,
    TypeRoot,
    array,
    decimal,
    map_of,
    row,
    timestamp,
    timestamp_ltz,
)
from firesteel.types.sql import time as time_type
from firesteel.types.text import render


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0.0"), (-0.0, "-0.0"), (1.0, "1.0"), (123.0, "123.0"), (0.001, "0.001"), (0.00099, "9.9E-4"),
        (9999999.0, "9999999.0"), (1e7, "1.0E7"), (12345678.9, "1.23456789E7"), (1e-5, "1.0E-5"),
        (1e21, "1.0E21"), (5e-324, "4.9E-324"), (1e-323, "9.9E-324"),
        (2.2250738585072014e-308, "2.2250738585072014E-308"),
        (1.7976931348623157e308, "1.7976931348623157E308"),
        (float("nan"), "NaN"), (float("-inf"), "-Infinity"),
    ],
)  # fmt: skip
def test_doubles_as_java_writes_them(value: float, text: str) -> None:
    assert double_text(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.1, "0.1"),
        (16777216.0, "1.6777216E7"),
        (3.4028235e38, "3.4028235E38"),
        (1.4e-45, "1.4E-45"),
        (2.8e-45, "2.8E-45"),
    ],
)
def test_floats(value: float, text: str) -> None:
    assert float_text(value) == text


@pytest.mark.parametrize(
    ("kind", "value", "text"),
    [
        (BOOLEAN, True, "TRUE"),
        (INT, None, "<NULL>"),
        (decimal(38, 10), Decimal("1"), "1.0000000000"),
        (BYTES, b"hi", "x'6869'"),
        (DATE, date(1, 2, 3), "0001-02-03"),
        (time_type(0), time(1, 2, 3), "01:02:03"),
        (time_type(3), time(1, 2, 3), "01:02:03.0"),
        (timestamp(3), datetime(1969, 12, 31, 23, 59, 59, 999000), "1969-12-31 23:59:59.999"),
        (timestamp(0), datetime(2024, 1, 1), "2024-01-01 00:00:00"),
        (array(INT), [1, None], "[1, NULL]"),
        (map_of(STRING, INT), [("a", 1), ("b", None)], "{a=1, b=NULL}"),
        (row(("a", "b"), (INT, array(STRING))), {"a": None, "b": ["x"]}, "(NULL, [x])"),
        (array(DATE), [date(2024, 2, 29)], "[2024-02-29]"),
        (SqlType(TypeRoot.INTERVAL_YEAR_MONTH), -27, "-2-03"),
        (SqlType(TypeRoot.INTERVAL_DAY_TIME), 93784567, "+1 02:03:04.567"),
    ],
)
def test_cells(kind: SqlType, value: object, text: str) -> None:
    assert render(pa.array([value], to_arrow(kind)), kind) == [text]


def test_slices_and_chunks() -> None:
    values = pa.chunked_array([pa.array([[1], [2, 3], None]).slice(1), pa.array([[4]])])
    assert render(values, array(INT)) == ["[2, 3]", "<NULL>", "[4]"]


def test_an_instant_is_shown_in_the_session_s_zone() -> None:
    column = pa.array([datetime(2024, 7, 1, tzinfo=timezone.utc)], pa.timestamp("us", tz="UTC"))
    assert render(column, timestamp_ltz(3), "America/New_York") == ["2024-06-30 20:00:00.000"]


@pytest.mark.parametrize(
    ("days", "text"),
    [
        (0, "1970-01-01"),
        (2_932_897, "0000-01-01"),
        (-719_163, "0000-12-31"),
        (622_191_233, "5471-09-27"),
        (-1_000_000, "0)*(-02-04"),
    ],
)
def test_a_year_has_its_last_four_digits(days: int, text: str) -> None:
    assert date_text(days) == text
