"""CREATE [OR REPLACE] TABLE ... AS (Flink: CreateTableASOperation, ReplaceTableAsOperation)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from firesteel.bind.statements.create_table_as import bind_create_table_as
from firesteel.errors import ValidationError
from firesteel.session.alter import quoted_path, with_traits
from firesteel.session.context import Call
from firesteel.sql.statements import CreateTable, Insert


def create(call: Call, statement: CreateTable) -> Insert:
    """Create or replace the table, and return the INSERT that fills it.

    As in Flink, the table stays if the INSERT fails.
    """
    table, insert = bind_create_table_as(statement, call.environment.bind_context(call.text))
    catalog, name = call.environment.catalog, statement.table
    if statement.must_exist and catalog.permanent(name.parts) is None:
        raise ValidationError(
            f"The table {quoted_path(call, name)} to be replaced doesn't exist. You can try to use CREATE "
            "TABLE AS statement or CREATE OR REPLACE TABLE AS statement.",
            range=name.range,
        )
    if statement.replace:
        catalog.drop("TABLE", name.parts, if_exists=True, range=name.range)
    catalog.create(with_traits(table), statement.if_not_exists, name.range)
    return insert


@contextmanager
def created(call: Call, statement: CreateTable) -> Iterator[Insert]:
    """Create the table within the `with` block only, for EXPLAIN. Yield the INSERT that would fill it."""
    catalog = call.environment.catalog
    before = catalog.permanent(statement.table.parts)
    try:
        yield create(call, statement)
    finally:
        if catalog.permanent(statement.table.parts) is not before:
            catalog.drop("TABLE", statement.table.parts, if_exists=True)
            if before is not None:
                catalog.create(before)
