"""Simplification of rounded times that are rounded again (Calcite: RexSimplify.simplifyCeilFloor)."""

from __future__ import annotations

from firesteel.functions.expression.nodes import Call, Expr
from firesteel.plan.simplify.simplifier import Simplifier

_UNITS = ("YEAR", "QUARTER", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND", "MILLISECOND")
"""Units that are simplified, from the longest to the shortest.

Where one of these units begins, each shorter one begins, too: a year begins with a quarter and with a day.
WEEK and DECADE are not simplified.
"""


def simplify_rounding(call: Call, simplifier: Simplifier, unknown_as: str) -> Expr:
    """Return a time rounded once instead of twice in the same direction.

    `FLOOR(FLOOR(ts TO DAY) TO YEAR)` becomes `FLOOR(ts TO YEAR)`. The inner unit has to be the outer one or a
    shorter one.
    """
    call = simplifier.arguments_of(call)
    inner = call.args[0]
    if not (isinstance(inner, Call) and inner.function == call.function):
        return call
    units = (*call.options, *inner.options)
    if len(units) != 2 or any(unit not in _UNITS for unit in units):
        return call
    outer_unit, inner_unit = (_UNITS.index(unit) for unit in units)
    return call.with_args(inner.args) if outer_unit <= inner_unit else call
