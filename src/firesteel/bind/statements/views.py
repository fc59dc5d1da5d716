"""Binding of CREATE VIEW: the query is checked, expanded and typed once (Flink: SqlNodeConvertUtils)."""

from __future__ import annotations

from firesteel.bind.expand import expanded
from firesteel.bind.names import BindContext
from firesteel.bind.query import bind_query
from firesteel.catalog.schema import View
from firesteel.errors import SourceRange, ValidationError
from firesteel.plan.metadata import event_times, processing_times
from firesteel.plan.tree import Node
from firesteel.sql import syntax
from firesteel.sql.query_syntax import Select, SetOperation, WithQuery
from firesteel.sql.statements import CreateView, Name


def bind_create_view(statement: CreateView, context: BindContext) -> View:
    """Return the view that the statement defines. Each use of the view binds its expanded query again.

    Raises:
        ValidationError: The query is wrong, or the column list has a wrong length or a name twice.
    """
    return bind_view(
        statement.view, statement.query, statement.columns, statement.comment, statement.temporary, context
    )


def bind_view(
    view: Name,
    query: syntax.Node,
    columns: tuple[Name, ...],
    comment: str | None,
    temporary: bool,
    context: BindContext,
) -> View:
    """Return a view over a query.

    Raises:
        ValidationError: The query is wrong, or the column list has a wrong length or a name twice.
    """
    node = bind_query(query, context, unique=False)
    text, found = expanded(query, context.sql, context.catalog)
    names = tuple(column.parts[0] for column in columns)
    _check_names(names or found, query, view.range, context.sql)
    if names and len(names) != len(found):
        raise ValidationError(
            f"VIEW definition and input fields not match:\n\tDef fields: [{', '.join(names)}].\n"
            f"\tInput fields: [{', '.join(found)}].",
            range=view.range,
            sql=context.sql,
        )
    catalog, database, name = context.catalog.path(view.parts)
    types = tuple(field.type for field in node.schema)
    return View(catalog, database, name, text, names or found, types, _times(node), comment, temporary)


def _times(node: Node) -> tuple[str, ...]:
    event, processing = event_times(node), processing_times(node)
    return tuple(
        "ROWTIME" if i in event else "PROCTIME" if i in processing else "" for i in range(len(node.schema))
    )


def _check_names(names: tuple[str, ...], query: syntax.Node, view: SourceRange, text: str) -> None:
    for i, name in enumerate(names):
        first = names.index(name)
        if first == i:
            continue
        select = _select(query)
        items = select.items if select is not None else ()
        if i >= len(items):
            raise ValidationError(f"Column `{name}` has been specified.", range=view, sql=text)
        line, column = items[first].range.line_and_column(text)
        raise ValidationError(
            f"A column with the same name `{name}` has been defined at line {line}, column {column}.",
            range=items[i].range,
            sql=text,
        )


def _select(query: syntax.Node) -> Select | None:
    if isinstance(query, SetOperation):
        return _select(query.left)
    if isinstance(query, WithQuery):
        return _select(query.query)
    return query if isinstance(query, Select) else None
