"""Binding of ALTER TABLE to the table after the change.

Rules and texts: Flink's SchemaConverter, its two sub-classes and SchemaReferencesManager.
"""

from __future__ import annotations

from dataclasses import replace

from firesteel.bind.names import BindContext
from firesteel.bind.scalar.objects import in_java_order
from firesteel.bind.statements.ddl import bind_create_table
from firesteel.catalog.schema import Column, Table
from firesteel.errors import SourceRange, ValidationError
from firesteel.sql import syntax
from firesteel.sql.catalog_statements import (
    Add,
    Change,
    DropColumns,
    DropKey,
    DropWatermark,
    Modify,
    Position,
    RenameColumn,
)
from firesteel.sql.parser import parse_expression
from firesteel.sql.statements import ColumnDefinition, CreateTable, KeyDefinition, Name, WatermarkDefinition
from firesteel.sql.unparse_text import expression_text

_NOWHERE = SourceRange(0, 0)


def altered(table: Table, change: Change, place: SourceRange, context: BindContext) -> Table:
    """Return the table after a change, bound again.

    Args:
        table: The table before the change.
        change: The change.
        place: Position of the statement.
        context: Catalog and settings.

    Raises:
        ValidationError: Flink refuses the change, or the changed table.
    """
    definition = _definition(table, place)
    if isinstance(change, RenameColumn):
        changed = _renamed(table, definition, change)
    elif isinstance(change, DropColumns):
        changed = _without(table, definition, change)
    elif isinstance(change, DropKey):
        changed = _without_key(table, definition, change, place)
    elif isinstance(change, DropWatermark):
        if table.watermark is None:
            raise _refused("The current table does not define any watermark strategy.", place)
        changed = replace(definition, watermarks=())
    else:
        assert isinstance(change, Add)
        changed = _with(table, definition, change)
    bound = bind_create_table(changed, context, may_be_empty=True)
    return replace(bound, traits=None, place=table.place, option_places=table.option_places)


def _refused(message: str, place: SourceRange) -> ValidationError:
    return ValidationError(f"Failed to execute ALTER TABLE statement.\n{message}", range=place)


# --- the CREATE TABLE of a table ---------------------------------------------------------------------
def _definition(table: Table, place: SourceRange) -> CreateTable:
    """Return the CREATE TABLE statement that would make the table."""
    return CreateTable(
        range=place,
        table=Name(table.path, place),
        columns=tuple(_column(column, place) for column in table.columns),
        keys=(_key(table, place),) if table.primary_key else (),
        watermarks=_watermarks(table, place),
        partition_keys=tuple(Name((key,), place) for key in table.partition_keys),
        options=table.options,
        comment=table.comment,
    )


def _column(column: Column, place: SourceRange) -> ColumnDefinition:
    if column.computed_sql is not None:
        computed = parse_expression(column.computed_sql)
        return ColumnDefinition(
            column.name, place, None, computed, column.computed_sql, comment=column.comment
        )
    return ColumnDefinition(
        column.name,
        place,
        column.type,
        metadata=column.metadata,
        virtual=column.virtual,
        comment=column.comment,
    )


def _key(table: Table, place: SourceRange) -> KeyDefinition:
    columns = tuple(Name((name,), place) for name in table.primary_key)
    return KeyDefinition("PRIMARY KEY", columns, False, place, table.primary_key_name)


def _watermarks(table: Table, place: SourceRange) -> tuple[WatermarkDefinition, ...]:
    if table.watermark is None:
        return ()
    column, text = Name((table.watermark.column,), place), table.watermark.sql
    return (WatermarkDefinition(column, parse_expression(text), text, place),)


# --- ADD and MODIFY ----------------------------------------------------------------------------------
def _with(table: Table, definition: CreateTable, change: Add) -> CreateTable:
    modifies = isinstance(change, Modify)
    columns = list(definition.columns)
    seen: set[str] = set()
    for column, _ in change.columns:
        there = any(c.name == column.name for c in columns)
        if column.name in seen:
            raise _refused(f"Encounter duplicate column `{column.name}`.", column.range)
        seen.add(column.name)
        if there and not modifies:
            raise _refused(f"Column `{column.name}` already exists in the table.", column.range)
        if modifies and not there:
            raise _refused(f"Column `{column.name}` does not exist in the table.", column.range)
    for column, position in change.columns:
        columns = _placed(columns, column, position)
    _check_there(table, change, modifies)
    names = [c.name for c in columns]
    for key in change.keys:
        _check_key(key, columns)
    for watermark in change.watermarks:
        if watermark.column.parts[0] not in names:
            raise _refused(
                f"Invalid column name '{watermark.column}' for rowtime attribute in watermark declaration. "
                f"Available columns are: [{', '.join(names)}]",
                watermark.column.range,
            )
    for column, _ in change.columns:
        unknown = sorted(_named(column.computed_sql) - set(names))
        if unknown:
            raise ValidationError(
                f"Failed to execute ALTER TABLE statement.\nInvalid expression for computed column "
                f"'{column.name}'.",
                range=column.range,
                hint=f"Unknown identifier '{unknown[0]}'",
            )
    return replace(
        definition,
        columns=tuple(columns),
        keys=change.keys or definition.keys,
        watermarks=change.watermarks or definition.watermarks,
    )


