"""Handlers of CREATE, ALTER, DROP, USE, DESCRIBE for catalogs and databases.

Error messages and column names are those of Flink's operation classes, such as CreateDatabaseOperation.
"""

from __future__ import annotations

from firesteel.catalog.databases import Database, check_options
from firesteel.catalog.schema import Table
from firesteel.errors import ValidationError
from firesteel.plan.tree import Field
from firesteel.session import show
from firesteel.session.context import Call
from firesteel.session.result import OK, RowsResult, TableResult
from firesteel.sql import catalog_statements as sql
from firesteel.sql.statements import Show, Use
from firesteel.types.sql import STRING


def create_database(call: Call, statement: sql.CreateDatabase) -> TableResult:
    """Run CREATE DATABASE."""
    name = statement.database
    database = Database(statement.comment or "", dict(statement.options))
    call.environment.catalog.create_database(name.parts, database, statement.if_not_exists, name.range)
    return OK


def alter_database(call: Call, statement: sql.AlterDatabase) -> TableResult:
    """Run ALTER DATABASE ... SET."""
    name = statement.database
    call.environment.catalog.alter_database(name.parts, dict(statement.options), name.range)
    return OK


def drop_database(call: Call, statement: sql.DropDatabase) -> TableResult:
    """Run DROP DATABASE."""
    name = statement.database
    call.environment.catalog.drop_database(
        name.parts, if_exists=statement.if_exists, cascade=statement.cascade, range=name.range
    )
    return OK


def create_catalog(call: Call, statement: sql.CreateCatalog) -> TableResult:
    """Run CREATE CATALOG."""
    name = statement.catalog
    call.environment.catalog.create_catalog(
        name.parts[0], dict(statement.options), statement.comment, statement.if_not_exists, name.range
    )
    return OK


def drop_catalog(call: Call, statement: sql.DropCatalog) -> TableResult:
    """Run DROP CATALOG."""
    name = statement.catalog
    call.environment.catalog.drop_catalog(name.parts[0], statement.if_exists, name.range)
    return OK


def alter_catalog(call: Call, statement: sql.AlterCatalog) -> TableResult:
    """Run ALTER CATALOG with SET, RESET or COMMENT. As in Flink, a wrong option is an error, but set."""
    name = statement.catalog
    for key in statement.reset or ():
        if key == "type":
            raise ValidationError(
                "ALTER CATALOG RESET does not support changing 'type'", range=statement.range
            )
    if statement.reset == ():
        raise ValidationError("ALTER CATALOG RESET does not support empty key", range=statement.range)
    entry = call.environment.catalog.catalogs.get(name.parts[0])
    if entry is None or entry.options is None:
        raise ValidationError(f"Catalog {name} does not exist in the catalog store.", range=name.range)
    entry.options.update(statement.options or ())
    for key in statement.reset or ():
        entry.options.pop(key, None)
    check_options(entry.options, statement.range)
    if statement.comment is not None:
        entry.comment = statement.comment
    return OK


def describe_catalog(call: Call, statement: sql.DescribeCatalog) -> TableResult:
    """Return the rows of DESCRIBE CATALOG: name, type and comment; with EXTENDED also the other options."""
    name = statement.catalog
    entry = call.environment.catalog.created_catalog(name.parts[0], name.range)
    options = entry.options or {}
    rows: list[list[str | None]] = [
        ["name", name.parts[0]],
        ["type", options.get("type", "")],
        ["comment", entry.comment],
    ]
    if statement.extended:
        rows += [[f"option:{key}", value] for key, value in sorted(options.items()) if key != "type"]
    return RowsResult([Field("info name", STRING), Field("info value", STRING)], rows)


def show_create_catalog(call: Call, statement: Show) -> TableResult:
    """Return the answer of SHOW CREATE CATALOG."""
    assert statement.name is not None
    name = statement.name.parts[0]
    entry = call.environment.catalog.created_catalog(name, statement.name.range)
    return show.create_catalog(name, entry)


def show_databases(call: Call, statement: Show) -> list[str]:
    """Return the names for SHOW DATABASES [FROM catalog]."""
    name = statement.name
    if name is None:
        return call.environment.catalog.database_names()
    return call.environment.catalog.database_names(name.parts[-1], name.range)


def place_of(call: Call, statement: Show) -> tuple[str, str] | None:
    """Return the (catalog, database) that SHOW TABLES FROM names; None if it names none.

    Raises:
        ValidationError: The database does not exist; the text is Flink's.
    """
    catalog, name = call.environment.catalog, statement.name
    if name is None:
        return None
    if len(name.parts) > 2:
        raise ValidationError(
            f"SHOW {statement.what} from/in identifier [ {name} ] format error, it should be "
            "[catalog_name.]database_name.",
            range=name.range,
        )
    place = catalog.database_path(name.parts)
    if not catalog.has_catalog(place[0]):
        raise ValidationError(f"Catalog {place[0]} does not exist", range=name.range)
    if not catalog.has_database(*place):
        raise ValidationError(f"Database '{place[0]}'.'{place[1]}' doesn't exist.", range=name.range)
    return place


def show_partitions(call: Call, statement: Show) -> TableResult:
    """Return the empty answer of SHOW PARTITIONS: no statement adds partitions.

    Raises:
        ValidationError: The table does not exist or is not partitioned.
    """
    name = statement.name
    assert name is not None
    catalog, database, last = call.environment.catalog.path(name.parts)
    entry = call.environment.catalog.find(name.parts)
    if entry is None:
        raise ValidationError(
            f"Table (or view) {database}.{last} does not exist in Catalog {catalog}.", range=name.range
        )
    if not isinstance(entry, Table) or not entry.partition_keys:
        raise ValidationError(
            f"Table {database}.{last} in catalog {catalog} is not partitioned.", range=name.range
        )
    return show.names("partition name", [])


def no_procedures(statement: Show) -> list[str]:
    """Refuse SHOW PROCEDURES with ValidationError, as Flink's in-memory catalog does."""
    raise ValidationError(
        "listProcedures is not implemented for class org.apache.flink.table.catalog.GenericInMemoryCatalog.",
        range=statement.range,
    )


def use(call: Call, statement: Use) -> TableResult:
    """Run USE or USE CATALOG."""
    catalog, name = call.environment.catalog, statement.name
    if statement.kind == "CATALOG":
        catalog.use_catalog(name.parts[-1], name.range)
    else:
        catalog.use_database(name.parts, name.range)
    catalog.functions.database = f"{catalog.current_catalog}.{catalog.current_database}"
    return OK
