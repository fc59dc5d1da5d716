"""Calls of literals that are computed where the plan is made, and those that are not."""

from __future__ import annotations

import pytest

from firesteel.errors import ValidationError
from firesteel.functions.duckdb.constant_calls import constant
from firesteel.functions.expression.nodes import Call, Literal
from tests.functions.evaluate import bind


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("SUBSTRING('hello', 2, 3)", "ell"),
        ("MD5('a')", "0cc175b9c0f1b6a831c399e269772661"),
        ("CARDINALITY(ARRAY[1, 2])", 2),
        ("CONVERT_TZ('2024-01-01 00:00:00', 'UTC', 'Asia/Tokyo')", "2024-01-01 09:00:00"),
        ("TRY_CAST('x' AS INT)", None),
    ],
)
def test_a_call_of_literals_is_a_literal(expression: str, expected: object) -> None:
    call = bind(expression)
    assert isinstance(call, Call)
    found = constant(call)
    assert isinstance(found, Literal)
    assert found.value == expected


@pytest.mark.parametrize(
    "expression",
    ["RAND_INTEGER(5)", "UUID()", "FROM_UNIXTIME(0)", "ARRAY[1]", "CAST('x' AS INT)", "1 / 0", "LN(-1)"],
)
def test_what_varies_or_fails_is_left_to_the_job(expression: str) -> None:
    call = bind(expression)
    assert isinstance(call, Call)
    assert constant(call) is call


def test_a_date_beyond_the_year_9999_is_refused() -> None:
    call = bind("DATE '9999-12-31' + INTERVAL '1' DAY")
    assert isinstance(call, Call)
    with pytest.raises(ValidationError, match="Year out of range"):
        constant(call)
