"""Convert the values of JSON_ARRAYAGG and JSON_OBJECTAGG to JSON texts, by JSON_STRING in a projection below.

Flink: WrapJsonAggFunctionArgumentsRule. If one column is both key and value of a call, the key is converted
as well, as in Flink.
"""

from __future__ import annotations

from dataclasses import replace

from firesteel.functions.expression.nodes import AggregateCall, Call, Expr
from firesteel.functions.signatures.aggregate_traits import traits_of
from firesteel.plan.expressions.operations import identity
from firesteel.plan.nodes.logical import Aggregate, Project
from firesteel.plan.tree import Node
from firesteel.types.sql import STRING


def wrap_json_arguments(node: Node) -> Node:
    """Add the projection with JSON_STRING below an aggregate with JSON_ARRAYAGG or JSON_OBJECTAGG."""
    if not isinstance(node, Aggregate):
        return node
    columns = node.input.schema
    values = sorted({call.args[-1] for call in node.calls if traits_of(call.function).on_null})
    if not values:
        return node
    exprs: list[Expr] = list(identity(f.type for f in columns))
    wrapped = [
        Call("JSON_STRING", (exprs[i],), STRING.with_nullable(columns[i].type.nullable)) for i in values
    ]
    names = (*(f.name for f in columns), *(f"$f{len(columns) + i}" for i in range(len(values))))
    position = {value: len(columns) + i for i, value in enumerate(values)}
    below = Project(node.input, (*exprs, *wrapped), names)
    return replace(node, input=below, calls=tuple(_wrapped(call, position) for call in node.calls))


def _wrapped(call: AggregateCall, position: dict[int, int]) -> AggregateCall:
    if traits_of(call.function).on_null is None:
        return call
    value = call.args[-1]
    return replace(call, args=tuple(position[value] if arg == value else arg for arg in call.args))
