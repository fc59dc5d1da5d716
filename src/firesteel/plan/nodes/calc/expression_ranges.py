"""Value ranges of a Calc's expressions, derived from its filter and literals.

Flink: ColumnIntervalUtil, FlinkRelMdColumnInterval.
"""

from __future__ import annotations

from decimal import Decimal

from firesteel.functions.expression.nodes import Call, Expr, InputRef, Literal
from firesteel.functions.expression.recursion import from_below
from firesteel.plan.expressions.operations import conjuncts, search_ranges
from firesteel.plan.nodes import physical
from firesteel.plan.properties.value_ranges import UNBOUNDED, Range, value_range


@from_below
def expression_range(expr: Expr, calc: physical.Calc) -> Range:
    """Return the range of an expression over the Calc's input, in the rows that pass its filter."""
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
        ranges = [expression_range(arg, calc) for arg in expr.args]
        return _arithmetic_range(expr.function, ranges[0], ranges[1])
    return UNBOUNDED


def _term_range(term: Expr, column: int) -> Range:
    """Return the range of a column's values in the rows that satisfy a term of a condition.

    Without bounds if the term is not a comparison of this column with a number.

    Args:
        term: The term.
        column: Position of the column.
    """
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


def _number(expr: Expr) -> Decimal | None:
    if isinstance(expr, Literal) and isinstance(expr.value, (int, float, Decimal)) and expr.type.is_numeric:
        return Decimal(str(expr.value))
    return None
