"""Lookups in a database, which get the rows of many keys in a few queries.

A query numbers the keys, and returns with each row the number of the key that matches the row. So the
database alone decides which values are equal, and the caller compares none. The form of the keys in a query
depends on the database (`Dialect.keys_as`):

- arrays: one array for each key column, for any number of keys. PostgreSQL joins them like a table.
- values: a table of literal rows, which is joined with the looked-up table.
- union: a SELECT for each key, with a condition such as `id = 7`. MySQL needs this form: it compares a column
  by the column's collation if the other operand is a literal, but not if it is a joined column.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa

from firesteel.connectors.jdbc.database import Database
from firesteel.connectors.jdbc.dialects import Dialect
from firesteel.connectors.jdbc.options import JdbcOptions
from firesteel.connectors.jdbc.values import from_database, to_database
from firesteel.errors import DataError
from firesteel.runtime.operators.lookup_join.lookup import FoundRows
from firesteel.runtime.spec.lookup_join import LookupTable

_TOGETHER = {"arrays": 20_000, "values": 1000, "union": 100}
"""Maximum number of keys of one query, by form. Databases limit a union to some hundred SELECTs."""
_PARAMETERS = 32_000
"""Maximum number of parameters of one query. SQLite allows 32,766."""

Query = tuple[str, dict[str, Any]]


class JdbcLookup:
    """Lookup in a table of a database.

    Args:
        table: The table and its keys.
        options: Options of the table.
    """

    def __init__(self, table: LookupTable, options: JdbcOptions) -> None:
        self._table = table
        self._options = options
        self._database = Database(replace(options, retries=options.lookup_retries))

    def find(self, keys: Sequence[pa.Array]) -> FoundRows:
        """Return the rows of all keys, each row with the position of its key in `keys`.

        Args:
            keys: One array for each key column.

        Raises:
            JobError: The database rejects the query, or is unreachable for too long.
            DataError: A value is not of its column's type.
        """
        as_text = self._options.dialect.as_text
        kinds = [self._table.types[key] for key in self._table.keys]
        columns = [
            to_database(pa.chunked_array([column]), kind, as_text)
            for column, kind in zip(keys, kinds, strict=True)
        ]
        try:
            rows = self._database.run(lambda connection: self._asked(connection, columns))
        except self._database.refusals as error:
            raise self._database.error(error, f"{len(columns[0]):,} keys were looked up: ") from None
        return self._found(rows)

    def _asked(self, connection: Any, columns: Sequence[list[Any]]) -> list[Any]:
        """Look up keys in as few queries as possible, and return the found rows.

        A row has the position of its key in `columns`, and then the values of the read columns.

        Args:
            connection: Connection to the database.
            columns: The values of each key column, one for each key.
        """
        found: list[Any] = []
        together = min(_TOGETHER[self._options.dialect.keys_as], _PARAMETERS // (1 + len(columns)))
        for start in range(0, len(columns[0]), together):
            sql, parameters = self._query([column[start : start + together] for column in columns], start)
            found += connection.execute(self._database.text(sql), parameters).fetchall()
        return found

    def _query(self, columns: Sequence[list[Any]], start: int) -> Query:
        scan = self._table.scan
        names = [scan.names[position] for position in scan.projection]
        keys = [names[key] for key in self._table.keys]
        dialect, table = self._options.dialect, self._options.table
        if dialect.keys_as == "arrays":
            kinds = [dialect.array_types[self._table.types[key].root] for key in self._table.keys]
            return by_arrays(dialect, table, names, keys, kinds), {
                "start": start - 1,
                **{f"k{place}": column for place, column in enumerate(columns)},
            }
        write = by_values if dialect.keys_as == "values" else by_union
        parameters: dict[str, Any] = {f"n{row}": start + row for row in range(len(columns[0]))}
        for place, column in enumerate(columns):
            parameters |= {f"k{place}_{row}": value for row, value in enumerate(column)}
        return write(dialect, table, names, keys, len(columns[0])), parameters

    def _found(self, rows: Sequence[Any]) -> FoundRows:
        scan = self._table.scan
        at = np.fromiter((row[0] for row in rows), np.int64, len(rows))
        columns = []
        for place, position in enumerate(scan.projection, 1):
            try:
                columns.append(from_database([row[place] for row in rows], scan.types[position]))
            except ValueError as error:
                raise DataError(
                    f"{self._options.address.shown}, table {self._options.table}, column "
                    f"{scan.names[position]}: {error}"
                ) from None
        return FoundRows.sorted(at, columns)


def by_arrays(
    dialect: Dialect, table: str, names: Sequence[str], keys: Sequence[str], kinds: Sequence[str]
) -> str:
    """Return the query with one array for each key column: `:k0`, `:k1`...

    The query counts the keys from 1 and adds `:start`, so that a key keeps its number among all queries.
    """
    arrays = ", ".join(f"CAST(:k{place} AS {kind}[])" for place, kind in enumerate(kinds))
    asked = ", ".join(f"k{place}" for place in range(len(keys)))
    return (
        f"SELECT asked.n + :start, {_columns(dialect, names)} FROM unnest({arrays}) WITH ORDINALITY "
        f"AS asked({asked}, n) JOIN {dialect.quoted(table)} AS looked ON {_equal(dialect, keys)}"
    )


def by_values(dialect: Dialect, table: str, names: Sequence[str], keys: Sequence[str], rows: int) -> str:
    """Return the query with a literal row for each key. Row 2 is `(:n2, :k0_2, :k1_2)`: number and key."""
    asked = ", ".join(f"k{place}" for place in range(len(keys)))
    literals = ", ".join(f"({', '.join(_parameters(row, len(keys)))})" for row in range(rows))
    return (
        f"WITH asked(n, {asked}) AS (VALUES {literals}) SELECT asked.n, {_columns(dialect, names)} "
        f"FROM asked JOIN {dialect.quoted(table)} AS looked ON {_equal(dialect, keys)}"
    )


def by_union(dialect: Dialect, table: str, names: Sequence[str], keys: Sequence[str], rows: int) -> str:
    """Return the query with a SELECT for each key. The parameters are those of `by_values`."""
    columns, source = _columns(dialect, names), dialect.quoted(table)
    return " UNION ALL ".join(_selects(dialect, columns, source, keys, rows))


def _selects(dialect: Dialect, columns: str, source: str, keys: Sequence[str], rows: int) -> Iterator[str]:
    for row in range(rows):
        number, *values = _parameters(row, len(keys))
        equal = (f"looked.{dialect.quoted(k)} = {value}" for k, value in zip(keys, values, strict=True))
        yield f"SELECT {number}, {columns} FROM {source} AS looked WHERE {' AND '.join(equal)}"


def _parameters(row: int, keys: int) -> list[str]:
    return [f":n{row}", *(f":k{place}_{row}" for place in range(keys))]


def _columns(dialect: Dialect, names: Sequence[str]) -> str:
    return ", ".join(f"looked.{dialect.quoted(name)}" for name in names)


def _equal(dialect: Dialect, keys: Sequence[str]) -> str:
    return " AND ".join(f"looked.{dialect.quoted(key)} = asked.k{place}" for place, key in enumerate(keys))