def _placed(
    columns: list[ColumnDefinition], column: ColumnDefinition, position: Position | None
) -> list[ColumnDefinition]:
    index = next((i for i, c in enumerate(columns) if c.name == column.name), len(columns))
    rest = [c for c in columns if c.name != column.name]
    if index < len(columns) and column.comment is None:
        column = replace(column, comment=columns[index].comment)
    if position is not None and (position.after is None or position.after.parts[0] != column.name):
        index = 0
        if position.after is not None:
            after = position.after.parts[0]
            index = next((i + 1 for i, c in enumerate(rest) if c.name == after), -1)
            if index < 0:
                raise _refused(
                    f"Referenced column `{after}` by 'AFTER' does not exist in the table.",
                    position.after.range,
                )
    return [*rest[:index], column, *rest[index:]]


def _check_there(table: Table, change: Add, modifies: bool) -> None:
    """Raise ValidationError if ADD finds a key or a watermark in the table, or MODIFY finds none."""
    if change.keys and modifies and not table.primary_key:
        raise _refused(
            "The current table does not define any primary key constraint. You might want to add a new one.",
            change.keys[0].range,
        )
    if change.keys and not modifies and table.primary_key:
        shown = "`, `".join(table.primary_key)
        raise _refused(
            f"The current table has already defined the primary key constraint [`{shown}`]. You might want "
            "to drop it before adding a new one.",
            change.keys[0].range,
        )
    if change.watermarks and modifies and table.watermark is None:
        raise _refused(
            "The current table does not define any watermark. You might want to add a new one.",
            change.watermarks[0].range,
        )
    if change.watermarks and not modifies and table.watermark is not None:
        raise _refused(
            "The current table has already defined the watermark strategy "
            f"`{table.watermark.column}` AS {expression_text(table.watermark.sql)}. You might want to drop "
            "it before adding a new one.",
            change.watermarks[0].range,
        )


def _check_key(key: KeyDefinition, columns: list[ColumnDefinition]) -> None:
    name = key.name or f"PK_{'_'.join(column.parts[0] for column in key.columns)}"
    for column in key.columns:
        found = next((c for c in columns if c.name == column.parts[0]), None)
        if found is None:
            raise _refused(f"Invalid primary key '{name}'. Column '{column}' does not exist.", column.range)
        if found.computed is not None or found.metadata is not None:
            raise _refused(
                f"Invalid primary key '{name}'. Column '{column}' is not a physical column.", column.range
            )


# --- DROP and RENAME ---------------------------------------------------------------------------------
def _without_key(table: Table, definition: CreateTable, change: DropKey, place: SourceRange) -> CreateTable:
    if not table.primary_key:
        raise _refused("The current table does not define any primary key.", place)
    name = table.primary_key_name or f"PK_{'_'.join(table.primary_key)}"
    if change.constraint is not None and change.constraint.parts[0] != name:
        raise _refused(
            f"The current table does not define a primary key constraint named '{change.constraint}'. "
            f"Available constraint name: ['{name}'].",
            change.constraint.range,
        )
    return replace(definition, keys=())


def _without(table: Table, definition: CreateTable, change: DropColumns) -> CreateTable:
    dropped: list[str] = []
    for name in change.columns:
        if name.parts[-1] in dropped:
            raise _refused(f"Duplicate column `{name}`.", name.range)
        dropped.append(name.parts[-1])
    # Check in Flink's order: computed columns that read the most columns first. Columns that read equally
    # many are in the order of a Java HashSet.
    order = in_java_order(dropped)
    reads = {c.name: len(_named(c.computed_sql)) for c in table.columns}
    places = {name.parts[-1]: name for name in change.columns}
    for column in sorted(order, key=lambda column: -reads.get(column, 0)):
        name = places[column]
        _check_unused(table, name, dropped)
        if name.parts[-1] in table.primary_key:
            raise _refused(f"The column `{name}` is used as the primary key.", name.range)
    return replace(definition, columns=tuple(c for c in definition.columns if c.name not in dropped))


def _renamed(table: Table, definition: CreateTable, change: RenameColumn) -> CreateTable:
    old, new = change.column.parts[-1], change.name.parts[0]
    _check_unused(table, change.column, [])
    if any(column.name == new for column in table.columns):
        raise _refused(f"The column `{new}` already existed in table schema.", change.name.range)
    keys = tuple(
        replace(
            key,
            columns=tuple(Name((new,), c.range) if c.parts == (old,) else c for c in key.columns),
        )
        for key in definition.keys
    )
    columns = tuple(replace(c, name=new) if c.name == old else c for c in definition.columns)
    return replace(definition, columns=columns, keys=keys)


def _check_unused(table: Table, name: Name, going: list[str]) -> None:
    """Raise ValidationError for a column that does not exist or that is still used.

    A column is used by computed columns, as a partition key, or by the watermark.

    Args:
        table: The table.
        name: The column.
        going: Columns that are dropped together with it. Computed columns among them may use it.
    """
    column = name.parts[-1]
    if all(c.name != column for c in table.columns):
        raise _refused(f"The column `{column}` does not exist in the base table.", name.range)
    users = sorted(c.name for c in table.columns if column in _named(c.computed_sql) and c.name not in going)
    if users:
        shown = ", ".join(f"`{user}`" for user in users)
        raise _refused(f"The column `{column}` is referenced by computed column {shown}.", name.range)
    if column in table.partition_keys:
        raise _refused(f"The column `{column}` is used as the partition keys.", name.range)
    watermark = table.watermark
    if watermark is not None and column in {watermark.column, *_named(watermark.sql)}:
        raise _refused(f"The column `{column}` is referenced by watermark expression.", name.range)


def _named(expression: str | None) -> set[str]:
    """Return the names of the columns in an expression."""
    if expression is None:
        return set()
    parts = syntax.walk(parse_expression(expression))
    return {part.path[0] for part in parts if isinstance(part, syntax.Column)}
