"""Rewrites that Calcite's converter and RelBuilder apply to a bound query while they build the tree.

Both operands of `=` and `<>` are cast to their least restrictive type, except for the items of an IN list
(StandardConvertletTable.consistentType, SqlToRelConverter.convertInToOr). Expressions of projections and
conditions of joins and HAVING are simplified, conditions of WHERE are not (RelBuilder.project, filter).
"""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import TypeGuard

from firesteel.functions.expression.casting import as_type
from firesteel.functions.expression.nodes import (
    IN_LIST,
    ROWS_EQUAL,
    AggregateCall,
    Call,
    Expr,
    InputRef,
    Literal,
)
from firesteel.functions.expression.recursion import from_below
from firesteel.functions.signatures.aggregate_traits import traits_of
from firesteel.plan.estimates.uniqueness import are_distinct
from firesteel.plan.expressions.operations import (
    comparison,
    is_identity,
    is_true,
    logical_call,
    negation,
    operands,
    rewrite,
    walk,
)
from firesteel.plan.expressions.sub_query import SubQuery
from firesteel.plan.join_condition import push_expressions
from firesteel.plan.nodes.join.logical import Join
from firesteel.plan.nodes.join.not_distinct import collapse_not_distinct
from firesteel.plan.nodes.logical import Aggregate, Filter, Project, WatermarkAssigner
from firesteel.plan.simplify import simplify_condition, simplify_value
from firesteel.plan.tree import Node, transform_up
from firesteel.types.coerce import common_type
from firesteel.types.sql import BOOLEAN, INT, TypeRoot, decimal

ONE = Literal(1, INT.with_nullable(False))
ZERO = Literal(0, INT.with_nullable(False))

_JUNCTIONS = {IN_LIST: "OR", ROWS_EQUAL: "AND"}


def as_built(root: Node) -> Node:
    """Return a bound query as EXPLAIN prints it under "Abstract Syntax Tree". The rules start from this tree.

    A second application changes nothing.
    """
    return transform_up(root, _node)


def as_projected(expr: Expr) -> Expr:
    """Return an expression as `as_built` leaves it in a projection: with consistent types, and simplified."""
    return simplify_value(consistent(expr))


def _node(node: Node) -> Node:
    if isinstance(node, Project):
        return replace(node, exprs=tuple(map(as_projected, node.exprs)))
    if isinstance(node, Filter):
        if node.having:  # RelBuilder.filter builds HAVING, and simplifies its condition
            condition = simplify_condition(consistent(node.condition), nulls_first=False)
            if is_true(condition):
                return node.input
        else:
            condition = rewrite(consistent(_push_not_for_in(node.condition)), _as_null_as_the_case)
        return replace(node, condition=condition)
    if isinstance(node, Join):
        condition = simplify_condition(collapse_not_distinct(consistent(node.condition)))
        return push_expressions(replace(node, condition=condition))
    if isinstance(node, WatermarkAssigner):
        return replace(node, expression=consistent(node.expression))
    if isinstance(node, Aggregate):
        if not node.calls and not node.groups and are_distinct(node.input, frozenset(node.keys)):
            # RelBuilder.aggregate: rows that are distinct already are not grouped.
            columns = tuple(InputRef(k, f.type) for k, f in zip(node.keys, node.schema, strict=True))
            below = node.input
            return (
                below
                if is_identity(columns, len(below.schema))
                else Project(below, columns, tuple(f.name for f in node.schema))
            )
        return replace(node, calls=tuple(map(_call, node.calls)))
    return node


def _as_null_as_the_case(expr: Expr) -> Expr:
    """Return a CASE whose results are all nullable if the CASE is nullable. Literals stay NOT NULL.

    Calcite: StandardConvertletTable.convertCase.
    """
    if not isinstance(expr, Call) or expr.function != "CASE" or not expr.type.nullable:
        return expr
    last = len(expr.args) - 1

    def result(place: int, arg: Expr) -> Expr:
        if (place % 2 == 0 and place < last) or isinstance(arg, Literal) or arg.type.nullable:
            return arg
        return Call("CAST", arg.args if _casts(arg) else (arg,), expr.type)

    return expr.with_args(tuple([result(i, arg) for i, arg in enumerate(expr.args)]))


def _casts(expr: Expr) -> TypeGuard[Call]:
    return isinstance(expr, Call) and expr.function == "CAST"


@from_below
def _push_not_for_in(condition: Expr) -> Expr:
    """Return a condition in which NOT is pushed down to the terms of each AND or OR that contains an IN list.

        NOT (a IN (1, 2) AND b)   ->   NOT (a IN (1, 2)) OR NOT b

    A condition without IN lists stays. Calcite: SqlToRelConverter.pushDownNotForIn.
    """
    if not isinstance(condition, Call) or condition.function not in ("AND", "OR", "NOT"):
        return condition
    if not any(isinstance(e, Call) and e.function == IN_LIST for e in walk(condition)):
        return condition
    if condition.function != "NOT":
        return logical_call(condition.function, [_push_not_for_in(e) for e in condition.args])
    inner = condition.args[0]
    if not isinstance(inner, Call) or inner.function not in ("AND", "OR", "NOT"):
        return condition
    if inner.function == "NOT":
        return _push_not_for_in(inner.args[0])
    other = "OR" if inner.function == "AND" else "AND"
    return logical_call(other, [_push_not_for_in(negation(e)) for e in inner.args])


