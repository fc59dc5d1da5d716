"""Binding of CREATE TABLE ... AS: the table with a query's columns, and the INSERT that fills it.

Rules and texts: Flink's MergeTableAsUtil.
"""

from __future__ import annotations

from dataclasses import replace

from firesteel.bind.names import BindContext
from firesteel.bind.query import bind_query
from firesteel.bind.scalar.implicit import can_cast_implicitly
from firesteel.bind.statements.ddl import bind_create_table
from firesteel.bind.statements.insert import written_columns
from firesteel.catalog.schema import Table
from firesteel.errors import NotSupportedError, ValidationError
from firesteel.plan.tree import Field
from firesteel.sql.statements import ColumnDefinition, CreateTable, Insert, Name


def bind_create_table_as(statement: CreateTable, context: BindContext) -> tuple[Table, Insert]:
    """Return the table as the statement defines it, and the INSERT that fills it.

    With IF NOT EXISTS, a table of this name may exist already. The INSERT is then for the existing table.

    Raises:
        ValidationError: The table is temporary, its columns do not fit the query's, or `bind_query` or
            `bind_create_table` refuses its part.
        NotSupportedError: The table exists, and the statement defines columns beside those of the query.
    """
    assert statement.query is not None
    place = statement.table.range
    if statement.temporary:
        raise ValidationError(
            "CREATE TABLE AS SELECT syntax does not support to create temporary table yet.",
            range=place,
            sql=context.sql,
        )
    given = bind_query(statement.query, context).schema
    names = tuple(field.name for field in given)
    wanted = tuple(column.parts[0] for column in statement.column_list)
    if wanted:
        _check_list(statement.column_list, names, context)
    declared = {column.name for column in statement.columns}
    by_name = {field.name: field for field in given}
    taken = [ColumnDefinition(n, place, by_name[n].type) for n in wanted or names if n not in declared]
    definition = replace(statement, columns=(*statement.columns, *taken), query=None, column_list=())
    table = bind_create_table(definition, context)
    _check_types(table, by_name, statement, context)
    columns = tuple(Name((name,), place) for name in names)
    if statement.if_not_exists and isinstance(found := context.catalog.find(statement.table.parts), Table):
        columns = _in_place(table, found, names, statement)
    return table, Insert(statement.range, statement.table, statement.query, columns, made=True)


def _in_place(table: Table, found: Table, names: tuple[str, ...], statement: CreateTable) -> tuple[Name, ...]:
    """Check CREATE TABLE IF NOT EXISTS ... AS for a table that exists: its query's rows go into this table.

    Args:
        table: The table as the statement defines it.
        found: The table that exists.
        names: Names of the query's columns.
        statement: The statement.

    Returns:
        The list of target columns for the INSERT. It is empty, so the query's columns go to the columns of
        `found` by position, whatever their names are.

    Raises:
        ValidationError: The number of columns differs.
        NotSupportedError: The statement defines columns beside those of the query.
    """
    wanted = [column.name for column in written_columns(table)]
    if tuple(wanted) == names:
        return ()
    if len(wanted) != len(written_columns(found)):
        raise ValidationError(
            f"Column types of query result and sink for '{'.'.join(found.path)}' do not match. "
            "Cause: Different number of columns.",
            range=statement.table.range,
            hint=f"the statement makes the columns {', '.join(wanted)}",
        )
    raise NotSupportedError(
        "CREATE TABLE IF NOT EXISTS ... AS with columns besides the query's, onto a table that exists, is "
        "not supported",
        range=statement.table.range,
        hint="INSERT INTO the table",
    )


def _check_list(columns: tuple[Name, ...], names: tuple[str, ...], context: BindContext) -> None:
    if len(columns) != len(names):
        raise ValidationError(
            "The number of columns in the column list must match the number of columns in the source schema.",
            range=columns[0].range,
            sql=context.sql,
        )
    for column in columns:
        if column.parts[0] not in names:
            raise ValidationError(
                f"Column '{column}' not found in the source schema.", range=column.range, sql=context.sql
            )


def _check_types(table: Table, given: dict[str, Field], statement: CreateTable, context: BindContext) -> None:
    places = {column.name: column.range for column in statement.columns}
    for position, column in enumerate(table.columns, 1):
        source = given.get(column.name)
        if source is None or not column.is_physical:
            continue
        fits = can_cast_implicitly(source.type.with_nullable(True), column.type.with_nullable(True))
        if not fits or (source.type.nullable and not column.type.nullable):
            raise ValidationError(
                f"Incompatible types for sink column '{column.name}' at position {position}. The source "
                f"column has type '{source.type}', while the target column has type '{column.type}'.",
                range=places.get(column.name, statement.table.range),
                sql=context.sql,
            )
