"""Simplified expressions mean what they meant: compared value by value, with SQL's three-valued logic."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firesteel.functions.expression.nodes import Call, Expr, InputRef, Literal
from firesteel.plan.expressions.operations import comparison, expand_search, is_null, logical_call, negation
from firesteel.plan.simplify import simplify_condition, simplify_value
from firesteel.plan.simplify.cnf import to_cnf
from firesteel.types import sql
from tests.scale import examples

A, B, F = InputRef(0, sql.INT), InputRef(1, sql.INT), InputRef(2, sql.BOOLEAN)
NUMBERS = (None, 0, 1, 2, 3, 4)
ROWS = [(a, b, f) for a in NUMBERS for b in (None, 1, 3) for f in (None, True, False)]
COMPARE = {
    "=": lambda x, y: x == y,
    "<>": lambda x, y: x != y,
    "<": lambda x, y: x < y,
    "<=": lambda x, y: x <= y,
    ">": lambda x, y: x > y,
    ">=": lambda x, y: x >= y,
}


def evaluate(expr: Expr, row: tuple[Any, ...]) -> Any:
    """The value of an expression; None is NULL and UNKNOWN."""
    if isinstance(expr, InputRef):
        return row[expr.index]
    if isinstance(expr, Literal):
        return expr.value
    args = [evaluate(arg, row) for arg in expr.args]
    if expr.function == "AND":
        return False if False in args else None if None in args else True
    if expr.function == "OR":
        return True if True in args else None if None in args else False
    if expr.function.startswith("IS "):
        return _test(expr.function, args[0])
    if expr.function == "CASE":
        taken = next((i + 1 for i in range(0, len(args) - 1, 2) if args[i] is True), len(args) - 1)
        return args[taken]
    if None in args:
        return None
    if expr.function == "NOT":
        return not args[0]
    if expr.function == "CAST":
        return args[0]
    return COMPARE[expr.function](*args)


def _test(name: str, value: Any) -> bool:
    words = name.removeprefix("IS ")
    wanted = {"NULL": None, "TRUE": True, "FALSE": False}[words.removeprefix("NOT ")]
    return (value is wanted) != words.startswith("NOT ")


def literal(value: int) -> Literal:
    return Literal(value, sql.INT.with_nullable(False))


comparisons = st.builds(
    lambda function, ref, value, turned: comparison(
        function, *((literal(value), ref) if turned else (ref, literal(value)))
    ),
    st.sampled_from(sorted(COMPARE)),
    st.sampled_from([A, B]),
    st.integers(0, 4),
    st.booleans(),
)
tests = st.builds(
    lambda name, ref: Call(name, (ref,), sql.BOOLEAN.with_nullable(False)),
    st.sampled_from(["IS TRUE", "IS NOT TRUE", "IS FALSE", "IS NOT FALSE"]),
    st.just(F),
)
nulls = st.sampled_from([A, B, F]).map(is_null)
leaves = st.one_of(
    comparisons, comparisons, comparisons, tests, nulls, st.just(F), st.just(comparison("=", A, B))
)
conditions = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.builds(
            lambda function, terms: logical_call(function, terms),
            st.sampled_from(["AND", "OR"]),
            st.lists(inner, min_size=2, max_size=4),
        ),
        inner.map(negation),
        st.builds(lambda w, t, e: Call("CASE", (w, t, e), sql.BOOLEAN), inner, inner, inner),
    ),
    max_leaves=8,
)


@settings(max_examples=examples(400), deadline=None)
@given(conditions)
def test_a_simplified_condition_lets_the_same_rows_through(condition: Expr) -> None:
    simplified = expand_search(simplify_condition(condition))
    for row in ROWS:
        assert (evaluate(condition, row) is True) == (evaluate(simplified, row) is True), row


@settings(max_examples=examples(400), deadline=None)
@given(conditions)
def test_a_simplified_value_is_the_same_value(expr: Expr) -> None:
    simplified = simplify_value(expr)
    assert simplified.type == expr.type
    for row in ROWS:
        assert evaluate(expand_search(simplified), row) is evaluate(expr, row), row


@settings(max_examples=examples(200), deadline=None)
@given(conditions)
def test_the_normal_form_lets_the_same_rows_through(condition: Expr) -> None:
    normal = to_cnf(condition)
    for row in ROWS:
        assert (evaluate(condition, row) is True) == (evaluate(expand_search(normal), row) is True), row


@pytest.mark.parametrize(("branches", "function"), [(99, "OR"), (100, "CASE"), (5_000, "CASE")])
def test_a_boolean_case_becomes_logic_while_it_is_short(branches: int, function: str) -> None:
    """Each branch of the logic denies those before it, so it grows with the square."""
    flag, number = InputRef(0, sql.BOOLEAN), InputRef(1, sql.INT)
    args: list[Expr] = []
    for i in range(branches):
        limit = Literal(i, sql.INT.with_nullable(False))
        args += [
            Call("=", (number, limit), sql.BOOLEAN),
            flag if i % 2 else Call("<", (number, limit), sql.BOOLEAN),
        ]
    case = Call("CASE", (*args, Literal(False, sql.BOOLEAN.with_nullable(False))), sql.BOOLEAN)
    found = simplify_value(case)
    assert isinstance(found, Call)
    assert found.function == function


@pytest.mark.parametrize(
    ("inner", "outer", "once"),
    [
        ("MONTH", "YEAR", True),
        ("QUARTER", "YEAR", True),
        ("MONTH", "MONTH", True),
        ("QUARTER", "MONTH", False),
        ("YEAR", "MONTH", False),
        ("DAY", "WEEK", False),
        ("YEAR", "DECADE", False),
    ],
)
@pytest.mark.parametrize("function", ["CEIL", "FLOOR"])
def test_a_time_rounded_twice_is_rounded_once(function: str, inner: str, outer: str, once: bool) -> None:
    time = InputRef(0, sql.timestamp(3))
    twice = Call(function, (Call(function, (time,), time.type, (inner,)),), time.type, (outer,))
    assert simplify_value(twice) == (Call(function, (time,), time.type, (outer,)) if once else twice)
