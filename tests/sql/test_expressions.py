"""Expressions: how the pieces bind to each other, and the forms with a syntax of their own."""

from __future__ import annotations

import pytest
from sqlglot import exp

from firesteel.sql.dialect import IntervalLiteral, IsTest, Path, path_of, range_of
from firesteel.sql.parser import parse_expression


def shape(node: exp.Expression) -> str:
    """A short prefix form of the tree."""
    if isinstance(node, Path):
        return ".".join(path_of(node))
    if isinstance(node, exp.Literal):
        return repr(node.this) if node.is_string else node.this
    if isinstance(node, exp.Anonymous):
        extras = [
            f"{key}={shape(value) if isinstance(value, exp.Expression) else value}"
            for key, value in node.args.items()
            if key not in ("this", "expressions") and value is not None
        ]
        return f"{node.this}({', '.join([*map(shape, node.expressions), *extras])})"
    if isinstance(node, IsTest):
        return f"Is({shape(node.this)}, {'NOT ' if node.args['negated'] else ''}{node.args['test']})"
    parts = [shape(v) for v in node.args.values() if isinstance(v, exp.Expression)]
    parts += [shape(v) for vs in node.args.values() if isinstance(vs, list) for v in vs]
    return f"{type(node).__name__}({', '.join(parts)})"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a + b * c", "Add(a, Mul(b, c))"),
        ("a - b - c", "Sub(Sub(a, b), c)"),
        ("a + b || c", "Add(a, DPipe(b, c))"),
        ("-a * b", "Mul(Neg(a), b)"),
        ("NOT a = b AND c", "And(Not(EQ(a, b)), c)"),
        ("a OR b AND c", "Or(a, And(b, c))"),
        ("a = b IS NULL", "Is(EQ(a, b), NULL)"),
        ("a IS NOT NULL IS TRUE", "Is(Is(a, NOT NULL), TRUE)"),
        ("a BETWEEN 1 AND 2 AND b", "And(Between(a, 1, 2), b)"),
        ("a NOT BETWEEN 1 + 1 AND 2", "Not(Between(a, Add(1, 1), 2))"),
        ("a NOT IN (1, 2)", "Not(In(a, 1, 2))"),
        ("a NOT LIKE 'x' ESCAPE '!'", "Not(Like(a, 'x', '!'))"),
        ("a IS NOT DISTINCT FROM b", "NullSafeEQ(a, b)"),
        ("a[1].b", "Dot(Bracket(a, 1), Identifier())"),
        ("t.r.f", "t.r.f"),
        ("js IS NOT JSON OBJECT", "Is(js, NOT JSON OBJECT)"),
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
        ("CASE a WHEN 1, 2 THEN b END", "Case(a, If(Tuple(1, 2), b))"),
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
    assert (node.args["unit"], node.args["negative"]) == (unit, negative)


def test_every_node_knows_its_place() -> None:
    text = "UPPER( a ) || CASE WHEN b > 1 THEN 'x' ELSE c.d END"
    texts = {
        text[range_of(node).start : range_of(node).end]
        for node in parse_expression(text).walk()
        if not isinstance(node, exp.Identifier)
    }
    assert {text, "UPPER( a )", "a", "b > 1", "WHEN b > 1 THEN 'x'", "'x'", "c.d"} <= texts
    assert "" not in texts
