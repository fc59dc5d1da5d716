"""DuckDB's answers over the rows that are left."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cache
from typing import Any

import duckdb

from tests.cases.changes import normal
from tests.properties.joins.histories import COLUMNS, Table

Answer = Counter[tuple[str, ...]]


@cache
def database() -> duckdb.DuckDBPyConnection:
    """Return a database in memory, the same each time: to open one takes longer than most queries."""
    return duckdb.connect(":memory:", config={"threads": 1})


class Oracle:
    """Tables of a database in memory with the rows that are left of some tables, until the next Oracle."""

    def __init__(self, tables: Sequence[Table]) -> None:
        self._connection = database()
        for (name,) in self._connection.execute("SHOW TABLES").fetchall():
            self._connection.execute(f"DROP TABLE {name}")
        columns = ", ".join(
            f"{name} {each.sql.replace('STRING', 'VARCHAR')}" for name, each in COLUMNS.items()
        )
        places = ", ".join("?" * len(COLUMNS))
        for table in tables:
            self._connection.execute(f"CREATE TABLE {table.name} ({columns})")
            if table.live:
                self._connection.executemany(f"INSERT INTO {table.name} VALUES ({places})", table.live)

    def rows(self, sql: str) -> Answer:
        """Return the rows of a query."""
        return Counter(tuple(map(text, row)) for row in self._connection.execute(sql).fetchall())


def text(value: Any) -> str:
    """Return a value as answers are compared."""
    if value is None:
        return "<NULL>"
    return str(value).upper() if isinstance(value, bool) else normal(str(value))
