"""Drop columns from a COALESCE that an equality of the join below makes redundant.

    JOIN ON l.k = r.k          COALESCE(l.k, r.k)     ->  l.k            neither is NULL
    LEFT JOIN ON l.k = r.k     COALESCE(r.k, l.k, 0)  ->  COALESCE(l.k, 0)
    LEFT JOIN ON l.k = r.k     COALESCE(r.k, 0, l.k)      stays: without r.k, 0 comes before l.k

USING and NATURAL write such calls. Flink: SimplifyCoalesceWithEquiJoinConditionRule.
"""

from __future__ import annotations

from dataclasses import replace

from firesteel.functions.expression.nodes import Call, Expr, InputRef
from firesteel.plan.expressions.operations import rewrite
from firesteel.plan.nodes.join.join_type import JoinType, equal_columns
from firesteel.plan.nodes.join.logical import Join
from firesteel.plan.nodes.logical import Project
from firesteel.plan.tree import Node

_TYPES = (JoinType.INNER, JoinType.LEFT, JoinType.RIGHT)
"""Join types for which the rule holds. In a FULL JOIN either column may be NULL."""


def simplify_coalesce(node: Node) -> Node:
    """Simplify the COALESCE calls of a projection above a join. Other nodes stay as they are."""
    if not isinstance(node, Project) or not isinstance(node.input, Join):
        return node
    join = node.input
    if join.join_type not in _TYPES:
        return node
    equal = equal_columns(join.condition, join.left_width)
    columns = zip(equal.left, equal.right, equal.null_safe, strict=True)
    pairs = [(left, join.left_width + right) for left, right, null_safe in columns if not null_safe]
    if not pairs:
        return node
    exprs = tuple(rewrite(e, lambda part: _simplified(part, pairs, join.join_type)) for e in node.exprs)
    return node if exprs == node.exprs else replace(node, exprs=exprs)


def _simplified(part: Expr, pairs: list[tuple[int, int]], join_type: JoinType) -> Expr:
    if not isinstance(part, Call) or part.function != "COALESCE":
        return part
    args = list(part.args)
    for left, right in pairs:
        places = _place(args, left), _place(args, right)
        unread = -1 if -1 in places else _unread(*places, join_type)
        if unread >= 0:
            del args[unread]
    if len(args) == len(part.args):
        return part
    if len(args) > 1:
        return part.with_args(tuple(args))
    return args[0] if args[0].type == part.type else Call("CAST", (args[0],), part.type)


def _place(args: list[Expr], index: int) -> int:
    found = (i for i, arg in enumerate(args) if isinstance(arg, InputRef) and arg.index == index)
    return next(found, -1)


def _unread(left: int, right: int, join_type: JoinType) -> int:
    """Return which of two columns that a join equates has no effect in a COALESCE.

    Args:
        left: Position of the left input's column among the arguments.
        right: Position of the right input's column.
        join_type: INNER, LEFT or RIGHT.

    Returns:
        The position of the column among the arguments, -1 if both have an effect.
    """
    if join_type is JoinType.INNER:
        return max(left, right)
    kept, padded = (left, right) if join_type is JoinType.LEFT else (right, left)
    return padded if padded >= kept - 1 else -1
