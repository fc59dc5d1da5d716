"""Calls that can have another value when they are evaluated again.

Flink: FlinkRexUtil.getNonDeterministicCallName.
"""

from __future__ import annotations

from collections.abc import Iterable

from firesteel.functions.expression.nodes import Call, Expr
from firesteel.plan.expressions.operations import walk

VARIES_BY_CALL = frozenset({"RAND", "RAND_INTEGER", "UUID", "CURRENT_ROW_TIMESTAMP", "CURRENT_WATERMARK"})
"""Functions that return another value at each evaluation, so that calls must not be copied."""

NON_DETERMINISTIC = frozenset(
    {
        *VARIES_BY_CALL,
        *("NOW", "CURRENT_TIMESTAMP", "LOCALTIMESTAMP", "CURRENT_DATE", "CURRENT_TIME", "LOCALTIME"),
        *("PROCTIME", "PROCTIME_MATERIALIZE"),
    }
)


def non_deterministic_call(expr: Expr) -> str | None:
    """Return the name of the first function in an expression that is not deterministic. None if all are.

    A function is not deterministic if it may return another value when it is evaluated again with equal
    arguments: the functions in NON_DETERMINISTIC, UNIX_TIMESTAMP without arguments, and user-defined
    functions that are declared as not deterministic.
    """
    for part in walk(expr):
        if not isinstance(part, Call):
            continue
        if part.user is not None and not part.user.deterministic:
            return part.function
        if part.function in NON_DETERMINISTIC or (part.function == "UNIX_TIMESTAMP" and not part.args):
            return part.function
    return None


def varies_by_call(exprs: Iterable[Expr]) -> bool:
    """Return whether any of the expressions has a call that returns another value at each evaluation."""
    calls = (e for expr in exprs for e in walk(expr) if isinstance(e, Call))
    return any(call.function in VARIES_BY_CALL for call in calls)
