"""What a name in FROM stands for: a common table, a table with its computed columns and watermark, a view."""

from __future__ import annotations

from collections.abc import Callable

from firesteel.bind.build import references
from firesteel.bind.names import BindContext, Relation
from firesteel.bind.table_hints import check_hints, options_of, readable, refuse_hints
from firesteel.catalog.schema import Column, Table, View
from firesteel.errors import FiresteelError, SourceRange, ValidationError
from firesteel.expr.nodes import Call, Expr, InputRef
from firesteel.plan.expressions import substitute
from firesteel.plan.logical import Project, Scan, WatermarkAssigner
from firesteel.plan.tree import Node
from firesteel.sql.parser import parse_query
from firesteel.sql.query_syntax import TableName
from firesteel.types.sql import SqlType

BindQuery = Callable[..., Node]


def bind_table(node: TableName, context: BindContext, bind_query: BindQuery) -> tuple[Node, Relation]:
    """The rows of a named table, and the names of its columns.

    Raises ValidationError if there is no such table.
    """
    path = node.path
    if len(path) == 1 and path[0] in context.common_tables:
        return context.common_tables[path[0]]
    entry = context.catalog.get(path, node.range)
    hints = node.hints
    check_hints(hints)
    if isinstance(entry, View):
        refuse_hints(entry, hints, node.range)
        source = _bind_view(entry, context, node.range, bind_query)
    else:
        options = options_of(hints)
        if options is not None:
            entry = readable(entry, options, context, node.range)
        _check_readable(entry, node.range)
        source = scan(entry)
    return source, Relation(entry.path, source.schema)


def _check_readable(table: Table, place: SourceRange) -> None:
    if table.traits is None or table.traits.readable:
        return
    connector = dict(table.options).get("connector", "")
    raise ValidationError(
        f"Unable to create a source for reading table '{'.'.join(table.path)}'. Connector '{connector}' can "
        "only be used as a sink. It cannot be used as a source.",
        range=place,
    )


def _bind_view(view: View, context: BindContext, range: SourceRange, bind_query: BindQuery) -> Node:
    if view.path in context.views:
        raise ValidationError(f"View '{view.name}' reads itself", range=range)
    inner = context.in_view(view.path, view.query)
    try:
        node = bind_query(parse_query(view.query).query, inner)
    except FiresteelError as error:
        raise error.located(view.query) from None
    names, types = (tuple(getattr(f, what) for f in node.schema) for what in ("name", "type"))
    if (view.columns, view.column_types) == (names, types):
        return node
    below, exprs = (node.input, node.exprs) if isinstance(node, Project) else (node, references(node))
    return Project(below, tuple(map(_as_created, exprs, view.column_types)), view.columns)


def _as_created(expr: Expr, kind: SqlType) -> Expr:
    """A column of a view as it was when the view was created; the table below may be another one now."""
    return expr if expr.type == kind else Call("CAST", (expr,), kind, range=expr.range)


def scan(table: Table) -> Node:
    """The scan; above it the computed columns and the watermark."""
    node: Node = Scan(table)
    if any(not column.is_physical for column in table.columns):
        node = _declared(table, node)
    if table.watermark is not None:
        names = [column.name for column in table.columns]
        node = WatermarkAssigner(node, names.index(table.watermark.column), table.watermark.expression)
    return node


def _declared(table: Table, node: Node) -> Project:
    """All columns in declared order; computed ones over the stored ones."""
    position = {field.name: i for i, field in enumerate(node.schema)}
    stored = [InputRef(position[c.name], c.type) for c in table.columns if c.computed is None]

    def value(column: Column) -> Expr:
        if column.computed is not None:
            return substitute(column.computed, stored)
        return InputRef(position[column.name], column.type)

    return Project(node, tuple(value(c) for c in table.columns), tuple(c.name for c in table.columns))
