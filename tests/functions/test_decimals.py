"""DECIMAL arithmetic: derived types, HALF_UP rounding, NULL on overflow."""

from __future__ import annotations

from decimal import Decimal

import pytest

from firesteel.errors import JobError
from firesteel.types.sql import BIGINT, DOUBLE, INT, decimal
from tests.functions.evaluate import evaluate, one, type_of

M = {"m": (decimal(10, 2), [Decimal("2.50"), Decimal("-0.01"), Decimal("99999999.99"), None])}
WIDE = {"w": (decimal(38, 10), [Decimal("9" * 28 + "." + "9" * 10), Decimal("0.5")])}


@pytest.mark.parametrize(
    ("expression", "kind"),
    [
        ("m + m", "DECIMAL(11, 2)"),
        ("m * m", "DECIMAL(21, 4)"),
        ("m / 3", "DECIMAL(21, 13)"),
        ("m / m", "DECIMAL(23, 13)"),
        ("MOD(m, 0.7)", "DECIMAL(3, 2)"),
        ("m + 0.05", "DECIMAL(11, 2)"),
        ("m + 1e0", "DOUBLE"),
        ("ROUND(m, 1)", "DECIMAL(10, 1)"),
        ("CEIL(m)", "DECIMAL(10, 0)"),
    ],
)
def test_types(expression: str, kind: str) -> None:
    assert type_of(expression, M) == kind


def test_wide_types_give_up_scale_down_to_six_digits() -> None:
    columns = {**WIDE, "l": (BIGINT, [1, 1])}
    assert type_of("w + w", columns) == "DECIMAL(38, 9)"
    assert type_of("w * w", columns) == "DECIMAL(38, 6)"
    assert type_of("w / l", columns) == "DECIMAL(38, 10)"


def test_values() -> None:
    assert evaluate("m * m", M) == ["6.2500", "0.0001", "9999999998000000.0001", "<NULL>"]
    assert evaluate("m / 3", M)[:2] == ["0.8333333333333", "-0.0033333333333"]
    assert evaluate("m + 1.005", M)[:2] == ["3.505", "0.995"]
    assert evaluate("-m", M)[:2] == ["-2.50", "0.01"]


def test_rounding_is_half_up() -> None:
    assert evaluate("CAST(m AS DECIMAL(5, 0))", M) == ["3", "0", "<NULL>", "<NULL>"]
    assert one("ROUND(x, 1)", x=(decimal(4, 2), Decimal("-2.25"))) == "-2.3"
    assert one("TRUNCATE(x, 1)", x=(decimal(4, 2), Decimal("-2.29"))) == "-2.2"


def test_overflow_is_null_where_null_is_allowed() -> None:
    assert evaluate("w + w", WIDE) == ["20000000000000000000000000000.000000000", "1.000000000"]
    assert evaluate("w * w", WIDE) == ["<NULL>", "0.250000"]


def test_overflow_of_a_not_null_type_fails() -> None:
    with pytest.raises(JobError, match="NOT NULL"):
        one("CAST('99999999999999999999999999999999999999' AS DECIMAL(38, 0)) + 1")


def test_division_by_zero_fails() -> None:
    with pytest.raises(JobError, match="Division by zero"):
        one("x / 0", x=(decimal(10, 2), Decimal(1)))


def test_comparison_beyond_38_digits() -> None:
    columns = {**WIDE, "l": (BIGINT, [9223372036854775807, 0])}
    assert evaluate("w > l", columns) == ["TRUE", "TRUE"]
    assert evaluate("w = l", columns) == ["FALSE", "FALSE"]


def test_a_double_becomes_the_digits_that_java_prints() -> None:
    assert one("CAST(x AS DECIMAL(10, 2))", x=(DOUBLE, 0.615)) == "0.62"
    assert one("CAST(x AS DECIMAL(10, 2))", x=(DOUBLE, 1e10)) == "<NULL>"
    with pytest.raises(JobError, match="Character N"):
        one("CAST(x AS DECIMAL(10, 2))", x=(DOUBLE, float("nan")))


def test_literals_keep_their_scale() -> None:
    assert one("1.50 * 2") == "3.00"
    assert type_of("0.05") == "DECIMAL(3, 2) NOT NULL"
    assert type_of(".5") == "DECIMAL(1, 1) NOT NULL"
    assert one("x * 0.1", x=(INT, 3)) == "0.3"
