"""The Java methods that formats call, at their edges."""

from __future__ import annotations

from decimal import Decimal

import pytest

from firesteel.formats.messages import text_values as values


@pytest.mark.parametrize(("text", "expected"), [("12", 12), ("+5", 5), ("-0", 0), ("007", 7), ("\u0663", 3)])
def test_integer(text: str, expected: int) -> None:
    assert values.integer(text, 8) == expected


@pytest.mark.parametrize("text", ["", "128", "-129", "1.0", "1_0", "0x1", " 1", "--1"])
def test_integer_refuses(text: str) -> None:
    with pytest.raises(ValueError):
        values.integer(text, 8)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1.555", "1.56"),
        ("-1.555", "-1.56"),
        ("1e2", "100.00"),
        (".5", "0.50"),
        ("5.", "5.00"),
        ("1e-9", "0.00"),
    ],
)
def test_decimal_rounds_half_up(text: str, expected: str) -> None:
    assert values.decimal(text, 5, 2) == Decimal(expected)


def test_decimal_that_does_not_fit_is_null() -> None:
    assert values.decimal("999.995", 5, 2) is None
    assert values.decimal("1e999", 5, 2) is None


def test_days() -> None:
    assert values.day("2023-02-28") == 19416
    assert values.day("2023-02-31", smart=True) == 19416
    assert values.day("-0001-01-01") == -719893
    for text in ("2023-02-29", "2023-1-02", "10000-01-01", "+2023-01-01", "2023-13-01"):
        with pytest.raises(ValueError):
            values.day(text)


@pytest.mark.parametrize(
    ("text", "iso", "zoned", "micros"),
    [
        ("1970-01-02 00:00:01", False, False, 86_401_000_000),
        ("1970-01-01 00:00:00.1234567", False, False, 123_456),
        ("1970-01-01 00:00:00.", False, False, 0),
        ("1970-01-01T00:01", True, False, 60_000_000),
        ("1970-01-01 00:00:01Z", False, True, 1_000_000),
        ("1969-12-31 23:59:59.999", False, False, -1000),
        ("1970-01-01 24:00:00.000", False, False, 86_400_000_000),
        ("1970-02-29 24:00:00", False, False, 59 * 86_400_000_000),
        ("1970-01-01T24:00:00Z", True, True, 86_400_000_000),
    ],
)
def test_timestamp(text: str, iso: bool, zoned: bool, micros: int) -> None:
    assert values.timestamp(text, iso=iso, zoned=zoned, nanos=False) == micros


@pytest.mark.parametrize(
    "text",
    ["1970-01-01T00:00:00", "1970-01-01 24:00:01", "1970-01-01 24:00:00.001", "1970-01-01 00:00:00Z", "x"],
)
def test_timestamp_refuses(text: str) -> None:
    with pytest.raises(ValueError, match="could not be parsed"):
        values.timestamp(text, iso=False, zoned=False, nanos=False)


def test_the_days_end() -> None:
    assert values.time_micros("24:00:00.0") == 0
    assert values.nanos_of_day("24:00:00", smart=True) == 86_400 * 10**9
    with pytest.raises(ValueError, match="invalid value"):
        values.nanos_of_day("24:00:00", iso=True)
    with pytest.raises(ValueError, match="could not be parsed"):
        values.timestamp("1970-01-01T24:00:00", iso=True, zoned=False, nanos=False)


def test_base64() -> None:
    assert values.base64(" QUI= Qw==") == b"ABC"
    for text in ("QUI", "QU I=", "Q===", "KKdI="):
        with pytest.raises(ValueError):
            values.base64(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\ufffdb", "a\ufffdb"),
        ("\ufffd\ud800x", "\ufffd?x"),
        ("\ud83d\ude00\ude00", "\U0001f600?"),
        ("\ude00\ud83d", "??"),
    ],
)
def test_lone_surrogates(text: str, expected: str) -> None:
    assert values.replaced(text) == expected
