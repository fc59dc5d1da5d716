"""Comparisons and three-valued logic."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import pytest

from firesteel.errors import JobError, ValidationError
from firesteel.functions.expression.nodes import IN_LIST
from firesteel.types.sql import (
    BOOLEAN,
    DATE,
    DOUBLE,
    FLOAT,
    INT,
    STRING,
    TINYINT,
    array,
    char,
    decimal,
    row,
    timestamp,
)
from tests.functions.evaluate import bind, evaluate, one, type_of

NAN = float("nan")
NUMBERS = {"d": (DOUBLE, [1.0, NAN, None, -0.0]), "x": (DOUBLE, [NAN, NAN, NAN, 0.0])}


@pytest.mark.parametrize(
    ("operator", "expected"),
    [
        ("=", ["FALSE", "FALSE", "<NULL>", "TRUE"]),
        ("<>", ["TRUE", "TRUE", "<NULL>", "FALSE"]),
        ("<", ["FALSE", "FALSE", "<NULL>", "FALSE"]),
        (">=", ["FALSE", "FALSE", "<NULL>", "TRUE"]),
    ],
)
def test_nan_is_as_in_java(operator: str, expected: list[str]) -> None:
    assert evaluate(f"d {operator} x", NUMBERS) == expected


def test_a_float_is_not_its_decimal_but_is_in_a_list_of_it() -> None:
    assert one("f = 0.1", f=(FLOAT, 0.1)) == "FALSE"
    assert one("f IN (0.1)", f=(FLOAT, 0.1)) == "TRUE"


def test_a_decimal_and_a_double_are_compared_in_total_order() -> None:
    assert one("d < -0.0", d=(DOUBLE, -0.0)) == "TRUE"
    assert one("m <= d", m=(decimal(4, 2), Decimal("0.00")), d=(DOUBLE, -0.0)) == "FALSE"


def test_strings_are_compared_by_utf16_units() -> None:
    assert one("s < '\U0001f600'", s=(STRING, "\uff21")) == "FALSE"
    assert one("s = 'a'", s=(STRING, "a  ")) == "FALSE"
    assert one("s < t", s=(STRING, "abc"), t=(STRING, "abd")) == "TRUE"


BOTH = {"a": (BOOLEAN, [True, True, False, None, None]), "b": (BOOLEAN, [True, None, None, None, False])}


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("a AND b", ["TRUE", "<NULL>", "FALSE", "<NULL>", "FALSE"]),
        ("a OR b", ["TRUE", "TRUE", "<NULL>", "<NULL>", "<NULL>"]),
        ("NOT a", ["FALSE", "FALSE", "TRUE", "<NULL>", "<NULL>"]),
        ("a IS NOT TRUE", ["FALSE", "FALSE", "TRUE", "TRUE", "TRUE"]),
        ("a IS UNKNOWN", ["FALSE", "FALSE", "FALSE", "TRUE", "TRUE"]),
        ("a IS DISTINCT FROM b", ["FALSE", "TRUE", "TRUE", "FALSE", "TRUE"]),
        ("a IS NOT DISTINCT FROM b", ["TRUE", "FALSE", "FALSE", "TRUE", "FALSE"]),
    ],
)
def test_logic(expression: str, expected: list[str]) -> None:
    assert evaluate(expression, BOTH) == expected


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("i BETWEEN 1 AND 3", ["TRUE", "FALSE", "<NULL>"]),
        ("i BETWEEN SYMMETRIC 3 AND 1", ["TRUE", "FALSE", "<NULL>"]),
        ("i NOT BETWEEN 3 AND 1", ["TRUE", "TRUE", "<NULL>"]),
        ("i BETWEEN NULL AND 1", ["FALSE", "FALSE", "<NULL>"]),
        ("i IN (1, 2, NULL)", ["TRUE", "<NULL>", "<NULL>"]),
        ("i NOT IN (1, 2)", ["FALSE", "TRUE", "<NULL>"]),
        ("i IN ('2', '9')", ["TRUE", "TRUE", "<NULL>"]),
        ("(i, i) = (2, 2)", ["TRUE", "FALSE", "<NULL>"]),
        ("i = i", ["TRUE", "TRUE", "<NULL>"]),
    ],
)
def test_ranges_and_lists(expression: str, expected: list[str]) -> None:
    assert evaluate(expression, {"i": (INT, [2, 9, None])}) == expected


def test_the_shape_of_trees_is_calcite_s() -> None:
    columns = {"i": (INT, [1])}
    tree = bind("i BETWEEN 1 AND 2 AND i <> 3", columns)
    assert tree.function == "AND"  # type: ignore[union-attr]
    assert [a.function for a in tree.args] == [">=", "<=", "<>"]  # type: ignore[union-attr]
    assert bind("i IN (1, 2)", columns).function == IN_LIST  # type: ignore[union-attr]
    assert bind("i NOT IN (1, 2)", columns).function == "NOT"  # type: ignore[union-attr]


def test_strings_beside_dates() -> None:
    columns = {"dt": (DATE, [date(2024, 2, 29)]), "s": (STRING, ["no date"])}
    assert evaluate("dt = '2024-02-29'", columns) == ["TRUE"]
    assert evaluate("dt = s", columns) == ["<NULL>"]
    with pytest.raises(JobError, match="For input string"):
        evaluate("dt > s", columns)


def test_arrays() -> None:
    columns = {"a": (array(INT), [[1, None], [], None])}
    assert evaluate("a = ARRAY[1, NULL]", columns) == ["TRUE", "FALSE", "<NULL>"]


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("i = b", "Cannot apply '=' to arguments of type '<INTEGER> = <BOOLEAN>'. Supported form"),
        ("ts = dt", "Cannot apply '=' to arguments of type '<TIMESTAMP\\(3\\)> = <DATE>'"),
        ("i = '1'", "implicit type conversion between INTEGER and CHAR is not supported now"),
        ("b AND NULL", "Illegal use of 'NULL'"),
    ],
)
def test_refused(expression: str, message: str) -> None:
    columns = {
        "i": (INT, []),
        "b": (BOOLEAN, []),
        "ts": (timestamp(3), []),
        "dt": (DATE, []),
    }
    with pytest.raises(ValidationError, match=message):
        bind(expression, columns)


@pytest.mark.parametrize(
    ("test", "expected"),
    [
        ("1.0 IN (i, 2)", "<NULL>"),  # CAST(12 AS DECIMAL(2, 1))
        ("1.0 IN (CAST(m AS DECIMAL(12, 4)), 1.0)", "TRUE"),
        ("m IN (12.3456, 1)", "FALSE"),
        ("m IN (i, 3)", "TRUE"),
        ("t IN (i, 300)", "TRUE"),  # CAST(300 AS TINYINT) is 44
        ("'' IN (s, 'x')", "TRUE"),  # CAST(s AS CHAR(0))
        ("s IN ('abcd')", "TRUE"),
        ("c IN (s)", "TRUE"),
        ("(i, 'ab') IN ((12, s))", "TRUE"),
        ("b IN ('true', s)", None),
        ("'true' > b", "TRUE"),
        ("s > b", None),
        ("s = b", "FALSE"),
    ],
)
def test_items_of_a_list_become_of_the_type_that_they_are_compared_with(
    test: str, expected: str | None
) -> None:
    columns = {
        "i": (INT, [12]),
        "m": (decimal(10, 2), [Decimal("12.00")]),
        "t": (TINYINT, [44]),
        "s": (STRING, ["abcd"]),
        "c": (char(2), ["ab"]),
        "b": (BOOLEAN, [False]),
    }
    if expected is None:
        with pytest.raises(JobError, match="Cannot parse 'abcd' as BOOLEAN"):
            evaluate(test, columns)
    else:
        assert evaluate(test, columns) == [expected]


def test_a_null_item_of_no_length_is_null() -> None:
    assert evaluate("'' IN (s)", {"s": (STRING, ["x", None])}) == ["TRUE", "<NULL>"]


@pytest.mark.parametrize("test", ["i IN ('1', 2)", "s IN (b, 'x')", "m IN (1, DATE '2024-01-01')"])
def test_items_of_a_list_have_a_type_in_common(test: str) -> None:
    columns = {"i": (INT, [1]), "m": (decimal(10, 2), [None]), "s": (STRING, ["x"]), "b": (BOOLEAN, [True])}
    with pytest.raises(ValidationError, match="Values in expression list must have compatible types"):
        bind(test, columns)


COLLECTIONS = {
    "a": (array(INT), [[1]]),
    "b": (array(INT), [[2]]),
    "r": (row(("x", "y"), (INT, STRING)), [{"x": 1, "y": "z"}]),
}


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("a > b", "Comparable type expected, but was 'ARRAY<INT>'"),
        ("a BETWEEN a AND b", "Comparable type expected"),
        ("MAP['a', 1] < MAP['b', 2]", "Comparable type expected"),
        ("ROW(1, 2) > ROW(2, 1)", "Comparable type expected"),
        ("NULL > r", "Cannot apply '>' to arguments of type"),
        ("NULL = ROW(1, 2)", "Cannot apply '=' to arguments of type"),
    ],
)
def test_collections_have_no_order(expression: str, message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        bind(expression, COLLECTIONS)


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("a >= a", "TRUE"),
        ("r > r", "FALSE"),
        ("a < NULL", "<NULL>"),
        ("r > NULL", "<NULL>"),
        ("a <> b", "TRUE"),
    ],
)
def test_what_needs_no_order_of_collections_is_answered(expression: str, expected: str) -> None:
    assert evaluate(expression, COLLECTIONS) == [expected]


def test_rows_with_a_field_that_may_be_null_may_compare_to_null() -> None:
    columns = {"i": (INT, [1])}
    assert type_of("ROW(i, 1) <> ROW(2, i)", columns) == "BOOLEAN"
    assert type_of("ROW(1, 2) <> ROW(2, 1)", columns) == "BOOLEAN NOT NULL"
