"""Binding of a name in FROM: a common table expression, a view, or a table.

The plan of a table includes its computed columns and its watermark.
"""

from __future__ import annotations

from collections.abc import Callable

from firesteel.bind.build import references
from firesteel.bind.names import BindContext, Relation
from firesteel.bind.table_hints import check_hints, options_of, readable, refuse_hints
from firesteel.catalog.schema import Column, Table, View
from firesteel.errors import FiresteelError, SourceRange, ValidationError
from firesteel.functions.expression.nodes import Call, Expr, InputRef
from firesteel.plan.expressions.operations import substitute
from firesteel.plan.nodes.logical import Project, Scan, WatermarkAssigner
from firesteel.plan.tree import Node
from firesteel.sql.parser import parse_query
from firesteel.sql.query_syntax import TableName
from firesteel.types.coerce import can_cast
from firesteel.types.sql import SqlType

BindQuery = Callable[..., Node]


def bind_table(node: TableName, context: BindContext, bind_query: BindQuery) -> tuple[Node, Relation]:
    """Return the plan of a named table or view, and the names of its columns.

    Raises:
        ValidationError: The table does not exist, its connector cannot be read, or a hint is wrong. Or the
            view reads itself, or its query is wrong by now.
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
    """Return a view's column in the type that it had when the view was created.

    The table below may have changed since.
    """
    return expr if expr.type == kind else Call("CAST", (expr,), kind, range=expr.range)


def scan(table: Table) -> Node:
    """Return the scan of a table, with its computed columns and its watermark above."""
    _check_metadata(table)
    node: Node = Scan(table)
    if any(not column.is_physical for column in table.columns):
        node = _declared(table, node)
    if table.watermark is not None:
        names = [column.name for column in table.columns]
        node = WatermarkAssigner(node, names.index(table.watermark.column), table.watermark.expression)
    return node


def _declared(table: Table, node: Node) -> Project:
    """Return the projection to all columns of a table, in declared order.

    Computed columns are computed from the physical and metadata columns. Metadata columns are cast to the
    declared type. Flink: DynamicSourceUtils.pushMetadataProjection.
    """
    given = {field.name: InputRef(i, field.type) for i, field in enumerate(node.schema)}
    rowtime = None if table.watermark is None else table.watermark.column

    def stored(column: Column) -> Expr:
        ref = given[column.name]
        if column.metadata is not None and column.name == rowtime:
            return Call("CAST", (ref,), column.type, ("ROWTIME",))
        return ref if ref.type == column.type else Call("CAST", (ref,), column.type)

    values = [stored(column) for column in table.columns if column.computed is None]

    def value(column: Column) -> Expr:
        return stored(column) if column.computed is None else substitute(column.computed, values)

    return Project(node, tuple(value(c) for c in table.columns), tuple(c.name for c in table.columns))


def _check_metadata(table: Table) -> None:
    """Raise ValidationError if the source has no metadata, or a value cannot be cast to the column's type.

    The connector itself refuses unknown metadata keys. Flink: DynamicSourceUtils.validateAndApplyMetadata.
    """
    known = {} if table.traits is None else dict(table.traits.metadata)
    path = ".".join(table.path)
    for column in table.columns:
        if column.metadata is None:
            continue
        if not known:
            raise ValidationError(
                f"Table '{path}' declares metadata columns, but the underlying DynamicTableSource doesn't "
                "implement the SupportsReadingMetadata interface. Therefore, metadata cannot be read from "
                "the given source."
            )
        if not can_cast(known[column.metadata], column.type):
            raise ValidationError(
                f"Invalid data type for metadata column '{column.name}' with metadata key "
                f"'{column.metadata}' of table '{path}'. The column cannot be declared as "
                f"'{known[column.metadata]}' because the type must be castable from metadata type "
                f"'{column.type}'."
            )
