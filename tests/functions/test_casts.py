"""CAST and TRY_CAST."""

from __future__ import annotations

from datetime import date, datetime, time, timezone
from decimal import Decimal
from typing import Any

import pytest

from firesteel.errors import JobError, ValidationError
from firesteel.plan.simplify import simplify_value
from firesteel.types.sql import (
    BIGINT,
    BOOLEAN,
    BYTES,
    DATE,
    DOUBLE,
    FLOAT,
    INT,
    STRING,
    SqlType,
    array,
    char,
    decimal,
    map_of,
    row,
    timestamp,
    timestamp_ltz,
)
from firesteel.types.sql import time as time_type
from tests.functions.evaluate import bind, evaluate, one


@pytest.mark.parametrize(
    ("kind", "value", "target", "expected"),
    [
        (INT, 300, "TINYINT", "44"),
        (BIGINT, 1 << 31, "INT", "-2147483648"),
        (DOUBLE, 1e10, "INT", "2147483647"),
        (DOUBLE, -1e300, "BIGINT", "-9223372036854775808"),
        (DOUBLE, float("nan"), "INT", "0"),
        (DOUBLE, 300.9, "TINYINT", "44"),
        (DOUBLE, -1.9, "INT", "-1"),
        (DOUBLE, 1e39, "FLOAT", "Infinity"),
        (decimal(10, 2), Decimal("-1.99"), "INT", "-1"),
        (decimal(38, 0), Decimal(10**30), "BIGINT", str((10**30 + 2**63) % 2**64 - 2**63)),
        (BOOLEAN, True, "INT", "1"),
        (BOOLEAN, True, "STRING", "TRUE"),
        (INT, 0, "BOOLEAN", "FALSE"),
        (DOUBLE, 1e10, "STRING", "1.0E10"),
        (FLOAT, 0.1, "DOUBLE", "0.10000000149011612"),
        (decimal(2, 2), Decimal("0.05"), "STRING", "0.05"),
        (INT, 12345, "VARCHAR(3)", "123"),
        (INT, 7, "DECIMAL(3, 1)", "7.0"),
        (INT, 700, "DECIMAL(3, 1)", "<NULL>"),
        (BYTES, b"\xff", "STRING", "\ufffd"),
        (STRING, "ab", "BINARY(3)", "x'616200'"),
        (STRING, "0", "DATE", "0000-01-01"),
        (STRING, "0000-2-29 x", "DATE", "0000-02-29"),
        (STRING, "007 :5", "TIME", "07:05:00"),
        (STRING, "7:5:3.12+01:30", "TIME", "08:35:03"),
        (STRING, "02-29", "TIME", "21:00:00"),
        (STRING, "12:00:59.9996", "TIME(3)", "12:01:00.0"),
        (STRING, "ab", "VARBINARY(1)", "x'61'"),
        (DATE, date(1, 2, 3), "STRING", "0001-02-03"),
        (time_type(0), time(1, 2, 3), "STRING", "01:02:03"),
        (time_type(0), time(1, 2, 3), "TIMESTAMP(3)", "1970-01-01 01:02:03.000"),
        (timestamp(3), datetime(2024, 1, 2, 3, 4, 5, 678000), "STRING", "2024-01-02 03:04:05.678"),
        (timestamp(3), datetime(2024, 1, 2, 3, 4, 5, 678000), "TIMESTAMP(0)", "2024-01-02 03:04:05"),
        (timestamp(3), datetime(1969, 12, 31, 23, 59, 59, 999000), "DATE", "1970-01-01"),
        (timestamp(6), datetime(2024, 1, 2, 3, 4, 5, 678901), "TIME", "03:04:05"),
    ],
)
def test_cast(kind: SqlType, value: Any, target: str, expected: str) -> None:
    assert one(f"CAST(x AS {target})", x=(kind, value)) == expected


@pytest.mark.parametrize(
    ("text", "target", "expected"),
    [
        (" 12.7 ", "INT", "12"),
        (".", "INT", "0"),
        ("+", "INT", "<NULL>"),
        ("300", "TINYINT", "<NULL>"),
        ("1e3", "INT", "<NULL>"),
        ("1d", "DOUBLE", "1.0"),
        ("0x1p3", "DOUBLE", "8.0"),
        ("inf", "DOUBLE", "<NULL>"),
        ("1e400", "DOUBLE", "Infinity"),
        ("12x", "DECIMAL(10, 2)", "12.00"),
        ("12xy", "DECIMAL(10, 2)", "<NULL>"),
        ("12x", "DECIMAL(38, 10)", "<NULL>"),
        ("1e-1", "DECIMAL(5, 2)", "0.10"),
        ("0.005", "DECIMAL(5, 2)", "0.01"),
        ("Yes", "BOOLEAN", "TRUE"),
        (" true ", "BOOLEAN", "<NULL>"),
        ("2024", "DATE", "2024-01-01"),
        ("2024-2-9 25:00", "DATE", "2024-02-09"),
        ("2023-02-29", "DATE", "<NULL>"),
        ("2023-02-29", "TIMESTAMP(3)", "2023-02-28 00:00:00.000"),
        ("2024-02-29 24:00:00", "TIMESTAMP(0)", "2024-03-01 00:00:00"),
        ("2024-02-29T12:00:00", "TIMESTAMP(3)", "<NULL>"),
        ("2024-1-1 1:2:3.1234567", "TIMESTAMP(6)", "2024-01-01 01:02:03.123456"),
        ("1:2", "TIME", "01:02:00"),
        ("24:00:00", "TIME", "<NULL>"),
    ],
)
def test_try_cast_of_a_string(text: str, target: str, expected: str) -> None:
    assert one(f"TRY_CAST(x AS {target})", x=(STRING, text)) == expected


