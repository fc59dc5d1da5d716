"""Binding of sub-queries: IN, EXISTS, ANY, ALL, and queries of one value (Calcite: SqlToRelConverter)."""

from __future__ import annotations

from firesteel.bind.binder import Binder, Rule
from firesteel.bind.scalar.comparison import Incomparable, compare
from firesteel.errors import NotSupportedError, ValidationError
from firesteel.functions.expression.nodes import Call, Expr, InputRef
from firesteel.plan.expressions.operations import negation
from firesteel.plan.expressions.sub_query import SCALAR, SubQuery
from firesteel.plan.nodes.logical import Aggregate, Project
from firesteel.plan.tree import Node
from firesteel.sql import syntax
from firesteel.types.coerce import common_type
from firesteel.types.sql import BOOLEAN

_NEGATED = {"=": "<>", "<>": "=", "<": ">=", "<=": ">", ">": "<=", ">=": "<"}


def scalar(binder: Binder, node: syntax.Subquery) -> Expr:
    """Return a query of one column as a value, which is NULL if the query returns no row.

    Raises:
        ValidationError: The query has several columns.
    """
    query, correlation = binder.context.bind_inner(node, binder.scope)
    if len(query.schema) != 1:
        raise ValidationError(
            f"Cannot apply '$SCALAR_QUERY' to arguments of type '$SCALAR_QUERY(<RECORDTYPE>)': a query with "
            f"{len(query.schema)} columns is no value",
            range=node.range,
        )
    kind = query.schema[0].type.with_nullable(True)
    return SubQuery(SCALAR, (), kind, range=node.range, query=query, correlation=correlation)


def exists(binder: Binder, node: syntax.Exists) -> Expr:
    """Return `EXISTS (query)`. The columns that the query selects do not matter."""
    query, correlation = binder.context.bind_inner(node.subquery, binder.scope)
    if isinstance(query, Project) and not isinstance(query.input, Aggregate):
        query = query.input
    kind = BOOLEAN.with_nullable(False)
    return SubQuery("EXISTS", (), kind, range=node.range, query=query, correlation=correlation)


def within(binder: Binder, node: syntax.In) -> Expr:
    """Return `x IN (query)`, or `(x, y) IN (query)`."""
    assert node.query is not None
    operands = _operands(binder, node.operand)
    query, correlation = binder.context.bind_inner(node.query, binder.scope)
    return _membership(node, operands, query, correlation)


def quantified(binder: Binder, node: syntax.Quantified) -> Expr:
    """Return `x < ANY (query)` or `x < ALL (query)`. ALL is the negation of ANY with the negated operator."""
    if node.query is None:
        raise NotSupportedError(f"{node.quantifier} of a list is not supported yet", range=node.range)
    negated = node.quantifier == "ALL"
    operator = _NEGATED[node.operator] if negated else node.operator
    operands = _operands(binder, node.operand)
    query, correlation = binder.context.bind_inner(node.query, binder.scope)
    if operator == "=":
        found = _membership(node, operands, query, correlation)
    else:
        _check(operands, query, node, operator)
        kind = BOOLEAN.with_nullable(_is_nullable(operands, query))
        found = SubQuery(
            f"{operator} SOME", operands, kind, range=node.range, query=query, correlation=correlation
        )
    return negation(found) if negated else found


def _membership(node: syntax.Node, operands: tuple[Expr, ...], query: Node, correlation: str) -> Call:
    _check(operands, query, node, "=")
    kind = BOOLEAN.with_nullable(_is_nullable(operands, query))
    return SubQuery("IN", operands, kind, range=node.range, query=query, correlation=correlation)


def _operands(binder: Binder, node: syntax.Node) -> tuple[Expr, ...]:
    value = binder.bind(node)
    return value.args if isinstance(value, Call) and value.function == "ROW" else (value,)


def _is_nullable(operands: tuple[Expr, ...], query: Node) -> bool:
    return any(e.type.nullable for e in operands) or any(f.type.nullable for f in query.schema)


def _check(operands: tuple[Expr, ...], query: Node, node: syntax.Node, operator: str) -> None:
    """Raise ValidationError if the operands cannot be compared with the query's columns."""
    message = "Values passed to IN operator must have compatible types"
    if len(operands) != len(query.schema):
        raise ValidationError(
            message,
            range=node.range,
            hint=f"{len(operands)} values are compared with {len(query.schema)} columns",
        )
    for operand, column in zip(operands, query.schema, strict=True):
        if operator != "=" and common_type((operand.type, column.type)) is None:
            raise ValidationError(f"Incomparable types: {operand.type} and {column.type}", range=node.range)
        try:
            compare(operator, operand, InputRef(0, column.type), node.range)
        except Incomparable:
            raise ValidationError(
                message, range=node.range, hint=f"{operand.type} is compared with {column.type}"
            ) from None


RULES: dict[type[syntax.Node], Rule] = {
    syntax.Subquery: scalar,
    syntax.Exists: exists,
    syntax.Quantified: quantified,
}
