"""Writes tables of databases: the Sink of the connector `jdbc`.

A task writes its part of a batch in one transaction, which also notes the batch's number in a table beside
it: a batch that is tried again finds it there and leaves all out. Where several parts are written in one
process they share a transaction, in which each has a number of its own. As readers see no more than the end
of a transaction, of a table with a key the last change of each key is written.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa

from firesteel.changelog import RowKind
from firesteel.connectors.base import ONCE, Commits
from firesteel.connectors.jdbc.database import Database, TryAgainError
from firesteel.connectors.jdbc.identity import table_identities
from firesteel.connectors.jdbc.options import JdbcOptions
from firesteel.connectors.jdbc.values import to_database
from firesteel.connectors.last_changes import last_of_each_key
from firesteel.connectors.print_format import lines
from firesteel.connectors.unwritable import is_of_values, unwritable
from firesteel.errors import FiresteelError, JobError
from firesteel.runtime.spec import KIND, SinkSpec
from firesteel.runtime.spec import field as field_name

BATCHES = "firesteel_batches"
_CREATE = (
    f"CREATE TABLE {BATCHES} (job VARCHAR(64) NOT NULL, task INTEGER NOT NULL, batch BIGINT NOT NULL, "
    "PRIMARY KEY (job, task))"
)
_FORGET = f"DELETE FROM {BATCHES} WHERE job = :job"
_NOTED = f"SELECT batch FROM {BATCHES} WHERE job = :job AND task = :task"
_NOTE = f"INSERT INTO {BATCHES} (job, task, batch) VALUES (:job, :task, :batch)"
_NOTE_NEXT = f"UPDATE {BATCHES} SET batch = :batch WHERE job = :job AND task = :task AND batch < :batch"
_GONE = (int(RowKind.UPDATE_BEFORE), int(RowKind.DELETE))


@dataclass(frozen=True)
class _Statement:
    """SQL to run for each row of a changes table. fields: its parameters."""

    sql: str
    changes: pa.Table
    fields: tuple[int, ...]


@dataclass(frozen=True)
class _Part:
    """What one task writes. place: the parameters by which its number is noted. written: all its rows, for
    they are written again where a connection breaks."""

    place: dict[str, Any]
    written: list[pa.Table] = field(default_factory=list)


@dataclass(frozen=True)
class _Delivery:
    """A part as SQL."""

    place: dict[str, Any]
    statements: Sequence[_Statement]


class JdbcSink:
    """A Sink (connectors/base.py)."""

    commits = Commits.TASKS
    on_driver = False

    def __init__(self, spec: SinkSpec, options: JdbcOptions) -> None:
        self._spec = spec
        self._options = options
        self._database = Database(options)
        self._parts: list[_Part] = []
        self._job = ""

    # --- in a task ---------------------------------------------------------------------------------
    def open_task(self, job: str, batch: int, partition: int) -> None:
        self._parts.append(_Part({"job": job, "task": partition, "batch": batch}))

    def write(self, changes: pa.Table) -> None:
        if changes.num_rows:
            self._parts[-1].written.append(changes)

    def close_task(self) -> str:
        """Raises JobError with the row that the database refuses, or where the database stays away."""
        parts, self._parts = self._parts, []
        deliveries = [_Delivery(part.place, list(self._statements(part.written))) for part in parts]
        try:
            self._database.run(lambda connection: self._deliver(connection, deliveries))
        except self._database.refusals as error:
            first = error
        else:
            return ""
        statements = [statement for delivery in deliveries for statement in delivery.statements]
        try:
            found = self._database.rolled_back(lambda c: self._culprit(c, statements, first))
        except self._database.refusals:  # the database has gone meanwhile
            found = self._database.error(first)
        raise found

    def abort_task(self) -> None:
        """Its transaction has ended with the error."""
        self._parts = []

    def _statements(self, written: Sequence[pa.Table]) -> Iterator[_Statement]:
        if not written:
            return
        dialect, spec, table = self._options.dialect, self._spec, self._options.table
        changes, everything = pa.concat_tables(written), tuple(range(len(spec.names)))
        if not spec.primary_key:
            yield _Statement(dialect.insert(table, spec.names), changes, everything)
            return
        last = last_of_each_key(changes, spec.primary_key)
        gone = np.isin(last[KIND].to_numpy(), _GONE)
        names = [spec.names[position] for position in spec.primary_key]
        yield _Statement(dialect.delete(table, names), last.filter(pa.array(gone)), spec.primary_key)
        yield _Statement(dialect.upsert(table, spec.names, names), last.filter(pa.array(~gone)), everything)

    def _deliver(self, connection: Any, deliveries: Sequence[_Delivery]) -> None:
        for delivery in deliveries:
            if self._is_new(connection, delivery.place):
                for statement in delivery.statements:
                    for _, rows in self._pieces(statement):
                        connection.execute(self._database.text(statement.sql), rows)

    def _is_new(self, connection: Any, place: dict[str, Any]) -> bool:
        """Note a batch. Of two transactions at the same one the second waits here.

        Args:
            connection: In a transaction.
            place: The job, the task and the batch's number.

        Returns:
            Whether it was not noted before.

        Raises:
            TryAgainError: Another transaction has noted the task meanwhile.
            JobError: The database refuses to note it.
        """
        text = self._database.text
        try:
            if connection.execute(text(_NOTE_NEXT), place).rowcount:
                return True
            if connection.execute(text(_NOTED), place).first() is not None:
                return False
            connection.execute(text(_NOTE), place)
        except self._database.refusals as error:
            if self._database.is_key_conflict(error):
                raise TryAgainError(error) from None
            if self._database.may_pass(error):
                raise
            raise self._not_noted(error) from None
        return True

    def _not_noted(self, error: Any) -> FiresteelError:
        """The error where a batch's number cannot be written, without which the batch is not either."""
        made = self._database.error(error, f"no batch can be noted in {BATCHES}: ")
        made.hint = (
            f"the user needs SELECT, INSERT, UPDATE and DELETE on {BATCHES}, which is to have been made by: "
            f"{_CREATE}"
        )
        return made

    def _pieces(self, statement: _Statement) -> Iterator[tuple[int, list[dict[str, Any]]]]:
        """The parameters of rows that are sent together, and the number of the first of them."""
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
        """The columns as the driver takes them. Raises whatever a value gives that Python does not have."""
        as_text = self._options.dialect.as_text
        return [to_database(changes[field_name(each)], self._spec.types[each], as_text) for each in fields]

    def _unwritable(self, error: Exception, changes: pa.Table, fields: Sequence[int]) -> FiresteelError:
        columns = tuple(zip(self._spec.names, self._spec.types, strict=True))
        return unwritable(
            error, self._spec.table, columns, changes, lambda rows: self._parameters(rows, fields)
        )

    def _culprit(self, connection: Any, statements: Sequence[_Statement], error: Any) -> FiresteelError:
        """The error with the row for which it comes when all is tried again; else as it was."""
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
        """See that the table is there. Raises JobError."""
        names = self._spec.names
        probe = f"{self._options.dialect.select(self._options.table, names, None)} WHERE 1 = 0"
        self._ask(probe)

    def open(self, job: str) -> None:
        """See that the table is there, and the one for batches' numbers. Raises JobError."""
        self._job = job
        self.check()
        if not self._database.has_table(BATCHES):
            self._create()
        try:
            self._database.rolled_back(self._try_to_note)
        except self._database.refusals as error:
            raise self._not_noted(error) from None

    def _try_to_note(self, connection: Any) -> None:
        """Note a batch of no job: what the user may not do shows before the first batch."""
        for sql in (_NOTE_NEXT, _NOTED, _NOTE):
            connection.execute(self._database.text(sql), {"job": "", "task": 0, "batch": 0})

    def _ask(self, sql: str, **parameters: Any) -> None:
        """Run SQL now or never."""
        self._database.once(lambda connection: connection.execute(self._database.text(sql), parameters))

    def _create(self) -> None:
        try:
            self._ask(_CREATE)
        except JobError as error:
            if self._database.has_table(BATCHES):  # another job was faster
                return
            raise JobError(
                f"The table {BATCHES}, by which no batch is written twice, cannot be made: {error.message}",
                hint=f"make it: {_CREATE}",
            ) from None

    def identities(self) -> dict[str, str]:
        return table_identities(self._database, self._options, self._options.table, BATCHES)

    def commit(self, batch: int, tokens: Sequence[str]) -> None:
        """No other run goes on with a job without a checkpoint: its numbers can go."""
        if self._job.startswith(ONCE):
            self._database.run(
                lambda connection: connection.execute(self._database.text(_FORGET), {"job": self._job})
            )

    def abort(self, batch: int, tokens: Sequence[str]) -> None:
        return None
