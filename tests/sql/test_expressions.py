"""Expressions: how the pieces bind to each other, and the forms with a syntax of their own."""

from __future__ import annotations

from dataclasses import fields

import pytest

from firesteel.sql.interval_syntax import IntervalLiteral
from firesteel.sql.parser import parse_expression
from firesteel.sql.syntax import (
    Binary,
    Call,
    Column,
    Identifier,
    JsonClauses,
    Node,
    NumberLiteral,
    StringLiteral,
    Unary,
    walk,
)


def shape(node: object) -> str:
    """The tree in a short form, every operator in parentheses."""
    if isinstance(node, Column):
        return ".".join(node.path)
    if isinstance(node, NumberLiteral):
        return node.text
    if isinstance(node, StringLiteral):
        return repr(node.text)
    if isinstance(node, Identifier):
        return node.name
    if isinstance(node, Binary):
        return f"({shape(node.left)} {node.operator} {shape(node.right)})"
    if isinstance(node, Unary):
        return f"({node.operator} {shape(node.operand)})"
    if isinstance(node, Call):
        return f"{node.name}({', '.join([*map(shape, node.args), *said(node, ('name', 'args'))])})"
    assert isinstance(node, Node)
    return f"{type(node).__name__}({', '.join(said(node, (), named=False))})"


def said(node: Node, but: tuple[str, ...], named: bool = True) -> list[str]:
    """The fields that are not as they are by default."""
    found = []
    for part in fields(node):
        value = getattr(node, part.name)
        if part.name in ("range", *but) or value in (None, (), False):
            continue
        if isinstance(value, JsonClauses):
            found += said(value, ())
        elif isinstance(value, tuple) and isinstance(value[0], Node):
            found += map(shape, value)
        else:
            text = shape(value) if isinstance(value, Node) else str(value)
            found.append(f"{part.name}={text}" if named or value is True else text)
    return found


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a + b * c", "(a + (b * c))"),
        ("a - b - c", "((a - b) - c)"),
        ("a + b || c", "(a + (b || c))"),
        ("-a * b", "((- a) * b)"),
        ("NOT a = b AND c", "((NOT (a = b)) AND c)"),
        ("a OR b AND c", "(a OR (b AND c))"),
        ("a = b IS NULL", "IsTest((a = b), NULL)"),
        ("a IS NOT NULL IS TRUE", "IsTest(IsTest(a, NULL, negated=True), TRUE)"),
        ("a BETWEEN 1 AND 2 AND b", "(Between(a, 1, 2) AND b)"),
        ("a NOT BETWEEN 1 + 1 AND 2", "(NOT Between(a, (1 + 1), 2))"),
        ("a NOT IN (1, 2)", "(NOT In(a, 1, 2))"),
        ("a NOT LIKE 'x' ESCAPE '!'", "(NOT Like(a, 'x', '!'))"),
        ("a IS NOT DISTINCT FROM b", "(a IS NOT DISTINCT FROM b)"),
        ("a[1].b", "FieldAccess(ElementAccess(a, 1), b)"),
        ("t.r.f", "t.r.f"),
        ("js IS NOT JSON OBJECT", "IsTest(js, JSON OBJECT, negated=True)"),
        ("COUNT(*)", "COUNT(star=True)"),
        ("sum(DISTINCT a) FILTER (WHERE b)", "sum(a, distinct=True, filter=b)"),
        ("EXTRACT(YEAR FROM a)", "EXTRACT(a, options=('YEAR',))"),
        ("FLOOR(a TO HOUR)", "FLOOR(a, options=('HOUR',))"),
        ("TIMESTAMPDIFF(DAY, a, b)", "TIMESTAMPDIFF(a, b, options=('DAY',))"),
        ("POSITION(a IN b)", "POSITION(a, b)"),
        ("TRIM(a)", "TRIM(' ', a, options=('BOTH',))"),
        ("TRIM(LEADING 'x' FROM a)", "TRIM('x', a, options=('LEADING',))"),
        ("SUBSTRING(a FROM 1 FOR 2)", "SUBSTRING(a, 1, 2)"),
        ("OVERLAY(a PLACING b FROM 1)", "OVERLAY(a, b, 1)"),
        ("ROW(a, b)", "ROW(a, b)"),
        ("(a, b)", "ROW(a, b)"),
        ("MAP['k', 1]", "MAP('k', 1)"),
        ("CURRENT_DATE", "CURRENT_DATE(bare=True)"),
        ("JSON_OBJECT(KEY 'a' VALUE b ABSENT ON NULL)", "JSON_OBJECT('a', b, on_null=ABSENT)"),
        ("JSON_QUERY(a, '$' WITH WRAPPER EMPTY ARRAY ON ERROR)",
         "JSON_QUERY(a, '$', wrapper=UNCONDITIONAL, on_error=EMPTY ARRAY)"),
        ("U&'\\00e9' ", "'é'"),
        ("'it''s'", '"it\'s"'),
        ("CASE a WHEN 1, 2 THEN b END", "Case(a, When(1, 2, b))"),
    ],
)  # fmt: skip
def test_shapes(text: str, expected: str) -> None:
    assert shape(parse_expression(text)) == expected


@pytest.mark.parametrize(
    ("text", "unit", "negative"),
    [
        ("INTERVAL '1' DAY", "DAY", False),
        ("INTERVAL -'1 2' DAY(3) TO HOUR", "DAY(3) TO HOUR", True),
        ("INTERVAL '5' SECONDS", "SECOND", False),
    ],
)
def test_intervals(text: str, unit: str, negative: bool) -> None:
    node = parse_expression(text)
    assert isinstance(node, IntervalLiteral)
    assert (node.unit, node.negative) == (unit, negative)


def test_every_node_knows_its_place() -> None:
    text = "UPPER( a ) || CASE WHEN b > 1 THEN 'x' ELSE c.d END"
    texts = {
        text[node.range.start : node.range.end]
        for node in walk(parse_expression(text))
        if not isinstance(node, (Identifier, JsonClauses))
    }
    assert {text, "UPPER( a )", "a", "b > 1", "WHEN b > 1 THEN 'x'", "'x'", "c.d"} <= texts
    assert "" not in texts


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("((SELECT 1) + 2)", "Binary"),
        ("(((SELECT 1) + 1) > 0)", "Binary"),
        ("((SELECT 1))", "Subquery"),
        ("((SELECT 1) UNION (SELECT 2))", "Subquery"),
        ("((SELECT 1) ORDER BY 1)", "Subquery"),
        ("(((SELECT 1) UNION SELECT 2) EXCEPT SELECT 3)", "Subquery"),
        ("a IN ((SELECT 1), 3)", "In"),
    ],
)
def test_parentheses_around_a_query_may_hold_more_than_it(text: str, expected: str) -> None:
    assert type(parse_expression(text)).__name__ == expected
