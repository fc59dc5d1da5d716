"""Handlers of ALTER TABLE, ALTER VIEW and statements that Flink refuses for streams, such as UPDATE.

Error messages are those of Flink's AbstractAlterTableConverter and CatalogManager.
"""

from __future__ import annotations

from dataclasses import replace

from firesteel.bind.statements.alter import altered
from firesteel.bind.statements.ddl import places_of
from firesteel.bind.statements.views import bind_view
from firesteel.catalog.schema import Table, View
from firesteel.connectors.registry import validate_table
from firesteel.errors import FiresteelError, ValidationError
from firesteel.session.context import Call
from firesteel.session.result import OK, TableResult
from firesteel.sql import catalog_statements as sql
from firesteel.sql.statements import Name
from firesteel.types.sql import quoted_name


def alter_table(call: Call, statement: sql.AlterTable) -> TableResult:
    """Run ALTER TABLE."""
    table = _table(call, statement)
    if table is None:
        return OK
    catalog, change = call.environment.catalog, statement.change
    if isinstance(change, sql.RenameTo):
        catalog.rename(table, change.name.parts[-1], change.name.range)
        return OK
    if isinstance(change, sql.SetOptions):
        changed = _with_options(table, {**dict(table.options), **dict(change.options)})
        places = places_of(change.options, change.option_ranges, call.text)
        changed = replace(changed, option_places={**table.option_places, **places})
    elif isinstance(change, sql.ResetOptions):
        changed = _reset(table, change)
    else:
        context = call.environment.bind_context(call.text)
        changed = altered(table, change, statement.range, context)
    catalog.replace(with_traits(changed))
    return OK


def with_traits(table: Table) -> Table:
    """Return the table with `traits` set from its options; if the options are wrong, the table as it is.

    Traits are properties of a connector that the planner needs, such as its changelog mode (SourceTraits). As
    in Flink, wrong options are an error when the table is used, not when it is created.
    """
    try:
        return validate_table(table)
    except FiresteelError:
        return table


def _table(call: Call, statement: sql.AlterTable) -> Table | None:
    """Return the table to change, or None if it does not exist and IF EXISTS is given.

    Raises:
        ValidationError: The table does not exist, or is a view.
    """
    name = statement.table
    entry = call.environment.catalog.permanent(name.parts)
    if isinstance(entry, View):
        raise ValidationError("ALTER TABLE for a view is not allowed", range=name.range)
    if entry is None and not statement.if_exists:
        raise ValidationError(
            f"Table {quoted_path(call, name)} doesn't exist or is a temporary table.", range=name.range
        )
    return entry


def quoted_path(call: Call, name: Name) -> str:
    """Return the full name of a table or view, each part in backquotes."""
    return ".".join(map(quoted_name, call.environment.catalog.path(name.parts)))


def _with_options(table: Table, options: dict[str, str]) -> Table:
    return replace(table, options=tuple(options.items()), traits=None)


def _reset(table: Table, change: sql.ResetOptions) -> Table:
    if not change.keys:
        raise ValidationError("ALTER TABLE RESET does not support empty key", range=change.range)
    if "connector" in change.keys:
        raise ValidationError("ALTER TABLE RESET does not support changing 'connector'", range=change.range)
    return _with_options(table, {k: v for k, v in table.options if k not in change.keys})


def alter_view(call: Call, statement: sql.AlterView) -> TableResult:
    """Run ALTER VIEW ... RENAME TO, or ALTER VIEW ... AS."""
    name, catalog = statement.view, call.environment.catalog
    entry = catalog.permanent(name.parts)
    if isinstance(entry, Table):
        raise ValidationError("ALTER VIEW for a table is not allowed", range=name.range)
    if entry is None:
        raise ValidationError(
            f"View {quoted_path(call, name)} doesn't exist or is a temporary view.", range=name.range
        )
    if statement.name is not None:
        catalog.rename(entry, statement.name.parts[-1], statement.name.range)
        return OK
    assert statement.query is not None
    context = call.environment.bind_context(call.text)
    catalog.replace(bind_view(name, statement.query, (), entry.comment, False, context))
    return OK


def change_rows(call: Call, statement: sql.ChangeRows) -> TableResult:
    """Refuse TRUNCATE, DELETE or UPDATE with ValidationError, as Flink does for streams."""
    name, kind, catalog = statement.table, statement.kind, call.environment.catalog
    entry = catalog.find(name.parts)
    if kind == "TRUNCATE":
        if entry is None:
            raise ValidationError(
                f"Cannot find table '{quoted_path(call, name)}' in any of the catalogs "
                f"[{', '.join(catalog.catalog_names())}], nor as a temporary table.",
                range=name.range,
            )
        if isinstance(entry, View):
            raise ValidationError("TRUNCATE TABLE for a view is not allowed", range=name.range)
        raise ValidationError(
            "TRUNCATE TABLE statement is not supported in streaming mode.", range=statement.range
        )
    catalog.get(name.parts, name.range)
    raise ValidationError(f"{kind} statement is not supported for streaming mode now.", range=statement.range)


def analyze_table(call: Call, statement: sql.AnalyzeTable) -> TableResult:
    """Refuse ANALYZE TABLE with ValidationError, as Flink does for streams."""
    name = statement.table
    entry = call.environment.catalog.permanent(name.parts)
    if entry is None:
        raise ValidationError(
            f"Table {quoted_path(call, name)} doesn't exist or is a temporary table.", range=name.range
        )
    if isinstance(entry, View):
        raise ValidationError("ANALYZE TABLE for a view is not allowed", range=name.range)
    keys = [key.parts[0] for key in statement.partition]
    if sorted(keys) != sorted(entry.partition_keys):
        raise ValidationError(
            "Invalid ANALYZE TABLE statement. For partition table, all partition keys should be specified "
            f"explicitly. The given partition keys: [{','.join(keys)}] are not match the target partition "
            f"keys: [{','.join(entry.partition_keys)}].",
            range=name.range,
        )
    for column in statement.columns:
        if all(c.name != column.parts[0] for c in entry.columns):
            raise ValidationError(
                f"Column: {column} does not exist in the table: {quoted_path(call, name)}.",
                range=column.range,
            )
    raise ValidationError("ANALYZE TABLE is not supported for streaming mode now", range=statement.range)
