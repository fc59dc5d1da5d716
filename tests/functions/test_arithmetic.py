"""Integer and floating point arithmetic wraps, truncates and divides as Java's."""

from __future__ import annotations

import pytest

from firesteel.errors import JobError, ValidationError
from firesteel.types.sql import BIGINT, DOUBLE, FLOAT, INT, SMALLINT, TINYINT
from tests.functions.evaluate import evaluate, one, type_of

MAX, MIN = 2147483647, -2147483648


@pytest.mark.parametrize(
    ("expression", "value", "expected"),
    [
        ("x + 1", MAX, "-2147483648"),
        ("x - 1", MIN, "2147483647"),
        ("x * x", 65536, "0"),
        ("x * 46341", 46341, "-2147479015"),
        ("-x", MIN, "-2147483648"),
        ("ABS(x)", MIN, "-2147483648"),
        ("x / -1", MIN, "-2147483648"),
        ("x / 2", -7, "-3"),
        ("x % 2", -7, "-1"),
        ("MOD(x, -3)", 7, "1"),
        ("x % -1", MIN, "0"),
        ("x / NULLIF(x, 0)", 0, "<NULL>"),
        ("x + CAST(NULL AS INT)", 1, "<NULL>"),
        ("x / 2.0", 7, "3.500000"),
        ("x / 2e0", 7, "3.5"),
    ],
)
def test_int(expression: str, value: int, expected: str) -> None:
    assert one(expression, x=(INT, value)) == expected


@pytest.mark.parametrize(
    ("kind", "value", "expected"),
    [(TINYINT, 127, "-2"), (SMALLINT, 32767, "-2"), (BIGINT, 9223372036854775807, "-2")],
)
def test_every_integer_type_wraps_in_itself(kind: object, value: int, expected: str) -> None:
    assert one("x + x", x=(kind, value)) == expected  # type: ignore[arg-type]


def test_a_bigint_product_wraps() -> None:
    assert one("x * x", x=(BIGINT, 9223372036854775807)) == "1"


def test_the_remainder_takes_the_divisor_s_type() -> None:
    columns = {"l": (BIGINT, [1000]), "ti": (TINYINT, [7])}
    assert type_of("MOD(l, ti)", columns) == "TINYINT"
    assert evaluate("MOD(l, ti)", columns) == ["6"]


def test_the_first_of_float_and_double_decides() -> None:
    columns = {"f": (FLOAT, [0.1]), "d": (DOUBLE, [0.2])}
    assert type_of("f + d", columns) == "FLOAT"
    assert type_of("d + f", columns) == "DOUBLE"
    assert evaluate("f + d", columns) == ["0.3"]


@pytest.mark.parametrize(("value", "expected"), [(1.0, "Infinity"), (-1.0, "-Infinity"), (0.0, "NaN")])
def test_a_double_divided_by_zero(value: float, expected: str) -> None:
    assert one("x / 0", x=(DOUBLE, value)) == expected


@pytest.mark.parametrize("expression", ["x / 0", "MOD(x, 0)", "x / (x - x)", "1 / (x - 1)"])
def test_an_integer_divided_by_zero_fails_the_job(expression: str) -> None:
    with pytest.raises(JobError, match="/ by zero"):
        one(expression, x=(INT, 1))


def test_null_divided_by_zero_is_null() -> None:
    assert one("x / 0", x=(INT, None)) == "<NULL>"


def test_a_division_that_is_not_reached_does_not_fail() -> None:
    columns = {"x": (INT, [0, 5, None])}
    assert evaluate("x <> 0 AND 10 / x > 1", columns) == ["FALSE", "TRUE", "<NULL>"]
    assert evaluate("x = 0 OR 10 / x > 1", columns) == ["TRUE", "TRUE", "<NULL>"]
    assert evaluate("CASE WHEN x <> 0 THEN 10 / x ELSE -1 END", columns) == ["-1", "2", "-1"]


def test_literals() -> None:
    assert one("-2147483648 - 1") == "2147483647"
    assert one("- (-2147483648)") == "2147483648"
    assert one("2147483647 + 1") == "-2147483648"
    assert type_of("2147483648") == "BIGINT NOT NULL"


def test_mod_takes_exact_numbers_only() -> None:
    with pytest.raises(ValidationError, match="Cannot apply 'MOD' to arguments of type 'MOD\\(<DOUBLE>"):
        type_of("MOD(1e0, 3)")
