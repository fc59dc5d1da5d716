"""Binding of INSERT: fit the query's columns to the sink's (Flink: DynamicSinkUtils, PreValidateReWriter)."""

from __future__ import annotations

from collections.abc import Container, Sequence

from firesteel.bind.build import references
from firesteel.bind.names import BindContext, Scope, did_you_mean
from firesteel.bind.query import bind_query
from firesteel.bind.scalar.conditional import check_cast
from firesteel.bind.scalar.implicit import avoids_cast, can_cast_implicitly
from firesteel.bind.scalar.scalar import ScalarBinder
from firesteel.bind.table_hints import hinted
from firesteel.bind.targets import Targets
from firesteel.catalog.catalog import table_of
from firesteel.catalog.schema import Column, Table
from firesteel.errors import FiresteelError, SourceRange, ValidationError
from firesteel.functions.expression.casting import cast
from firesteel.functions.expression.nodes import Call, Expr, Literal
from firesteel.plan.nodes.logical import Project, Sink
from firesteel.plan.tree import Node
from firesteel.sql import syntax
from firesteel.sql.query_syntax import Select, ValuesRows
from firesteel.sql.statements import Insert, Name
from firesteel.types.sql import SqlType, quoted_name


def bind_insert(statement: Insert, context: BindContext) -> Sink:
    """Return the sink over the query, whose columns are cast to the sink's types where necessary.

    Raises:
        ValidationError: The table is unknown, is a view or cannot be written, or the columns do not fit.
    """
    try:
        table = _sink_table(statement, context)
        targets = _targets(statement, table, context)
        query = bind_query(statement.query, context, targets)
        node = _fitted(query, table, statement)
    except FiresteelError as error:
        raise error.located(context.sql) from None
    positions = None
    if statement.columns and not statement.made:
        names = [column.name for column in written_columns(table)]
        positions = tuple(names.index(column.parts[0]) for column in statement.columns)
    return Sink(node, table, positions, statement.on_conflict)


def written_columns(table: Table) -> list[Column]:
    """Return the columns that a sink writes: physical ones, and metadata columns that are not virtual."""
    return [c for c in table.columns if c.computed is None and not (c.metadata is not None and c.virtual)]


def _sink_table(statement: Insert, context: BindContext) -> Table:
    name = statement.table
    entry = context.catalog.find(name.parts)
    if entry is None:
        path = ".".join(map(quoted_name, context.catalog.path(name.parts)))
        raise ValidationError(
            f"Cannot find table '{path}' in any of the catalogs [{context.catalog.current_catalog}], "
            "nor as a temporary table.",
            range=name.range,
            hint=did_you_mean(name.parts[-1], context.catalog.names()),
        )
    table = table_of(entry, name.range)
    options = [pair for hint, pairs in statement.hints if hint == "OPTIONS" for pair in pairs]
    table = hinted(table, options, context, name.range) if statement.hints else table
    if table.traits is not None and not table.traits.writable:
        connector = dict(table.options).get("connector", "")
        raise ValidationError(
            f"Unable to create a sink for writing table '{'.'.join(table.path)}'. Connector '{connector}' "
            "can only be used as a source. It cannot be used as a sink.",
            range=name.range,
        )
    _check_metadata(table, name.range)
    return table


def _check_metadata(table: Table, place: SourceRange) -> None:
    """Raise ValidationError for a metadata column that the sink cannot write."""
    traits, path = table.traits, ".".join(table.path)
    for column in written_columns(table):
        if column.metadata is None or traits is None or column.metadata in traits.sink_metadata:
            continue
        if not traits.sink_class:
            raise ValidationError(
                f"Table '{path}' declares persistable metadata columns, but the underlying DynamicTableSink "
                "doesn't implement the SupportsWritingMetadata interface. If the column should not be "
                "persisted, it can be declared with the VIRTUAL keyword.",
                range=place,
            )
        listed = "\n".join(traits.sink_metadata)
        raise ValidationError(
            f"Invalid metadata key '{column.metadata}' in column '{column.name}' of table '{path}'. The "
            f"DynamicTableSink class '{traits.sink_class}' supports the following metadata keys for writing:"
            f"\n{listed}",
            range=place,
        )


