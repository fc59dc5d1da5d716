"""Binding of VALUES, and the single row that a SELECT without FROM reads."""

from __future__ import annotations

from collections.abc import Sequence

from firesteel.bind.aggregate.aggregate import refuse_aggregates
from firesteel.bind.build import references, renamed
from firesteel.bind.checks import check_expression
from firesteel.bind.names import BindContext, Scope
from firesteel.bind.scalar.scalar import ScalarBinder
from firesteel.bind.targets import Targets
from firesteel.errors import ValidationError
from firesteel.functions.expression.casting import cast, with_all_digits
from firesteel.functions.expression.nodes import Call, Expr, Literal
from firesteel.plan.nodes.logical import Project, Union, Values
from firesteel.plan.tree import Field, Node
from firesteel.sql import syntax
from firesteel.sql.query_syntax import Row, ValuesRows
from firesteel.types import sql
from firesteel.types.coerce import common_type
from firesteel.types.sql import SqlType

_ZERO = Literal(0, sql.INT.with_nullable(False))
ONE_ROW = Values((Field("ZERO", _ZERO.type),), ((_ZERO,),))
"""Single row, shown as LogicalValues(tuples=[[{ 0 }]])."""

_MISMATCH = "Values passed to VALUES operator must have compatible types"


def bind_values(
    node: ValuesRows, context: BindContext, targets: Targets | None, names: Sequence[str] = ()
) -> Node:
    """Return the rows of VALUES: a Values node if all values are literals, else a union of projections.

    A CAST is no literal. The rows are also a union if an INSERT has columns that VALUES does not fill.

    Args:
        node: The rows as written.
        context: Catalog and settings.
        targets: Columns of an INSERT that the rows fill. None for other queries.
        names: Names of the columns. If it is empty, they are EXPR$0, EXPR$1 and so on.

    Raises:
        ValidationError: The rows have different lengths or incompatible types.
    """
    rows = [_bind_row(row, context, targets) for row in node.rows]
    types = _common_types(node, rows)
    fields = tuple(Field(f"EXPR${i}", kind) for i, kind in enumerate(types))
    literal = [[_literal(expr) for expr in row] for row in rows]
    if not any(map(_casts, node.rows)) and (targets is None or targets.fills_all):
        found = [tuple(item for item in row if item is not None) for row in literal]
        if all(len(row) == len(types) for row in found):
            cells = tuple(tuple(_typed(c, k) for c, k in zip(row, types, strict=True)) for row in found)
            return Values(renamed(fields, names) if names else fields, cells)
    columns = tuple(field.name for field in fields)
    nodes: list[Node] = [Project(ONE_ROW, tuple(row), columns) for row in rows]
    union = nodes[0] if len(nodes) == 1 else Union(tuple(nodes))
    if not names:
        return union
    return Project(union, references(union), tuple(names))


def _casts(row: Row) -> bool:
    """Return whether a value of a row is a CAST.

    Calcite does not treat a CAST as a literal, even if it is a cast of a literal.
    """
    return any(isinstance(item, syntax.Cast) for item in row.items)


def _bind_row(row: Row, context: BindContext, targets: Targets | None) -> list[Expr]:
    for item in row.items:
        check_expression(item)
    refuse = refuse_aggregates("Aggregate expression is illegal in VALUES")
    binder = ScalarBinder(Scope(), context, refuse)
    items: list[tuple[str | None, Expr]] = [(None, binder.bind_typed(item)) for item in row.items]
    if targets is not None:
        items = targets.reorder(items, row.range)
    return [expr for _, expr in items]


def _common_types(node: ValuesRows, rows: list[list[Expr]]) -> list[SqlType]:
    types: list[SqlType] = []
    for row, tree in zip(rows, node.rows, strict=True):
        if len(row) != len(rows[0]):
            raise ValidationError(
                _MISMATCH,
                range=tree.range,
                hint=f"{len(row)} values here, {len(rows[0])} in the first row",
            )
    for i, first in enumerate(rows[0]):
        kind: SqlType | None = first.type
        for row, tree in zip(rows[1:], node.rows[1:], strict=True):
            kind = common_type((kind, row[i].type)) if kind is not None else None
            if kind is None:
                place = tree.items[i] if i < len(tree.items) else tree
                raise ValidationError(
                    _MISMATCH,
                    range=place.range,
                    hint=f"{row[i].type} here, {first.type} in the first row",
                )
        types.append(first.type if kind is None else kind)
    return types


def _literal(expr: Expr) -> Literal | None:
    """Return the literal that an expression is, including a negative number, else None."""
    if isinstance(expr, Literal):
        return expr
    if isinstance(expr, Call) and expr.function == "-" and len(expr.args) == 1:
        inner = expr.args[0]
        if isinstance(inner, Literal) and isinstance(inner.value, (int, float)) and inner.type.is_numeric:
            return Literal(-inner.value, inner.type, inner.range)
        if isinstance(inner, Literal) and inner.type.is_numeric and inner.value is not None:
            return Literal(-inner.value, inner.type, inner.range)  # type: ignore[operator]
    return None


def _typed(literal: Literal, kind: SqlType) -> Literal:
    found = cast(literal, kind.with_nullable(literal.value is None or kind.nullable))
    return with_all_digits(found) if isinstance(found, Literal) else Literal(literal.value, kind)
