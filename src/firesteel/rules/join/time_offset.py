"""Constant distance of an expression over a time attribute from that attribute.

Flink: IntervalJoinUtil.reduceTimeExpression, which puts 1970-01-01 in place of the attribute. So a month
counts 31 days.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from firesteel.functions.expression.nodes import Call, Expr, InputRef, Literal
from firesteel.functions.expression.recursion import from_below
from firesteel.plan.expressions.operations import input_refs
from firesteel.rules.normalize.fold_constants import fold_constants
from firesteel.types.sql import TypeRoot

_EPOCH = datetime(1970, 1, 1)
_MOMENTS = (TypeRoot.TIMESTAMP, TypeRoot.TIMESTAMP_LTZ)


@from_below
def time_offset(expr: Expr) -> int | None:
    """Return the offset of an expression in milliseconds, None if it is not a constant.

    The expression may add and subtract intervals, and cast to a timestamp of at least milliseconds. Other
    functions have no constant offset.

    Args:
        expr: An expression that reads one column, a time attribute.
    """
    if isinstance(expr, InputRef):
        return 0
    if not isinstance(expr, Call) or expr.type.root not in _MOMENTS:
        return None
    if expr.function == "CAST" and (expr.type.precision or 0) >= 3:
        return time_offset(expr.args[0])
    if expr.function not in ("+", "-") or len(expr.args) != 2:
        return None
    moment, span = expr.args
    if expr.function == "+" and not input_refs(moment):
        moment, span = span, moment
    start, length = time_offset(moment), fold_constants(span)
    if start is None or not isinstance(length, Literal) or not isinstance(length.value, int):
        return None
    distance = length.value if expr.function == "+" else -length.value
    if length.type.root is TypeRoot.INTERVAL_YEAR_MONTH:
        return _after_months(start, distance)
    return start + distance


def _after_months(start: int, months: int) -> int | None:
    """Return a point in time `months` after `start` in milliseconds, None beyond the calendar."""
    try:
        moment = _EPOCH + timedelta(milliseconds=start)
        year, month = divmod(moment.year * 12 + moment.month - 1 + months, 12)
        last = (datetime(year + (month == 11), (month + 1) % 12 + 1, 1) - timedelta(days=1)).day
        moved = moment.replace(year=year, month=month + 1, day=min(moment.day, last))
    except (ValueError, OverflowError):
        return None
    return (moved - _EPOCH) // timedelta(milliseconds=1)
