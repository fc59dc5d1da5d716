"""A long sum is computed as a short one, with the same answer: that of its operands one after the other."""

from __future__ import annotations

from decimal import Decimal
from functools import reduce
from operator import add, mul
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firesteel.errors import JobError
from firesteel.functions.duckdb.compile.long_sums import shortened
from firesteel.functions.expression.nodes import Call
from firesteel.types.sql import BIGINT, DOUBLE, INT, SMALLINT, TINYINT, decimal
from tests.functions.evaluate import bind, evaluate

COLUMNS: dict[str, Any] = {
    "v": (INT, [3, 2147483647, None, -7]),
    "b": (BIGINT, [400, -9223372036854775808, 5, None]),
    "s": (SMALLINT, [1, -32768, 2, 3]),
    "t": (TINYINT, [100, 100, 100, -128]),
    "d": (DOUBLE, [0.1, 0.2, None, 4.0]),
    "e": (decimal(10, 2), [Decimal("1.25"), Decimal("-99999999.99"), None, Decimal("0.01")]),
    "w": (decimal(38, 2), [Decimal("1.25"), Decimal(10**36 - 1), None, Decimal("0.01")]),
}


def _chain(operand: str, count: int = 200, word: str = "+") -> str:
    return f" {word} ".join(operand.replace("{i}", str(i)) for i in range(count))


@pytest.mark.parametrize(
    "operand",
    [
        "v",
        "v * {i}",
        "({i} - v)",
        "(v + b * {i})",
        "(s - {i} * -v)",
        "b * -{i}",
        "t",
        "(v * 0)",
        "(v + {i}) * 7",
    ],
)
def test_integers_wrap_as_they_would_one_by_one(operand: str) -> None:
    text = _chain(operand)
    expr = bind(text, COLUMNS)
    assert shortened(expr) is not expr
    assert evaluate(text, COLUMNS) == _shown(expr)


@pytest.mark.parametrize(
    ("operand", "factor"), [("e", 1), ("e * {i}", 19900), ("e * 0.25", "0.25"), ("-e", -1)]
)
def test_decimals_keep_all_digits(operand: str, factor: Any) -> None:
    text = _chain(operand)
    expr = bind(text, COLUMNS)
    assert shortened(expr) is not expr
    times = 1 if factor == 19900 else 200
    exact = [None if e is None else e * Decimal(factor) * times for e in COLUMNS["e"][1]]
    scale = expr.type.scale
    assert evaluate(text, COLUMNS) == ["<NULL>" if e is None else f"{e:.{scale}f}" for e in exact]


def test_a_sum_of_doubles_keeps_its_order() -> None:
    expr = bind(_chain("d * {i}"), COLUMNS)
    assert shortened(expr) is expr


def test_decimals_that_may_overflow_on_the_way_are_added_in_turn() -> None:
    expr = bind(_chain("w"), COLUMNS)
    assert shortened(expr) is expr
    assert evaluate(_chain("w"), COLUMNS)[:2] == ["250.00", "<NULL>"]


def test_what_fails_still_fails() -> None:
    with pytest.raises(JobError, match="/ by zero"):
        evaluate(_chain("(b / (v - 3)) * 0"), COLUMNS)


OPERANDS = st.sampled_from(
    ["v", "v * 3", "3 * b", "(v - 77)", "s * -2147483648", "t", "-v", "2147483647", "b * v"]
)


@settings(deadline=None, max_examples=25)
@given(st.lists(st.tuples(st.sampled_from("+-"), OPERANDS), min_size=150, max_size=250))
def test_integers_are_a_ring(parts: list[tuple[str, str]]) -> None:
    text = "v" + "".join(f" {word} {operand}" for word, operand in parts)
    whole = bind(text, COLUMNS)
    assert isinstance(whole, Call)
    short = shortened(whole)
    assert short is not whole
    assert short.type == whole.type
    assert evaluate(text, COLUMNS) == _shown(whole)


def _shown(expr: Any) -> list[str]:
    values = [_computed(expr, row) for row in range(4)]
    return ["<NULL>" if value is None else str(value) for value in values]


def _computed(expr: Any, row: int) -> int | None:
    """The value by Java's rules, an operand at a time."""
    chain: list[Any] = []
    while isinstance(expr, Call) and expr.function in "+-" and len(expr.args) == 2 and expr.depth > 5:
        chain.append(expr)
        expr = expr.args[0]
    return reduce(
        lambda left, call: _narrowed(call, left, _plain(call.args[1], row)),
        reversed(chain),
        _plain(expr, row),
    )


def _plain(expr: Any, row: int) -> int | None:
    if not isinstance(expr, Call):
        values = list(COLUMNS.values())
        return expr.value if hasattr(expr, "value") else values[expr.index][1][row]
    args = [_plain(arg, row) for arg in expr.args]
    return _narrowed(expr, *([0, args[0]] if len(args) == 1 else args))


def _narrowed(call: Any, left: int | None, right: int | None) -> int | None:
    if left is None or right is None:
        return None
    bits = {"TINYINT": 8, "SMALLINT": 16, "INT": 32, "BIGINT": 64}[call.type.root.value]
    exact = {"+": left + right, "-": left - right, "*": left * right}[call.function]
    return (exact + (1 << (bits - 1))) % (1 << bits) - (1 << (bits - 1))


@pytest.mark.parametrize("word", ["*", "+"])
@pytest.mark.parametrize("kind", [INT, BIGINT, TINYINT])
def test_many_columns_of_one_type_are_a_tree_of_few_levels(kind: Any, word: str) -> None:
    columns = {f"c{i}": (kind, [i % 100 + 1, -(i % 7) - 1, None if i == 250 else 3]) for i in range(300)}
    text = f" {word} ".join(columns)
    expr = bind(text, columns)
    assert isinstance(short := shortened(expr), Call)
    assert short.depth < 12
    by_row = zip(*(values for _, values in columns.values()), strict=True)
    one_by_one = [reduce(_PYTHON[word], values) for values in by_row if None not in values]
    limit = 1 << {INT: 31, BIGINT: 63, TINYINT: 7}[kind]
    expected = [str((n + limit) % (2 * limit) - limit) for n in one_by_one]
    assert evaluate(text, columns) == [*expected, "<NULL>"]


_PYTHON = {"*": mul, "+": add}
