"""Refuse joins whose equal columns have incompatible types.

Flink: JoinConditionTypeCoerceRule. Other comparisons cast a string beside a point in time, but the keys of a
join are compared without a cast.
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
    """Check the equal columns of a join, and return the node.

    Raises:
        ValidationError: Two equal columns have no common type.
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
