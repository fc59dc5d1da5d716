"""Search for the rows that a database refuses, after a statement with many rows has failed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pyarrow as pa

from firesteel.connectors.jdbc.database import Database
from firesteel.connectors.refused_rows import RefusedRow, RowError, refused_by_halves, refused_row
from firesteel.errors import DataError
from firesteel.types.sql import SqlType

Execute = Callable[[Any, pa.Table], None]
"""Function that writes rows with a statement over a connection."""


def refused_rows(
    connection: Any,
    database: Database,
    changes: pa.Table,
    columns: Sequence[tuple[str, SqlType]],
    execute: Execute,
    most: int,
) -> list[RefusedRow]:
    """Return the rows that the database refuses. The open transaction then contains all other rows.

    The function writes the rows in groups of `most`, each under a savepoint. If the write of a group fails,
    the function rolls back to the savepoint, and writes the two halves of the group in the same way. It goes
    on down to single rows: a single row whose write fails is refused. So if few rows are refused, few writes
    are needed.

    Args:
        connection: A connection with an open transaction.
        database: Database of the connection.
        changes: The rows to write. The column ROW (connectors/refused_rows.py) has the position of each row
            among all rows of the task.
        columns: Name and type of each field of the rows.
        execute: Function that writes some of the rows.
        most: Maximum number of rows in one write.
    """

    def failure(rows: pa.Table) -> Exception | None:
        try:
            with connection.begin_nested():
                execute(connection, rows)
        except DataError as error:
            return error
        except database.refusals as error:
            if not database.is_of_values(error):
                raise
            return RowError(database.error(error).message, type(error.orig).__name__)
        return None

    found = []
    for start in range(0, changes.num_rows, most):
        part = changes.slice(start, most)
        for at, error in refused_by_halves(part, failure):
            found.append(refused_row(part.slice(at, 1), columns, error))
    return found
