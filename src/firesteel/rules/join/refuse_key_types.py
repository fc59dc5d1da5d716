"""Refuse joins that equate columns of incompatible types.

Flink: JoinConditionTypeCoerceRule. In other comparisons of a string with a point in time, the planner casts
the string. In a join it does not: rows are sent to tasks by the columns as they are.
"""

from __future__ import annotations

from firesteel.errors import SourceRange, ValidationError
from firesteel.functions.expression.nodes import Call
from firesteel.functions.signatures.type_names import calcite_name
from firesteel.plan.expressions.operations import conjuncts
from firesteel.plan.nodes.join.join_type import equal_columns
from firesteel.plan.nodes.join.logical import Join
from firesteel.plan.tree import Node
from firesteel.types.coerce import common_type


def refuse_key_types(node: Node) -> Node:
    """Check the columns that a join equates, and return the node.

    Raises:
        ValidationError: The types of two equated columns have no common type.
    """
    if not isinstance(node, Join):
        return node
    equal = equal_columns(node.condition, node.left_width)
    left, right = (side.schema for side in node.inputs)
    for one, other in zip(equal.left, equal.right, strict=True):
        types = left[one].type, right[other].type
        if common_type(types) is None:
            raise ValidationError(
                f"implicit type conversion between {calcite_name(types[0])} and {calcite_name(types[1])} "
                "is not supported on join's condition now",
                range=_place(node),
                hint=f"CAST '{left[one].name}' or '{right[other].name}'",
            )
    return node


def _place(node: Join) -> SourceRange | None:
    """Return the position in the statement of the first term of a join's condition that has one."""
    ranges = [term.range for term in conjuncts(node.condition) if isinstance(term, Call)]
    return next((place for place in ranges if place is not None), None)
