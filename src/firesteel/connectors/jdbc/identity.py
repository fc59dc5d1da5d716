"""Identities of tables, which show that a table was dropped and created again.

PostgreSQL gives each table a number (its OID), which stays the same through ALTER TABLE, TRUNCATE and VACUUM
FULL. MySQL's and SQLite's numbers and times change with the table's definition or are reused, so they
identify no table.
"""

from __future__ import annotations

from firesteel.connectors.jdbc.database import Database
from firesteel.connectors.jdbc.options import JdbcOptions

_OID = "SELECT CAST(CAST(to_regclass(CAST(:name AS text)) AS oid) AS bigint)"
_WITH_OIDS = "postgresql"


def table_identities(database: Database, options: JdbcOptions, *tables: str) -> dict[str, str]:
    """Return the OID of each existing table as text.

    The key of an entry names table and database, as errors show them. If the database is not PostgreSQL, the
    result is empty.

        {"table orders of jdbc:postgresql://host/shop": "oid 16402"}

    Args:
        database: The database.
        options: Options of the sink.
        tables: Names of the tables.

    Raises:
        JobError: The database does not answer.
    """
    if not options.address.driver.startswith(_WITH_OIDS):
        return {}

    def number(table: str) -> int | None:
        asked = {"name": table}
        found: int | None = database.once(lambda c: c.execute(database.text(_OID), asked).scalar())
        return found

    numbers = {table: number(table) for table in tables}
    shown = options.address.shown
    return {f"table {name} of {shown}": f"oid {oid}" for name, oid in numbers.items() if oid is not None}
