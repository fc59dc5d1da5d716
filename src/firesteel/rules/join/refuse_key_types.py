"""Joins by equal columns of two kinds of types are refused.

Flink: JoinConditionTypeCoerceRule. A comparison elsewhere converts a string beside a point in time; the keys
of a join are compared as they are.
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
    """Apply to one node.

    Raises:
        ValidationError: Columns that a join holds equal have no common type.
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
    """Return where the join's first equality stands that knows its place."""
    ranges = [term.range for term in conjuncts(node.condition) if isinstance(term, Call)]
    return next((place for place in ranges if place is not None), None)
