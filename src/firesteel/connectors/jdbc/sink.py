"""Writes tables of databases: the Sink of the connector `jdbc`.

A task writes its rows of a micro-batch in one transaction, which also records the batch's number for this
task in the table `firesteel_batches`. If the batch is tried again and its number is already there, the task
writes no row. If one process runs several tasks, it may write their rows in one common transaction, which
records the number for each of these tasks. Readers see a table only after a transaction, never between two of
its changes. So if a table has a primary key, a task writes only its last change of each key.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa

from firesteel.changelog import KIND, RowKind
from firesteel.changelog import field as field_name
from firesteel.connectors.base import Commits, Sink
from firesteel.connectors.jdbc.batches import BATCHES, Batches
from firesteel.connectors.jdbc.database import Database
from firesteel.connectors.jdbc.identity import table_identities
from firesteel.connectors.jdbc.options import JdbcOptions
from firesteel.connectors.jdbc.refused_rows import refused_rows
from firesteel.connectors.jdbc.values import to_database
from firesteel.connectors.last_changes import last_of_each_key
from firesteel.connectors.positions import Origin, Position
from firesteel.connectors.print_format import lines
from firesteel.connectors.refused_rows import Refusals, RowsRefusedError, numbered
from firesteel.connectors.unwritable import is_of_values, unwritable
from firesteel.errors import DataError, FiresteelError
from firesteel.runtime.dataflow.sequence import concat
from firesteel.runtime.spec.tables import SinkSpec

_GONE = (int(RowKind.UPDATE_BEFORE), int(RowKind.DELETE))


class _RolledBackError(Exception):
    """Error that rolls back a transaction which only searches for refused rows."""


@dataclass(frozen=True)
class _Statement:
    """SQL to run for each row of `changes`.

    Its parameters are the row's values in some columns. `fields` has the positions of these columns in the
    table.
    """

    sql: str
    changes: pa.Table
    fields: tuple[int, ...]


@dataclass(frozen=True)
class _Part:
    """Rows of one task. They are kept, because they are written again if a connection breaks.

    Attributes:
        job: Name of the job.
        task: Number of the task.
        position: Number of the micro-batch, and the range of source rows it is made from. The transaction
            that writes the rows records both.
        written: The rows, as changes tables.
    """

    job: str
    task: int
    position: Position
    written: list[pa.Table] = field(default_factory=list)


@dataclass(frozen=True)
class _Delivery:
    """The rows of a task, and the statements that write them."""

    part: _Part
    statements: Sequence[_Statement]


class JdbcSink(Sink):
    """Sink that writes rows to a table of a database (connectors/base.py)."""

    commits = Commits.TASKS
    on_driver = False
    notes = True

    def __init__(self, spec: SinkSpec, options: JdbcOptions) -> None:
        self._spec = spec
        self._options = options
        self.place = f"{dict(spec.options)['url']} {options.table}"
        self._database = Database(options)
        self._batches = Batches(self._database)
        self._parts: list[_Part] = []
        self._job = ""
        self._origin = Origin()

    # --- in a task ---------------------------------------------------------------------------------
    def begin_batch(self, origin: Origin) -> None:
        self._origin = origin

    def open_task(self, job: str, batch: int, partition: int) -> None:
        self._parts.append(_Part(job, partition, Position(batch, self._origin)))

    def write(self, changes: pa.Table) -> None:
        if changes.num_rows:
            self._parts[-1].written.append(changes)

    def close_task(self) -> str:
        """Write the rows of the task in one transaction, and return "" as the token for `commit`.

        Raises:
            RowsRefusedError: The database refuses values of some rows. `refusals` gets these rows.
            JobError: The database refuses a statement for another reason, or `refusals` is None (the error
                then names the first refused row), or the database is unreachable for too long.
            DataError: Python or the driver cannot represent a value, and `refusals` is None.
        """
        parts, self._parts = self._parts, []
        deliveries = [_Delivery(part, list(self._statements(part))) for part in parts]
        try:
            self._database.run(lambda connection: self._deliver(connection, deliveries))
        except self._database.refusals as error:
            first = error
        except DataError:
            self._set_aside(deliveries)
            raise
        else:
            return ""
        if self._database.is_of_values(first):
            self._set_aside(deliveries)
        statements = [statement for delivery in deliveries for statement in delivery.statements]
        try:
            found = self._database.rolled_back(lambda c: self._culprit(c, statements, first))
        except self._database.refusals:  # the connection broke, so no row can be named
            found = self._database.error(first)
        raise found

    def abort_task(self) -> None:
        """Drop the rows of the task. No transaction is open: only `close_task` begins one, and ends it."""
        self._parts = []

    def _set_aside(self, deliveries: Sequence[_Delivery]) -> None:
        """Find the rows that the database refuses, and add them to `refusals`. No row is written.

        If `refusals` is None, do nothing. If no row is refused, return normally.

        Raises:
            RowsRefusedError: At least one row is refused.
        """
        refusals = self.refusals
        if refusals is None:
            return
        with suppress(_RolledBackError):
            self._database.run(lambda connection: self._search(connection, refusals, deliveries))
        if refusals.found:
            raise RowsRefusedError

    def _search(self, connection: Any, refusals: Refusals, deliveries: Sequence[_Delivery]) -> None:
        """Add the rows that the database refuses to `refusals`, then raise _RolledBackError."""
        refusals.take()
        columns = tuple(zip(self._spec.names, self._spec.types, strict=True))
        for delivery in deliveries:
            part = delivery.part
            if self._batches.is_new(connection, part.job, part.task, part.position):
                for statement in delivery.statements:
                    write = partial(self._write_rows, statement)
                    most = self._options.flush
                    found = refused_rows(connection, self._database, statement.changes, columns, write, most)
                    refusals.add(part.task, found)
        raise _RolledBackError

    def _write_rows(self, statement: _Statement, connection: Any, rows: pa.Table) -> None:
        for _, parameters in self._pieces(replace(statement, changes=rows)):
            connection.execute(self._database.text(statement.sql), parameters)

    def _statements(self, part: _Part) -> Iterator[_Statement]:
        if not part.written:
            return
        dialect, spec, table = self._options.dialect, self._spec, self._options.table
        changes, everything = concat(part.written), tuple(range(len(spec.names)))
        if self.refusals is not None:
            changes = numbered(changes)
        if not spec.primary_key:
            yield _Statement(dialect.insert(table, spec.names), self._kept(changes, part), everything)
            return
        last = self._kept(last_of_each_key(changes, spec.primary_key), part)
        gone = np.isin(last[KIND].to_numpy(), _GONE)
        names = [spec.names[position] for position in spec.primary_key]
        yield _Statement(dialect.delete(table, names), last.filter(pa.array(gone)), spec.primary_key)
        yield _Statement(dialect.upsert(table, spec.names, names), last.filter(pa.array(~gone)), everything)

    def _kept(self, changes: pa.Table, part: _Part) -> pa.Table:
        """Return the rows without those that the database refused in an earlier attempt (`refusals`)."""
        return changes if self.refusals is None else self.refusals.kept(changes, part.task)

    def _deliver(self, connection: Any, deliveries: Sequence[_Delivery]) -> None:
        for delivery in deliveries:
            part = delivery.part
            if self._batches.is_new(connection, part.job, part.task, part.position):
                for statement in delivery.statements:
                    for _, rows in self._pieces(statement):
                        connection.execute(self._database.text(statement.sql), rows)

    def _pieces(self, statement: _Statement) -> Iterator[tuple[int, list[dict[str, Any]]]]:
        """Yield the parameters of rows to send together, once for each group of such rows.

        The number before the parameters is the position of the group's first row in `statement.changes`.
        """
        for start in range(0, statement.changes.num_rows, self._options.flush):
            piece = statement.changes.slice(start, self._options.flush)
            try:
                columns = self._parameters(piece, statement.fields)
            except Exception as error:
                if not is_of_values(error):
                    raise
                raise self._unwritable(error, piece, statement.fields) from error
            names = [f"p{place}" for place in range(len(columns))]
            yield start, [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]

    def _parameters(self, changes: pa.Table, fields: Sequence[int]) -> list[list[Any]]:
        """Return the columns at the positions `fields` as lists of the values that the driver takes.

        Any error about a value, such as OverflowError, means that Python cannot represent the value.
        """
        as_text = self._options.dialect.as_text
        return [to_database(changes[field_name(each)], self._spec.types[each], as_text) for each in fields]

    def _unwritable(self, error: Exception, changes: pa.Table, fields: Sequence[int]) -> FiresteelError:
        columns = tuple(zip(self._spec.names, self._spec.types, strict=True))
        return unwritable(
            error, self._spec.table, columns, changes, lambda rows: self._parameters(rows, fields)
        )

    def _culprit(self, connection: Any, statements: Sequence[_Statement], error: Any) -> FiresteelError:
        """Write the rows again, and return a JobError that names the first row that the database refuses.

        A statement's rows are written one by one only if they fail together. If no row fails this time, the
        JobError has the text of `error` and names no row. The caller rolls the transaction back.
        """
        for statement in statements:
            text = self._database.text(statement.sql)
            for start, rows in self._pieces(statement):
                try:
                    with connection.begin_nested():
                        connection.execute(text, rows)
                except self._database.refusals:
                    for number, row in enumerate(rows, start):
                        try:
                            connection.execute(text, row)
                        except self._database.refusals as refused:
                            (shown,) = lines(statement.changes.slice(number, 1), self._spec.types)
                            return self._database.error(refused, f"{shown} is refused: ")
        return self._database.error(error)

    # --- on the driver -----------------------------------------------------------------------------
    def check(self) -> None:
        """Check that the table exists. Raises JobError if it does not."""
        names = self._spec.names
        probe = f"{self._options.dialect.select(self._options.table, names, None)} WHERE 1 = 0"
        self._database.once(lambda connection: connection.execute(self._database.text(probe)))

    def open(self, job: str) -> None:
        """Check that the table exists, and create `firesteel_batches` if necessary. Raises JobError."""
        self._job = job
        self.check()
        self._batches.prepare()

    def positions(self, job: str, partitions: int) -> Mapping[int, Position]:
        return self._batches.positions(job)

    def move(self, job: str, positions: Mapping[int, Position]) -> None:
        self._batches.move(job, positions)

    def takes_part(self, tokens: Sequence[str]) -> bool:
        return False

    def identities(self) -> dict[str, str]:
        return table_identities(self._database, self._options, self._options.table, BATCHES)

    def end_run(self) -> None:
        self._batches.forget(self._job)