def _call(call: AggregateCall) -> AggregateCall:
    """Return an aggregate call in the form of Calcite's RelBuilder.

    It has no name if the name was made up (`agg#0`), and no DISTINCT where this changes nothing, as in MAX.
    """
    name = "" if call.name.startswith("agg#") else call.name
    return replace(call, name=name, distinct=call.distinct and not traits_of(call.function).same_distinct)


@from_below
def consistent(expr: Expr) -> Expr:
    """Return an expression as Calcite's converter builds it.

    `=` and `<>` get the casts that they need. IN lists, comparisons of rows, SQRT, IS [NOT] DISTINCT FROM,
    and casts between BOOLEAN and numbers are written with simpler functions.
    """
    if not isinstance(expr, Call):
        return expr
    if expr.function in _JUNCTIONS:
        name = _JUNCTIONS[expr.function]
        return logical_call(name, [e for test in expr.args for e in operands(_as_bound(test), name)])
    expr = expr.with_args(tuple([consistent(arg) if isinstance(arg, Call) else arg for arg in expr.args]))
    if isinstance(expr, SubQuery):
        return replace(expr, query=as_built(expr.query))
    if expr.function in ("AND", "OR"):
        return expr.with_args(tuple(operands(expr, expr.function)))
    if expr.function == "SQRT":
        half = Literal(Decimal("0.5"), decimal(2, 1).with_nullable(False))
        return replace(expr, function="POWER", args=(*expr.args, half))
    if expr.function == "CAST" and expr.args[0].type.root is TypeRoot.BOOLEAN and expr.type.is_numeric:
        return _boolean_as_number(expr)
    if expr.function == "CAST" and expr.type.root is TypeRoot.BOOLEAN and expr.args[0].type.is_integer:
        return Call("<>", (expr.args[0], ZERO), expr.type, range=expr.range)
    if expr.function == "IS DISTINCT FROM":
        return _distinct(expr)
    if expr.function == "IS NOT DISTINCT FROM":
        return _not_distinct(expr)
    return _consistent(expr)


def _as_bound(test: Expr) -> Expr:
    """Return one comparison of an IN list, or of two rows, with its operands rewritten by `consistent`.

    `consistent` would also cast both sides of the comparison to a common type. That is not done here: the
    sides keep the casts that the binder gave them.
    """
    if not isinstance(test, Call) or test.function in _JUNCTIONS:
        return consistent(test)
    return replace(test, args=tuple(map(consistent, test.args)))


def _boolean_as_number(cast: Call) -> Expr:
    """Return the cast of a BOOLEAN to a number: 1 for TRUE and 0 for FALSE.

    Calcite: StandardConvertletTable.convertCast.
    """
    operand, kind = cast.args[0], cast.type.with_nullable(False)
    chosen = Call("CASE", (operand, as_type(ONE, kind), as_type(ZERO, kind)), kind, range=cast.range)
    if not operand.type.nullable:
        return chosen
    return Call("CASE", (_null_test(operand, "IS NOT NULL"), chosen, Literal(None, cast.type)), cast.type)


def _null_test(expr: Expr, function: str) -> Expr:
    return Call(function, (expr,), BOOLEAN.with_nullable(False))


def _distinct(call: Call) -> Expr:
    """Return IS DISTINCT FROM as `(x IS NOT NULL OR y IS NOT NULL) AND (x = y) IS NOT TRUE`.

    Calcite: RelOptUtil.isDistinctFrom.
    """
    left, right = call.args
    some = logical_call("OR", [_null_test(left, "IS NOT NULL"), _null_test(right, "IS NOT NULL")])
    return logical_call("AND", [some, _null_test(comparison("=", left, right), "IS NOT TRUE")])


def _not_distinct(call: Call) -> Expr:
    left, right = call.args
    none = logical_call("AND", [_null_test(left, "IS NULL"), _null_test(right, "IS NULL")])
    return logical_call("OR", [none, _null_test(comparison("=", left, right), "IS TRUE")])


def _consistent(expr: Call) -> Expr:
    if expr.function not in ("=", "<>"):
        return expr
    left, right = expr.args
    if left.type.same_as(right.type):
        return expr
    kind = common_type((left.type, right.type))
    if kind is None or not {TypeRoot.BOOLEAN, TypeRoot.NULL}.isdisjoint((left.type.root, right.type.root)):
        return expr
    return replace(expr, args=(as_type(left, kind), as_type(right, kind)))
