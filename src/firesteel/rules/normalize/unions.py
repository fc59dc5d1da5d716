"""Rewrite UNION as UNION ALL with an aggregate, and cast the inputs of set operations to common types.

    a UNION b   ->   Aggregate(all columns)  a UNION ALL b

Calcite: UnionToDistinctRule, AggregateUnionAggregateRule; Flink: CoerceInputsRule.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeGuard

from firesteel.errors import ValidationError
from firesteel.functions.expression.casting import cast
from firesteel.functions.expression.nodes import Expr, Literal
from firesteel.plan.expressions.operations import cast_to, identity
from firesteel.plan.nodes.logical import Aggregate, Project, Union
from firesteel.plan.nodes.set_op.logical import Intersect, Minus
from firesteel.plan.tree import Node
from firesteel.rules.normalize.fold_constants import computed
from firesteel.types.coerce import common_type
from firesteel.types.sql import SqlType


def union_to_distinct(node: Node) -> Node:
    """Replace UNION by an aggregate by all columns over UNION ALL."""
    if not isinstance(node, Union) or node.all:
        return node
    return Aggregate(Union(node.inputs), tuple(range(len(node.schema))), ())


def merge_distinct(node: Node) -> Node:
    """Drop a DISTINCT below a UNION ALL whose rows are made distinct above (AggregateUnionAggregateRule)."""
    if not _is_distinct(node) or not isinstance(node.input, Union) or len(node.input.inputs) > 2:
        return node
    inputs = tuple(child.input if _is_distinct(child) else child for child in node.input.inputs)
    return replace(node, input=replace(node.input, inputs=inputs))


def _is_distinct(node: Node) -> TypeGuard[Aggregate]:
    """Return whether a node only removes duplicate rows."""
    if not isinstance(node, Aggregate) or node.calls or node.groups:
        return False
    return node.keys == tuple(range(len(node.input.schema)))


def union_types(inputs: Sequence[Node]) -> tuple[SqlType, ...]:
    """Return the types of the columns of a set operation.

    Raises:
        ValidationError: Two columns have no type in common.
    """
    found: list[SqlType] = []
    for fields in zip(*(node.schema for node in inputs), strict=True):
        kind = common_type(tuple(f.type for f in fields))
        if kind is None:
            types = ", ".join(str(f.type) for f in fields)
            raise ValidationError(f"Type mismatch in column '{fields[0].name}' of UNION: {types}")
        found.append(kind.with_nullable(any(f.type.nullable for f in fields)))
    return tuple(found)


def coerce_inputs(node: Node) -> Node:
    """Cast the inputs of a set operation to its types, nullability included."""
    if not isinstance(node, (Union, Intersect, Minus)):
        return node
    types = union_types(node.inputs)
    return node.with_children(tuple(_coerced(child, types) for child in node.inputs))


def _coerced(node: Node, types: tuple[SqlType, ...]) -> Node:
    if all(f.type == kind for f, kind in zip(node.schema, types, strict=True)):
        return node
    columns = identity(f.type for f in node.schema)
    made = node.exprs if isinstance(node, Project) else columns
    exprs = tuple(
        _computed(source, kind) or cast_to(e, kind)
        for e, source, kind in zip(columns, made, types, strict=True)
    )
    return Project(node, exprs, tuple(f.name for f in node.schema))


def _computed(expr: Expr, kind: SqlType) -> Expr | None:
    """Return a literal as another type, printed as Flink prints computed values: 2.50 for DECIMAL(3, 2).

    None if the expression is not a literal, is NULL, or has the type `kind` already.
    """
    if not isinstance(expr, Literal) or expr.value is None or expr.type.same_as(kind):
        return None
    literal = cast(expr, kind)
    return cast_to(computed(literal), kind) if isinstance(literal, Literal) else None
