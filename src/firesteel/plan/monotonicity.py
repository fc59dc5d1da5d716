"""How the values of a stream's columns move when rows are updated: never, only up, only down, or anyhow.

Flink: FlinkRelMdModifiedMonotonicity. MAX over a column that only grows needs no retraction: the row
before is never the greater one.
"""

from __future__ import annotations

from firesteel.expr.deep import from_below, remembered
from firesteel.expr.nodes import AggregateCall, Call, Expr, InputRef
from firesteel.plan import physical
from firesteel.plan.expressions import operands
from firesteel.plan.physical_windows import WINDOWS
from firesteel.plan.tree import Node
from firesteel.plan.value_range import value_range

CONSTANT = "constant"
INCREASING = "increasing"
DECREASING = "decreasing"
NOT_MONOTONIC = "not monotonic"

Monotonicity = list[str] | None
"""One word for every column; None where rows may be deleted, and where nothing is known."""


@remembered
def monotonicity(node: Node) -> Monotonicity:
    """How each column of the node's output moves."""
    width = len(node.schema)
    if isinstance(node, physical.TableSourceScan):
        traits = node.table.traits
        append = traits is None or traits.changelog_mode.is_insert_only
        return [CONSTANT if append else NOT_MONOTONIC] * width
    if isinstance(node, physical.Values):
        return [CONSTANT] * width
    if isinstance(node, physical.Exchange):
        return monotonicity(node.input)
    if isinstance(node, physical.Calc):
        return _calc(node)
    if isinstance(node, physical.GroupAggregate):
        return _aggregate(node)
    if isinstance(node, physical.ChangelogNormalize):
        return [CONSTANT if i in node.keys else NOT_MONOTONIC for i in range(width)]
    if isinstance(node, physical.Union):
        return _union(node)
    if isinstance(node, WINDOWS):
        return None
    below = monotonicity(node.children[0])
    if below is None:
        return None
    return [CONSTANT if _is_append(below) else NOT_MONOTONIC] * width


def _is_append(columns: Monotonicity) -> bool:
    return columns is not None and all(c == CONSTANT for c in columns)


def _calc(calc: physical.Calc) -> Monotonicity:
    below = monotonicity(calc.input)
    if below is None:
        return None
    if _is_append(below):
        return [CONSTANT] * len(calc.exprs)
    if calc.condition is not None and _may_leave(calc.condition, below):
        return [NOT_MONOTONIC] * len(calc.exprs)
    refs = [_without_casts(e) for e in calc.exprs]
    return [below[r.index] if isinstance(r, InputRef) else NOT_MONOTONIC for r in refs]


def _without_casts(expr: Expr) -> Expr:
    while isinstance(expr, Call) and expr.function == "CAST":
        expr = expr.args[0]
    return expr


@from_below
def _may_leave(condition: Expr, columns: list[str]) -> bool:
    """Whether an update can take a row out of the filter."""
    if isinstance(condition, InputRef):
        return columns[condition.index] != CONSTANT
    if not isinstance(condition, Call):
        return False
    args = [_without_casts(a) for a in condition.args]
    moving = [columns[a.index] for a in args if isinstance(a, InputRef) and columns[a.index] != CONSTANT]
    if condition.function in ("AND", "OR"):
        return any(_may_leave(term, columns) for term in operands(condition, condition.function)[:2])
    if condition.function in (">", ">="):
        return bool(moving) and moving[0] != INCREASING
    if condition.function in ("<", "<="):
        return bool(moving) and moving[0] != DECREASING
    if condition.function in ("SEARCH", "=", "<>"):
        return bool(moving)
    return condition.function in ("NOT", "IS NOT TRUE", "IS TRUE", "IS NOT NULL", "IS NULL") and _may_leave(
        args[0], columns
    )


def _aggregate(node: physical.GroupAggregate) -> Monotonicity:
    below = monotonicity(node.input)
    if below is None or any(below[key] != CONSTANT for key in node.keys):
        return None
    moves = [_call(call, node.input) for call in node.calls]
    if not _is_append(below):
        moves = [_over_updates(call, move, below) for call, move in zip(node.calls, moves, strict=True)]
    return [CONSTANT] * len(node.keys) + moves


def _over_updates(call: AggregateCall, move: str, below: list[str]) -> str:
    if len(call.args) > 1:
        return NOT_MONOTONIC
    if call.args and call.function != "COUNT" and below[call.args[0]] != move:
        return NOT_MONOTONIC
    return move


def _call(call: AggregateCall, below: Node) -> str:
    if call.function in ("COUNT", "MAX"):
        return INCREASING
    if call.function == "MIN":
        return DECREASING
    if call.function in ("SUM", "$SUM0"):
        low, high = value_range(below, call.args[0])
        if low is not None:
            return INCREASING if low >= 0 else NOT_MONOTONIC
        return DECREASING if high is not None and high <= 0 else NOT_MONOTONIC
    return NOT_MONOTONIC


def _union(node: physical.Union) -> Monotonicity:
    inputs = [monotonicity(child) for child in node.inputs]
    if any(columns is None for columns in inputs):
        return None
    if all(columns == inputs[0] for columns in inputs):
        return inputs[0]
    return [NOT_MONOTONIC] * len(node.schema)