@pytest.mark.parametrize(
    ("text", "target", "message"),
    [
        ("12x", "INT", "For input string: '12x'. Invalid character found."),
        ("300", "TINYINT", "For input string: '300'. Overflow."),
        ("12x", "BOOLEAN", "Cannot parse '12x' as BOOLEAN."),
        ("9" * 5000, "TIME", "Invalid time format"),
        ("0x", "DATE", "For input string: '0x'."),
        ("x", "TIMESTAMP(3)", "Text 'x' could not be parsed at index 0"),
        ("123456.7", "DECIMAL(5, 2)", "For input string: '123456.7'. Overflow."),
    ],
)
def test_cast_of_a_string_fails_the_job(text: str, target: str, message: str) -> None:
    with pytest.raises(JobError, match=message.replace("[", "\\[")):
        one(f"CAST(x AS {target})", x=(STRING, text))


def test_strings_are_cut_and_padded() -> None:
    assert one("'[' || CAST(x AS CHAR(5)) || ']'", x=(STRING, "abc")) == "[abc  ]"
    assert one("'[' || CAST(x AS VARCHAR(2)) || ']'", x=(STRING, "\U0001f600bc")) == "[\U0001f600b]"
    assert one("'[' || CAST(x AS STRING) || ']'", x=(char(3), "a")) == "[a]"


def test_time_zones() -> None:
    instant = datetime(2024, 3, 10, 7, 30, tzinfo=timezone.utc)
    columns = {"lz": (timestamp_ltz(3), [instant]), "ts": (timestamp(3), [datetime(2024, 3, 10, 2, 30)])}
    assert evaluate("CAST(lz AS STRING)", columns, "America/New_York") == ["2024-03-10 03:30:00.000"]
    assert evaluate("CAST(lz AS DATE)", columns, "Asia/Shanghai") == ["2024-03-10"]
    # 02:30 is in the gap: moved on by an hour
    assert evaluate("CAST(ts AS TIMESTAMP_LTZ(3))", columns, "America/New_York") == [
        "2024-03-10 03:30:00.000"
    ]


def test_nested() -> None:
    columns = {
        "a": (array(INT), [[1, None], None]),
        "sa": (array(STRING), [["1", "x"], ["2", None]]),
        "m": (map_of(STRING, INT), [[("k", 300)], []]),
        "r": (row(("a", "b"), (INT, STRING)), [{"a": 1, "b": "xy"}, None]),
    }
    assert evaluate("CAST(a AS ARRAY<STRING>)", columns) == ["[1, NULL]", "<NULL>"]
    assert evaluate("CAST(a AS STRING)", columns) == ["[1, NULL]", "<NULL>"]
    assert evaluate("TRY_CAST(sa AS ARRAY<INT>)", columns) == ["<NULL>", "[2, NULL]"]
    assert evaluate("CAST(m AS MAP<STRING, TINYINT>)", columns) == ["{k=44}", "{}"]
    assert evaluate("CAST(r AS ROW<x DOUBLE, y VARCHAR(1)>)", columns) == ["(1.0, x)", "<NULL>"]


def test_a_cast_to_the_same_type_is_dropped_and_literals_are_folded() -> None:
    columns = {"i": (INT, [1])}
    assert simplify_value(bind("CAST(i AS INT)", columns)) == bind("i", columns)
    assert bind("TRY_CAST(i AS INT)", columns) == bind("i", columns)
    moment = simplify_value(bind("CAST('2024-02-29' AS DATE)"))
    assert moment.value == date(2024, 2, 29)  # type: ignore[union-attr]
    assert bind("CAST(NULL AS INT)").type == INT


def test_casts_that_there_are_not() -> None:
    with pytest.raises(ValidationError, match="cannot convert value of type INTEGER to type DATE"):
        bind("CAST(1 AS DATE)")
    with pytest.raises(ValidationError, match="from NUMERIC type to TIMESTAMP_LTZ type is not allowed"):
        evaluate("CAST(1 AS TIMESTAMP_LTZ(3))")
    with pytest.raises(ValidationError, match="The cast from TIMESTAMP type to NUMERIC type is not allowed"):
        bind("CAST(ts AS BIGINT)", {"ts": (timestamp(3), [])})
