"""Find constants whose computation fails. Then all constants of the node stay as they are.

Flink: ExpressionReducer computes the largest constant parts of a projection or a condition together. If one
of them fails, none becomes a literal, and the job fails. A CAST of a literal is exempt: its failure leaves
the other constants of the node alone.
"""

from __future__ import annotations

from collections.abc import Sequence

from firesteel.functions.duckdb.constant_calls import failed
from firesteel.functions.expression.nodes import Call, Expr, Literal
from firesteel.plan.expressions.operations import walk
from firesteel.rules.normalize.fold_constants import fold_constants
from firesteel.rules.normalize.refuse_division import is_constant


def has_failing_constant(exprs: Sequence[Expr], zone: str | None) -> bool:
    """Return whether computing the constants of these expressions fails.

    Args:
        exprs: The expressions.
        zone: Time zone of the session. If None, calls that depend on the zone are not computed.
    """
    pending: list[Expr] = list(exprs)
    while pending:
        part = pending.pop()
        if not isinstance(part, Call) or _casts_literal(part):
            continue
        if not is_constant(part):
            pending += part.args
        elif any(isinstance(e, Call) and failed(e) for e in walk(fold_constants(part, zone))):
            return True
    return False


def _casts_literal(call: Call) -> bool:
    return call.function == "CAST" and isinstance(call.args[0], Literal)
