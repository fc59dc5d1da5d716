"""CAST of literals of points in time: folded by their digits, where a column's value is cut towards 1970."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal

import pytest

from firesteel.errors import NotSupportedError
from firesteel.functions.expression.casting import rounded_literal
from firesteel.functions.expression.nodes import Literal
from firesteel.plan.simplify import simplify_value
from firesteel.types.sql import timestamp
from tests.functions.evaluate import bind, evaluate, one

BEFORE = "TIMESTAMP '1960-05-05 12:34:56.789'"


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("CAST(TIMESTAMP '1969-12-31 23:59:59.999' AS TIMESTAMP(0))", "1969-12-31 23:59:59"),
        (f"CAST({BEFORE} AS TIMESTAMP(2))", "1960-05-05 12:34:56.78"),
        (f"CAST({BEFORE} AS TIMESTAMP(6))", "1960-05-05 12:34:56.789000"),
        ("CAST(TIMESTAMP '1960-05-05 12:34:56.789123456' AS TIMESTAMP(8))", "1960-05-05 12:34:56.78912345"),
        ("CAST(TIMESTAMP '2020-05-05 12:34:56.000999' AS TIMESTAMP(4))", "2020-05-05 12:34:56.0009"),
        ("CAST(TIMESTAMP '2020-05-05 12:34:56.000000999' AS TIMESTAMP(8))", "2020-05-05 12:34:56.00000099"),
        ("CAST(TIMESTAMP '0001-01-01 00:00:00.123' AS TIMESTAMP(1))", "0001-01-01 00:00:00.1"),
        ("CAST(CAST('1960-05-05 12:34:56.789' AS TIMESTAMP(3)) AS TIMESTAMP(0))", "1960-05-05 12:34:56"),
        ("CAST('1960-05-05 12:34:56.789' AS TIMESTAMP(0))", "1960-05-05 12:34:56"),
    ],
)
def test_literals_lose_digits_alone(expression: str, expected: str) -> None:
    assert isinstance(simplify_value(bind(expression)), Literal)
    assert evaluate(expression) == [expected]


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        (f"TRY_CAST({BEFORE} AS TIMESTAMP(0))", "1960-05-05 12:34:57"),
        (f"CAST({BEFORE} AS TIMESTAMP_LTZ(0))", "1960-05-05 12:34:57"),
        (f"CAST({BEFORE} + INTERVAL '1' SECOND AS TIMESTAMP(0))", "1960-05-05 12:34:58"),
        (f"EXTRACT(SECOND FROM CAST({BEFORE} AS TIMESTAMP(0)))", "-4"),
        ("CAST(TIMESTAMP '1960-05-04 23:59:59.5' AS TIME)", "00:00:00"),
        ("CAST(TIMESTAMP '2020-05-05 12:34:56.789' AS TIME(2))", "12:34:56.78"),
    ],
)
def test_other_casts_are_computed(expression: str, expected: str) -> None:
    assert evaluate(expression) == [expected]


def test_columns_are_cut_towards_1970() -> None:
    moment = datetime(1960, 5, 5, 12, 34, 56, 789_000)
    assert one("CAST(ts AS TIMESTAMP(0))", ts=(timestamp(3), moment)) == "1960-05-05 12:34:57"


@pytest.mark.parametrize("expression", [f"CAST({BEFORE} AS TIME)", f"TRY_CAST({BEFORE} AS TIME(3))"])
def test_time_of_a_literal_before_1970_is_refused(expression: str) -> None:
    with pytest.raises(NotSupportedError, match="before 1970"):
        bind(expression)


@pytest.mark.parametrize(
    ("text", "kind", "expected"),
    [
        ("9.995", (3, 2), None),
        ("-9.995", (3, 2), None),
        ("99.5", (2, 0), None),
        ("0.995", (2, 2), None),
        ("9.994", (3, 2), "9.99"),
        ("0.994", (2, 2), "0.99"),
        ("0.000", (2, 2), "0.00"),
    ],
)
def test_a_decimal_that_has_too_many_digits_once_it_is_rounded_is_null(
    text: str, kind: tuple[int, int], expected: str | None
) -> None:
    """As in Flink: its plan has the digits that were written, the code that runs has NULL."""
    literal = simplify_value(bind(f"CAST({text} AS DECIMAL({kind[0]}, {kind[1]}))"))
    assert isinstance(literal, Literal)
    assert rounded_literal(literal).value == (None if expected is None else Decimal(expected))
