"""The bound query as Calcite's converter leaves it: what its builder does to expressions as they come in.

Both operands of `=` and `<>` are brought to their least restrictive type, but for the items of an IN list
(StandardConvertletTable.consistentType, SqlToRelConverter.convertInToOr); the expressions of projections
are simplified, conditions of WHERE and HAVING are not (RelBuilder.project).
"""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

from firesteel.expr.nodes import AggregateCall, Call, Expr, InputRef, Literal
from firesteel.plan.expressions import is_identity
from firesteel.plan.logical import Aggregate, Filter, Project, WatermarkAssigner
from firesteel.plan.simplify import simplify_value
from firesteel.plan.traits import unique_keys
from firesteel.plan.tree import Node, transform_up
from firesteel.types.coerce import common_type
from firesteel.types.sql import APPROXIMATE, SqlType, TypeRoot


def converted(root: Node) -> Node:
    """The tree that the AST shows and the rules start from. Applying it twice changes nothing more."""
    return transform_up(root, _node)


def _node(node: Node) -> Node:
    if isinstance(node, Project):
        return replace(node, exprs=tuple(simplify_value(consistent(e)) for e in node.exprs))
    if isinstance(node, Filter):
        return replace(node, condition=consistent(node.condition))
    if isinstance(node, WatermarkAssigner):
        return replace(node, expression=consistent(node.expression))
    if isinstance(node, Aggregate):
        if not node.calls and any(key <= frozenset(node.keys) for key in unique_keys(node.input)):
            # RelBuilder.aggregate: what is distinct already is not grouped.
            columns = tuple(InputRef(k, f.type) for k, f in zip(node.keys, node.schema, strict=True))
            below = node.input
            return (
                below
                if is_identity(columns, len(below.schema))
                else Project(below, columns, tuple(f.name for f in node.schema))
            )
        return replace(node, calls=tuple(map(_call, node.calls)))
    return node


def _call(call: AggregateCall) -> AggregateCall:
    """Without a name that stands for none, and without a DISTINCT that changes nothing."""
    name = "" if call.name.startswith("agg#") else call.name
    return replace(call, name=name, distinct=call.distinct and call.function not in ("MIN", "MAX"))


def consistent(expr: Expr) -> Expr:
    """The expression with the casts that `=` and `<>` need."""
    if not isinstance(expr, Call):
        return expr
    items = _in_list(expr)
    args = tuple(arg if arg in items else consistent(arg) for arg in expr.args)
    if any(a is not b for a, b in zip(args, expr.args, strict=True)):
        expr = replace(expr, args=args)
    return _consistent(expr)


def _in_list(call: Call) -> list[Expr]:
    """The comparisons that one IN made: those of an OR that stand for the same piece of the text."""
    if call.function != "OR":
        return []
    equals = [a for a in call.args if isinstance(a, Call) and a.function == "=" and a.range is not None]
    places = [a.range for a in equals]
    return [a for a in equals if places.count(a.range) > 1]


def _consistent(expr: Call) -> Expr:
    if expr.function not in ("=", "<>"):
        return expr
    left, right = expr.args
    if left.type.same_as(right.type):
        return expr
    kind = common_type((left.type, right.type))
    if kind is None or TypeRoot.NULL in (left.type.root, right.type.root):
        return expr
    return replace(expr, args=(as_type(left, kind), as_type(right, kind)))


def as_type(expr: Expr, kind: SqlType) -> Expr:
    """The expression as another type; a literal that the type can hold is retyped, its value kept."""
    target = kind.with_nullable(expr.type.nullable)
    if expr.type.same_as(target):
        return expr
    if isinstance(expr, Literal) and _holds(target, expr):
        return replace(expr, type=target)
    return Call("CAST", (expr,), target)


def _holds(kind: SqlType, literal: Literal) -> bool:
    value = literal.value
    if value is None:
        return True
    if kind.is_character and isinstance(value, str):
        return kind.root is TypeRoot.VARCHAR and len(value) <= (kind.length or 0)
    if kind.is_numeric and isinstance(value, (int, Decimal)) and literal.type.is_numeric:
        return kind.root in APPROXIMATE or kind.root is TypeRoot.DECIMAL or isinstance(value, int)
    return kind.root is literal.type.root and kind.is_datetime
