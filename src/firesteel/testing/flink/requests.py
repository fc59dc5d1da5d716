"""Requests to Flink, and the answers of both engines (program.py has the form of each request)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

Request = dict[str, Any]


def run(sql: str) -> Request:
    """Return the request to execute a statement."""
    return {"do": "run", "sql": sql}


def plan(sql: str) -> Request:
    """Return the request for the plans of a statement, with changelog modes."""
    return {"do": "plan", "sql": f"EXPLAIN CHANGELOG_MODE {sql}"}


def rows(sql: str) -> Request:
    """Return the request for the changes of a query."""
    return {"do": "rows", "sql": sql}


@dataclass
class Answer:
    """The answer of one engine to a statement.

    Attributes:
        error: Message of the error, None if there is none.
        plan: EXPLAIN's text, None if it was not requested.
        rows: The changes of the query: row kind and cells as printed; None if they were not requested.
    """

    error: str | None = None
    plan: str | None = None
    rows: list[list[str]] | None = None

    def add(self, answer: dict[str, Any]) -> None:
        """Add Flink's answer to one of the statement's requests.

        If several requests fail, keep the error of the first one.
        """
        if self.error is None:
            self.error = answer.get("error")
        self.plan = answer.get("plan", self.plan)
        self.rows = answer.get("rows", self.rows)


@dataclass
class Asked:
    """A statement that Flink and Firesteel both answer.

    Attributes:
        line: Line of the script, from 1.
        text: The statement in one line.
        is_definition: Whether the statement only changes the session, such as CREATE TABLE and SET.
        own: Firesteel's answer.
        setup: Requests that must succeed before `requests`, such as those that define tables of files.
        requests: The requests for Flink's answer.
        names: Names of the columns.
        key: Positions of the key columns, by which rows and changes are compared; () for all columns.
        approximate: Positions of columns with floating point numbers.
        compares_changes: Whether to compare the changes of each key in their order, not only the result
            tables. False if the order may vary from run to run.
        notes: Remarks for the report.
        left_out: Why the rows and plans are not compared; None if they are.
    """

    line: int
    text: str
    is_definition: bool = False
    own: Answer = field(default_factory=Answer)
    setup: list[Request] = field(default_factory=list)
    requests: list[Request] = field(default_factory=list)
    names: tuple[str, ...] = ()
    key: tuple[int, ...] = ()
    approximate: tuple[int, ...] = ()
    compares_changes: bool = False
    notes: list[str] = field(default_factory=list)
    left_out: str | None = None
