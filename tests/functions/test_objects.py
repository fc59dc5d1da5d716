"""Structured types as Flink answered: OBJECT_OF, OBJECT_UPDATE, casts, and what is refused."""

from __future__ import annotations

import pytest

from firesteel.errors import NotSupportedError, ValidationError
from firesteel.types import sql
from tests.functions.evaluate import bind, one, type_of


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("OBJECT_OF('User', 'a', i, 'b', s)", "(a=5, b=yy)"),
        ("OBJECT_OF('User', 'a', i).a + 1", "6"),
        ("OBJECT_OF('User', 'a', OBJECT_OF('In', 'x', i)).a.x", "5"),
        ("OBJECT_OF('User', 'a', OBJECT_OF('In', 'x', i))", "(a=(x=5))"),
        ("OBJECT_OF('User', 'a', i) IS NULL", "FALSE"),
        ("ARRAY[OBJECT_OF('U', 'a', i)]", "[(a=5)]"),
        ("ROW(1, OBJECT_OF('U', 'a', i))", "(1, (a=5))"),
        ("OBJECT_UPDATE(OBJECT_OF('User', 'a', i, 'b', s), 'a', 7)", "(a=7, b=yy)"),
        ("OBJECT_UPDATE(OBJECT_OF('User', 'a', i, 'b', s), 'b', TRUE)", "(a=5, b=TRUE)"),
        ("OBJECT_UPDATE(OBJECT_OF('User', 'a', i, 'b', s), 'a', 7).a", "7"),
        ("OBJECT_UPDATE(OBJECT_OF('User', 'name', s, 'age', i), 'name', 'x')", "(name=x, age=5)"),
        ("OBJECT_UPDATE(OBJECT_OF('User', 'p', i, 'o', 2), 'p', 9)", "(p=9, o=2)"),
        ("CAST(OBJECT_OF('User', 'a', i, 'n', n) AS STRING)", "(a=5, n=NULL)"),
        ("CAST(OBJECT_OF('User', 'a', i) AS VARCHAR(4))", "(a=5"),
        ("CAST(OBJECT_OF('User', 'y', x'6869', 'a', i) AS STRING)", "(y=hi, a=5)"),
        ("CAST(OBJECT_OF('User', 'a', i) AS ROW<x BIGINT>)", "(5)"),
        ("CAST(ROW(i) AS STRUCTURED<'User', a INT>)", "(a=5)"),
        ("CAST(OBJECT_OF('User', 'a', i) AS STRUCTURED<'Other', a BIGINT>)", "(a=5)"),
        ("OBJECT_OF('User', 'a', i) = OBJECT_OF('User', 'a', i + 0)", "TRUE"),
        ("OBJECT_OF('User', 'a', i) <> OBJECT_OF('User', 'a', i + 0)", "FALSE"),
        ("JSON_STRING(OBJECT_OF('User', 'b', i, 'a', s))", '{"a":"yy","b":5}'),
        ("CASE WHEN i = 1 THEN OBJECT_OF('U', 'b', i) ELSE OBJECT_OF('U', 'b', i + 1) END", "(b=6)"),
        ("OBJECT_OF('User', 'm', 1.50, 'ar', ARRAY[1, 2], 'b', TRUE)", "(m=1.50, ar=[1, 2], b=TRUE)"),
    ],
)
def test_values(expression: str, expected: str) -> None:
    assert one(expression, i=(sql.INT, 5), s=(sql.STRING, "yy"), n=(sql.STRING, None)) == expected


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        (
            "OBJECT_OF('User', 'a', 1, 'b', 'x')",
            "STRUCTURED<'User', `a` INT NOT NULL, `b` CHAR(1) NOT NULL>",
        ),
        ("OBJECT_OF('a.b.User', 'a', i)", "STRUCTURED<'a.b.User', `a` INT>"),
        (
            "OBJECT_UPDATE(OBJECT_OF('User', 'a', 1, 'b', i), 'a', 'xy')",
            "STRUCTURED<'User', `a` CHAR(2) NOT NULL, `b` INT>",
        ),
        ("OBJECT_OF('User', 'a', 1).a", "INT"),
    ],
)
def test_types(expression: str, expected: str) -> None:
    assert type_of(expression, {"i": (sql.INT, [])}) == expected


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("OBJECT_OF(s, 'a', i)", "first argument must be a non-nullable character string literal"),
        ("OBJECT_OF(1, 'a', i)", "representing the class name, but was INT NOT NULL"),
        (
            "OBJECT_OF('User', s, i)",
            "The field key at position 2 must be a non-nullable character string lit",
        ),
        (
            "OBJECT_OF('User', 1, 1)",
            "position 2 must be a non-nullable character string, but was INT NOT NULL",
        ),
        ("OBJECT_OF('User', 'a', 1, 'a', 2)", "The field name 'a' at position 4 is repeated"),
        ("OBJECT_OF('User', 'a')", "Invalid number of arguments"),
        ("OBJECT_OF('Us''er', 'a', 1)", "must comply with JVM identifier rules"),
        ("OBJECT_OF('User', 'a', NULL)", "NULL"),
        ("OBJECT_UPDATE(OBJECT_OF('U', 'a', 1), 'b', 2)", r"'b' at position 2 is not part .*: \[a\]"),
        ("OBJECT_UPDATE(OBJECT_OF('U', 'a', 1), 'a', 2, 'a', 3)", "is repeated"),
        ("OBJECT_UPDATE(ROW(1), 'a', 2)", "must be a structured type, but was ROW<"),
        ("OBJECT_OF('User', 'a', i) = OBJECT_OF('User2', 'a', i)", "Incompatible structured types"),
        ("OBJECT_OF('User', 'a', i) = ROW(i)", "Cannot apply '='"),
        ("OBJECT_OF('User', 'a', i).b", "Field 'b' not found"),
        ("CASE WHEN i = 1 THEN OBJECT_OF('U', 'b', i) ELSE OBJECT_OF('U', 'c', i) END", "Illegal mixing"),
    ],
)
def test_what_is_refused(expression: str, message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        bind(expression, {"i": (sql.INT, [1]), "s": (sql.STRING, ["x"])})


def test_an_update_after_which_flink_mixes_the_values_up() -> None:
    with pytest.raises(NotSupportedError, match="in another order"):
        bind("OBJECT_UPDATE(OBJECT_OF('User', 'b', 1, 'a', 2), 'a', 9)")
