"""VARIANTs and objects beside others of another type: what Flink compares and what it refuses."""

from __future__ import annotations

import pytest

from firesteel.errors import ValidationError
from tests.functions.evaluate import bind, evaluate, type_of


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("PARSE_JSON('1') IN (PARSE_JSON('1'), TRY_PARSE_JSON('1'))", "No assign rules for VARIANT defined"),
        ("OBJECT_OF('a.C', 'x', 1.5) = OBJECT_OF('a.C', 'x', 1)", "Incompatible structured types"),
        ("OBJECT_OF('a.C', 'x', 1) = OBJECT_OF('a.C', 'y', 1)", "Incompatible structured types"),
        ("OBJECT_OF('a.C', 'x', 1) = OBJECT_OF('a.D', 'x', 1)", "Incompatible structured types"),
        ("OBJECT_OF('a.C', 'x', 1) <> OBJECT_OF('a.C', 'x', CAST(NULL AS INT))", "Incompatible structured"),
        ("OBJECT_OF('a.C', 'x', 'a') = OBJECT_OF('a.C', 'x', 'abc')", "Incompatible structured types"),
    ],
)
def test_refused(expression: str, message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        bind(expression)


@pytest.mark.parametrize(
    ("expression", "result"),
    [
        ("TRY_PARSE_JSON('1') IN (PARSE_JSON('1'), PARSE_JSON('2'))", "TRUE"),
        ("PARSE_JSON('3') IN (PARSE_JSON('1'), PARSE_JSON('2'))", "FALSE"),
        ("OBJECT_OF('a.C', 'x', 1) = OBJECT_OF('a.C', 'x', 1)", "TRUE"),
        ("OBJECT_OF('a.C', 'x', 1) IS DISTINCT FROM OBJECT_OF('a.C', 'x', CAST(1 AS BIGINT))", "FALSE"),
    ],
)
def test_compared(expression: str, result: str) -> None:
    assert evaluate(expression) == [result]


def test_array_contains_is_known_where_the_array_is() -> None:
    assert type_of("ARRAY_CONTAINS(ARRAY[1], CAST(NULL AS INT))") == "BOOLEAN NOT NULL"
