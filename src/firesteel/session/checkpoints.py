"""Statements of a session, which identify their checkpoint folders (spark/checkpoint/statements.py)."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING

from firesteel.catalog.catalog import Catalog
from firesteel.job.spec import JobSpec
from firesteel.sql.lexer import one_line
from firesteel.sql.statements import Insert, Query, Statement, StatementSet

if TYPE_CHECKING:
    from pyspark import SparkContext

    from firesteel.spark.checkpoint.statements import Identity


class KnownStatements:
    """The queries and INSERTs that a session has run, or that its script will run."""

    def __init__(self) -> None:
        self._texts: list[tuple[str, str | None]] = []
        self._runs: Counter[str] = Counter()
        self._given: dict[tuple[str, Identity], str] = {}
        self._is_whole = False
        self._lock = threading.Lock()

    def expect(self, catalog: Catalog, statements: Iterable[Statement], text: str) -> None:
        """Register the queries and INSERTs of a script before the script runs.

        From then on, `folder` assumes that the session runs only registered queries and INSERTs. So it can
        find a query that has changed: this query has no state in the checkpoint, but the checkpoint has the
        state of an unregistered query. `folder` then raises UsageError. The assumption itself is not checked:
        unregistered statements run, too.

        Args:
            catalog: The catalog, for the paths of the tables that the statements write to.
            statements: Some or all statements of the script.
            text: The text that the statements were parsed from.
        """
        self._is_whole = True
        for statement in statements:
            if isinstance(statement, (Query, Insert, StatementSet)):
                self._texts.append((statement_text(statement, text), target_of(catalog, statement)))

    def folder(self, context: SparkContext | None, checkpoint: str, job: JobSpec, text: str) -> str:
        """Return the folder inside a checkpoint for the job of a statement: with its state, or a new one.

        The statement then counts as run.

        Args:
            context: Spark's context; None before Spark has started, for a checkpoint on this machine.
            checkpoint: The folder of the checkpoint.
            job: The job.
            text: The statement on one line.

        Raises:
            UsageError: The statement is a query without state in the checkpoint, the whole script is
                registered (`expect`), and the checkpoint has the state of a query that is not registered.
        """
        from firesteel.spark.checkpoint.statements import Script, statement_folder

        sink = job.target
        with self._lock:  # INSERTs may start concurrently
            this = self._identity(text, sink)
            self._runs[text] += 1
            if (checkpoint, this) not in self._given:
                script = Script(self._identities(), self._is_whole, frozenset(self._given.values()))
                self._given[checkpoint, this] = statement_folder(context, checkpoint, job, this, script)
            return self._given[checkpoint, this]

    def saved_folder(self, checkpoint: str, job: JobSpec, text: str) -> str | None:
        """Return the folder with the state of a statement that is next to run, None if it has none.

        If several statements have the same text, the first of them that does not count as run is next. Unlike
        `folder`, this method does not count the statement as run.

        Args:
            checkpoint: The folder of the checkpoint, on this machine.
            job: The job.
            text: The statement on one line.
        """
        from firesteel.spark.checkpoint.statements import Script, saved_folder

        with self._lock:
            this = self._identity(text, job.target)
            return saved_folder(None, checkpoint, job, this, Script(self._identities(), self._is_whole))

    def skip(self, text: str) -> None:
        """Count a statement as run, although it does not run.

        If several statements of the script have the same text, `folder` and `saved_folder` go on to the next
        of them. `text` is the statement on one line.
        """
        with self._lock:
            self._runs[text] += 1

    def _identity(self, text: str, sink: str | None) -> Identity:
        """Return the identity by which a statement finds its checkpoint folder. Register a new statement.

        The identity has a number, which tells statements with the same text and sink apart. It is the number
        of earlier runs of the text, as counted by `folder` and `skip`. But it is less than the count of
        registered statements with this text and sink. If a statement is registered twice:

            run      1st  2nd  3rd
            number   0    1    1

        Args:
            text: The statement on one line.
            sink: Paths of the tables that the statement writes to, None for a query.
        """
        from firesteel.spark.checkpoint.statements import Identity

        if (text, sink) not in self._texts:
            self._texts.append((text, sink))
        return Identity(text, sink, min(self._runs[text], self._texts.count((text, sink)) - 1))

    def _identities(self) -> list[Identity]:
        from firesteel.spark.checkpoint.statements import Identity

        seen: Counter[tuple[str, str | None]] = Counter()
        found = []
        for text, sink in self._texts:
            found.append(Identity(text, sink, seen[(text, sink)]))
            seen[(text, sink)] += 1
        return found


def statement_text(statement: Statement, text: str) -> str:
    """Return the text of a statement on one line."""
    return one_line(text[statement.range.start : statement.range.end])


def target_of(catalog: Catalog, statement: Query | Insert | StatementSet) -> str | None:
    """Return the paths of the tables that a statement writes to; None for a query (JobSpec.target)."""
    if isinstance(statement, Query):
        return None
    inserts = statement.inserts if isinstance(statement, StatementSet) else (statement,)
    return ", ".join(dict.fromkeys(".".join(catalog.path(insert.table.parts)) for insert in inserts))