def _targets(statement: Insert, table: Table, context: BindContext) -> Targets | None:
    if not statement.columns and not statement.partition:
        return None
    columns = written_columns(table)
    names = [column.name for column in columns]
    fixed = _partition(statement, table, context)
    if not statement.columns:
        sources = {name: i for i, name in enumerate(name for name in names if name not in fixed)}
        return Targets(tuple({**sources, **fixed}[name] for name in names))
    sources = {}
    for i, column in enumerate(statement.columns):
        name = column.parts[0]
        _check_target(column, names, sources)
        sources[name] = i
    for column_ in columns:
        if column_.name not in {*sources, *fixed} and not column_.type.nullable:
            raise ValidationError(
                f"Column '{column_.name}' has no default value and does not allow NULLs",
                range=statement.table.range,
            )
    missing = {c.name: Literal(None, c.type.with_nullable(True)) for c in columns}
    found = {**missing, **sources, **fixed}
    return Targets(tuple(found[name] for name in names), len({*sources} - {*fixed}))


def _check_target(column: Name, names: Sequence[str], seen: Container[str]) -> None:
    """Raise ValidationError for a name that is no column of the sink, or that occurs twice."""
    name = column.parts[0]
    if name not in names:
        raise ValidationError(
            f"Unknown target column '{name}'", range=column.range, hint=did_you_mean(name, names)
        )
    if name in seen:
        raise ValidationError(f"Target column '{name}' is assigned more than once", range=column.range)


def _partition(statement: Insert, table: Table, context: BindContext) -> dict[str, Expr]:
    """Return the literals of PARTITION (...) by the names of their columns.

    Raises:
        ValidationError: A name is no partition column, or a value is no literal that can be cast to the type
            of its column.
    """
    columns = {column.name: column for column in written_columns(table)}
    found: dict[str, Expr] = {}
    for key, literal in statement.partition:
        name = key.parts[0]
        _check_target(key, list(columns), found)
        if name not in table.partition_keys:
            listed = ", ".join(table.partition_keys)
            raise ValidationError(
                f"Static partition column '{name}' should be in the partition keys list [{listed}] for table "
                f"'{'.'.join(table.path)}'.",
                range=key.range,
            )
        if not isinstance(literal, syntax.StringLiteral | syntax.NumberLiteral | syntax.Unary):
            text = context.sql[literal.range.start : literal.range.end]
            raise ValidationError(f"not a literal: {text}", hint="write it as a string", range=literal.range)
        value = ScalarBinder(Scope(), context).bind(literal)
        kind = columns[name].type.with_nullable(False)
        check_cast(value.type, kind, literal.range)
        found[name] = cast(value, kind, literal.range)
    return found


def _fitted(query: Node, table: Table, statement: Insert) -> Node:
    columns = written_columns(table)
    sink = [column.type.nullable_throughout() for column in columns]  # NOT NULL is checked at run time only
    given = [field.type for field in query.schema]
    if len(sink) != len(given):
        raise _mismatch("Different number of columns.", query, table, statement.table.range)
    for i, (a, b) in enumerate(zip(given, sink, strict=True)):
        if not can_cast_implicitly(a, b):
            cause = f"Incompatible types for sink column '{columns[i].name}' at position {i + 1}."
            raise _mismatch(cause, query, table, _item_place(statement, i))
    if all(avoids_cast(a, b) for a, b in zip(given, sink, strict=True)):
        return query
    base, exprs = (query.input, query.exprs) if isinstance(query, Project) else (query, references(query))
    fitted = tuple(_cast(expr, kind) for expr, kind in zip(exprs, sink, strict=True))
    return Project(base, fitted, tuple(column.name for column in columns))


def _cast(expr: Expr, kind: SqlType) -> Expr:
    """Return the expression cast to exactly this type, nullability included."""
    found = cast(expr, kind)
    if found.type == kind:
        return found
    if isinstance(found, Literal):
        return Call("CAST", (found,), kind, range=expr.range)
    inner = found.args[0] if isinstance(found, Call) and found is not expr else found
    return Call("CAST", (inner,), kind, range=expr.range)


def _item_place(statement: Insert, index: int) -> SourceRange:
    query = statement.query
    items: Sequence[syntax.Node] = ()
    if isinstance(query, Select):
        items = query.items
    elif isinstance(query, ValuesRows):
        items = query.rows
    return statement.table.range if statement.columns or index >= len(items) else items[index].range


def _mismatch(cause: str, query: Node, table: Table, place: SourceRange) -> ValidationError:
    path = ".".join(table.path)

    def schema(fields: Sequence[tuple[str, SqlType]]) -> str:
        return ", ".join(f"{name}: {kind}" for name, kind in fields)

    given = schema([(field.name, field.type) for field in query.schema])
    wanted = schema([(column.name, column.type) for column in written_columns(table)])
    return ValidationError(
        f"Column types of query result and sink for '{path}' do not match. Cause: {cause}",
        range=place,
        hint=f"query schema: [{given}]; sink schema: [{wanted}]",
    )
