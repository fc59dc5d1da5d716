"""CASE, COALESCE, NULLIF, IF, IFNULL, GREATEST, LEAST."""

from __future__ import annotations

from decimal import Decimal

import pytest

from firesteel.errors import ValidationError
from firesteel.types.sql import BOOLEAN, DOUBLE, INT, STRING, decimal
from tests.functions.evaluate import bind, evaluate, type_of

COLUMNS = {
    "b": (BOOLEAN, [True, False, None]),
    "i": (INT, [1, 2, None]),
    "m": (decimal(10, 2), [Decimal("1.50"), None, Decimal(0)]),
    "s": (STRING, ["x", None, ""]),
}


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("CASE WHEN b THEN i ELSE 2.5 END", ["1.0", "2.5", "2.5"]),
        ("CASE WHEN b THEN 'a' WHEN NOT b THEN 'bcd' END", ["a", "bcd", "<NULL>"]),
        ("CASE i WHEN 1 THEN 'one' WHEN 2 THEN 'two' ELSE 'other' END", ["one", "two", "other"]),
        ("CASE i WHEN NULL THEN 'n' ELSE 'x' END", ["x", "x", "x"]),
        ("COALESCE(s, 'dflt')", ["x", "dflt", ""]),
        ("COALESCE(m, i, 0)", ["1.50", "2.00", "0.00"]),
        ("NULLIF(i, 2)", ["1", "<NULL>", "<NULL>"]),
        ("IF(b, i, -1)", ["1", "-1", "-1"]),
        ("IFNULL(i, 0)", ["1", "2", "0"]),
        ("GREATEST(i, 2)", ["2", "2", "<NULL>"]),
        ("LEAST(i, 1.5)", ["1.0", "1.5", "<NULL>"]),
        ("GREATEST('a', 'B')", ["a", "a", "a"]),
    ],
)
def test_values(expression: str, expected: list[str]) -> None:
    assert evaluate(expression, COLUMNS) == expected


@pytest.mark.parametrize(
    ("expression", "kind"),
    [
        ("CASE WHEN b THEN 'a' ELSE 'bcd' END", "VARCHAR(3) NOT NULL"),
        ("CASE WHEN b THEN i ELSE m END", "DECIMAL(12, 2)"),
        ("CASE WHEN b THEN 1 END", "INT"),
        ("COALESCE(i, 0)", "INT NOT NULL"),
        ("NULLIF(1, 2)", "INT NOT NULL"),
        ("IF(b, 1, 2)", "INT"),
        ("IFNULL(m, 0)", "DECIMAL(12, 2) NOT NULL"),
        ("GREATEST(1, 2.5)", "DECIMAL(11, 1) NOT NULL"),
    ],
)
def test_types(expression: str, kind: str) -> None:
    assert type_of(expression, COLUMNS) == kind


def test_nan_and_negative_zero_are_ordered() -> None:
    columns = {"d": (DOUBLE, [float("nan"), -0.0]), "x": (DOUBLE, [1.0, 0.0])}
    assert evaluate("GREATEST(d, x)", columns) == ["NaN", "0.0"]
    assert evaluate("LEAST(x, d)", columns) == ["1.0", "-0.0"]


def test_nullif_is_a_case_and_branches_are_cast() -> None:
    tree = bind("NULLIF(i, 0)", COLUMNS)
    assert tree.function == "CASE"  # type: ignore[union-attr]
    literal = bind("CASE WHEN b THEN 1 ELSE 2.5 END", COLUMNS).args[1]  # type: ignore[union-attr]
    assert str(literal.type) == "DECIMAL(11, 1) NOT NULL"
    assert literal.value == Decimal("1.0")


def test_types_without_anything_in_common_are_refused() -> None:
    with pytest.raises(ValidationError, match="Illegal mixing of types in CASE or COALESCE"):
        bind("CASE WHEN b THEN 1 ELSE 'x' END", COLUMNS)


@pytest.mark.parametrize(
    "expression",
    [
        "IF(TRUE, ARRAY[1], ARRAY[2])",
        "IF(1, 2, 3)",
        "GREATEST(ARRAY[1])",
        "LEAST(ROW(1, 2))",
        "UPPER(NULL)",
        "NULLIF(NULL, 1)",
        "MAP_FROM_ARRAYS(NULL, ARRAY[1])",
    ],
)
def test_types_that_flink_refuses(expression: str) -> None:
    with pytest.raises(ValidationError):
        bind(expression)


def test_ifnull_of_what_is_never_null_has_its_type() -> None:
    assert type_of("IFNULL('b', s)", COLUMNS) == "CHAR(1) NOT NULL"
    assert type_of("IFNULL(1, 2.5)", COLUMNS) == "DECIMAL(11, 1) NOT NULL"
    assert type_of("IFNULL(s, 'b')", COLUMNS) == "STRING NOT NULL"
