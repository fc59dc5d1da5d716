"""Between which numbers the values of a column lie, as far as filters and literals tell.

Flink: FlinkRelMdColumnInterval, without table statistics.
"""

from __future__ import annotations

from decimal import Decimal

from firesteel.expr.deep import from_below
from firesteel.expr.nodes import Call, Expr, InputRef, Literal
from firesteel.plan import physical
from firesteel.plan.expressions import conjuncts, search_ranges
from firesteel.plan.tree import Node

Range = tuple[Decimal | None, Decimal | None]
"""The least and the greatest value; None where there is no bound."""

UNBOUNDED: Range = (None, None)


@from_below
def value_range(node: Node, column: int) -> Range:
    """The range of a column of the node's output."""
    if isinstance(node, physical.Calc):
        return _expression_range(node.exprs[column], node)
    if isinstance(node, physical.GroupAggregate):
        return _aggregate_range(node, column)
    if isinstance(node, (physical.Exchange, physical.WatermarkAssigner, physical.ChangelogNormalize)):
        return value_range(node.input, column)
    if isinstance(node, physical.Expand):
        return value_range(node.input, column) if column < len(node.input.schema) else UNBOUNDED
    if isinstance(node, physical.Union):
        ranges = [value_range(child, column) for child in node.inputs]
        lows, highs = [r[0] for r in ranges], [r[1] for r in ranges]
        return (_least(lows), _greatest(highs))
    return UNBOUNDED


def _least(values: list[Decimal | None]) -> Decimal | None:
    known = [v for v in values if v is not None]
    return min(known) if len(known) == len(values) else None


def _greatest(values: list[Decimal | None]) -> Decimal | None:
    known = [v for v in values if v is not None]
    return max(known) if len(known) == len(values) else None


def _aggregate_range(node: physical.GroupAggregate, column: int) -> Range:
    if column < len(node.keys):
        return value_range(node.input, node.keys[column])
    call = node.calls[column - len(node.keys)]
    if call.function == "COUNT":
        return (Decimal(0), None)
    if call.function in ("MIN", "MAX", "AVG", "FIRST_VALUE", "LAST_VALUE"):
        return value_range(node.input, call.args[0])
    if call.function in ("SUM", "$SUM0"):
        low, high = value_range(node.input, call.args[0])
        return (
            Decimal(0) if low is not None and low >= 0 else None,
            Decimal(0) if high is not None and high <= 0 else None,
        )
    return UNBOUNDED


def _number(expr: Expr) -> Decimal | None:
    if isinstance(expr, Literal) and isinstance(expr.value, (int, float, Decimal)) and expr.type.is_numeric:
        return Decimal(str(expr.value))
    return None


@from_below
def _expression_range(expr: Expr, calc: physical.Calc) -> Range:
    value = _number(expr)
    if value is not None:
        return (value, value)
    if isinstance(expr, InputRef):
        low, high = value_range(calc.input, expr.index)
        for term in conjuncts(calc.condition):
            below, above = _term_range(term, expr.index)
            low = below if low is None else low if below is None else max(low, below)
            high = above if high is None else high if above is None else min(high, above)
        return (low, high)
    if isinstance(expr, Call) and expr.function in ("+", "-", "*") and len(expr.args) == 2:
        ranges = [_expression_range(arg, calc) for arg in expr.args]
        return _arithmetic_range(expr.function, ranges[0], ranges[1])
    return UNBOUNDED


def _term_range(term: Expr, column: int) -> Range:
    """What one condition says of a column."""
    if not isinstance(term, Call) or not term.args or not isinstance(term.args[0], InputRef):
        return UNBOUNDED
    if term.args[0].index != column:
        return UNBOUNDED
    if term.function == "SEARCH":
        return _search_range(term)
    value = _number(term.args[1]) if len(term.args) == 2 else None
    low = value if term.function in ("=", ">", ">=") else None
    high = value if term.function in ("=", "<", "<=") else None
    return (low, high)


def _search_range(search: Call) -> Range:
    ranges = list(search_ranges(search))
    first, last = ranges[0], ranges[-1]
    low = None if first[0].startswith("<") else _number(first[1][0])
    high = None if last[0].startswith(">") else _number(last[1][-1])
    return (low, high)


def _arithmetic_range(function: str, left: Range, right: Range) -> Range:
    if function == "-":
        function, right = "+", tuple(None if v is None else -v for v in reversed(right))  # type: ignore[assignment]
    if function == "+":
        low = None if left[0] is None or right[0] is None else left[0] + right[0]
        high = None if left[1] is None or right[1] is None else left[1] + right[1]
        return (low, high)
    for one, other in ((left, right), (right, left)):
        if one[0] is not None and one[0] == one[1]:
            ends = [None if v is None else v * one[0] for v in other]
            return (ends[0], ends[1]) if one[0] >= 0 else (ends[1], ends[0])
    return UNBOUNDED
