"""Reading of a dead-letter table, or of a view that has the columns of such a table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from firesteel.catalog.schema import Table
from firesteel.changelog import KIND, RowKind, field
from firesteel.connectors.dead_letters import COLUMNS
from firesteel.connectors.replay import RawMessage
from firesteel.errors import UsageError, ValidationError
from firesteel.job.lower.dead_letters import TABLE
from firesteel.session.environment import TableEnvironment
from firesteel.session.launch import CHECKPOINT, HOST, NAME
from firesteel.session.planning import bind_text
from firesteel.session.result import ChangesResult

_NEEDED = ("source_id", "source_position", "raw_bytes")
_OPTIONAL = ("raw_key", "message_time", "row_kind")
_WHOLE_TOPIC = {
    "scan.startup.mode": "earliest-offset",
    "scan.bounded.mode": "latest-offset",
    "properties.isolation.level": "read_committed",
}
"""Options for reading a topic from its beginning to its current end."""
_OF_JOBS = (CHECKPOINT, HOST, NAME, TABLE)
"""Options that a script sets for its own jobs. The query that reads the dead-letter table ignores them."""


@dataclass(frozen=True)
class KeptLetter:
    """One row of a dead-letter table."""

    source_id: str | None
    """Identity of the source of the message (connectors/dead_letters.py); None if the row has none."""
    message: RawMessage
    """The message."""
    is_row: bool
    """Whether this is a row that could not be written, instead of a message."""


def dead_letter_table(environment: TableEnvironment) -> str | None:
    """Return the value of the session's option for the dead-letter table, None if it is not set."""
    name: str | None = environment.configuration.get(TABLE)
    return name


def read_letters(environment: TableEnvironment, table: str) -> list[KeptLetter]:
    """Return the rows of a dead-letter table, one KeptLetter for each row.

    Args:
        environment: The session.
        table: Name of the table or view, as written in SQL.

    Raises:
        ValidationError: The table does not exist, or a column is missing or has another type.
        UsageError: The table is not bounded; or it is a view whose query updates or deletes rows.
    """
    reader = TableEnvironment.create(environment.spark, configuration=_options(environment))
    reader.catalog, reader.own_process = environment.catalog, environment.own_process
    columns = _columns(reader, table)
    names = ", ".join(f"`{name}`" for name in columns)
    result = reader.execute_sql(f"SELECT {names} FROM {table}{_hint(reader, table)}")
    assert isinstance(result, ChangesResult)
    if not result.is_bounded:
        result.cancel()
        raise UsageError(
            f"'{table}' has no end: dead letters are read up to the end of their table",
            hint="set 'scan.bounded.mode' of a topic that a view reads; of files leave "
            "'source.monitor-interval' out",
        )
    return [letter for changes in result.changes for letter in _letters(changes, columns, table)]


def _options(environment: TableEnvironment) -> dict[str, str]:
    return {key: value for key, value in environment.options.items() if key not in _OF_JOBS}


def _columns(reader: TableEnvironment, table: str) -> list[str]:
    """Return the columns to read. Raises ValidationError if one is missing or has another type."""
    found = {column.name: column.type for column in bind_text(reader, f"SELECT * FROM {table}").schema}
    for name in _NEEDED:
        if name not in found:
            raise ValidationError(
                f"Dead letters of '{table}' cannot be replayed: it has no column '{name}'.",
                hint=f"a table needs the columns {', '.join(_NEEDED)} before its job runs",
            )
    wanted = [name for name in (*_NEEDED, *_OPTIONAL) if name in found]
    for name in wanted:
        if found[name].with_nullable(True) != COLUMNS[name]:
            raise ValidationError(
                f"Dead letters of '{table}' cannot be replayed: the column '{name}' is {found[name]}, and "
                f"must be {COLUMNS[name]}."
            )
    return wanted


def _hint(reader: TableEnvironment, table: str) -> str:
    """Return the SQL hint for reading a topic up to its current end, "" for other tables."""
    found = reader.catalog.find(tuple(part.strip("`") for part in table.split(".")))
    if not isinstance(found, Table) or dict(found.options).get("connector") != "kafka":
        return ""
    return " /*+ OPTIONS(" + ", ".join(f"'{key}' = '{value}'" for key, value in _WHOLE_TOPIC.items()) + ") */"


def _letters(changes: pa.Table, columns: Sequence[str], table: str) -> Iterator[KeptLetter]:
    if any(kind != RowKind.INSERT for kind in changes[KIND].unique().to_pylist()):
        raise UsageError(f"the rows of '{table}' change: dead letters are read from a table that only grows")
    values = {name: _values(changes[field(place)], name) for place, name in enumerate(columns)}
    none = [None] * changes.num_rows
    for number in range(changes.num_rows):
        value, key, time, kind = (
            values.get(name, none)[number] for name in ("raw_bytes", "raw_key", "message_time", "row_kind")
        )
        message = RawMessage(values["source_position"][number] or "", value, key, time)
        yield KeptLetter(values["source_id"][number], message, kind is not None)


def _values(column: pa.ChunkedArray, name: str) -> list[Any]:
    if name == "message_time":
        column = column.cast(pa.timestamp("ms", tz="UTC")).cast(pa.int64())
    found: list[Any] = column.to_pylist()
    return found
