"""Logical and physical plans of statements."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from firesteel.bind.query import bind_query
from firesteel.bind.statements.insert import bind_insert
from firesteel.catalog.schema import Table
from firesteel.config.registry import Configuration
from firesteel.connectors.registry import validate_table
from firesteel.errors import NotSupportedError
from firesteel.plan.nodes import logical
from firesteel.plan.tree import Node, walk
from firesteel.rules import optimize_all
from firesteel.rules.program import Trace
from firesteel.session.context import Environment
from firesteel.session.inspection.state_table import with_state_tables
from firesteel.sql.parser import parse_query
from firesteel.sql.statements import Insert, Query

RUNTIME_MODE = "execution.runtime-mode"
ONE_VALUE = {
    RUNTIME_MODE: "--show table prints the rows that are left",
    "table.column-expansion-strategy": "name the columns that are wanted",
    "table.exec.legacy-cast-behaviour": "TRY_CAST is NULL where CAST fails",
    "table.legacy-nested-row-nullability": None,
    "table.sql-dialect": None,
}
"""Options whose default is the only supported value, because another value changes the results of queries.

The value here is the hint of the error for another value, None for no hint.
"""


@dataclass(frozen=True)
class Plans:
    """The two plans of a query. For an INSERT, their roots are Sinks."""

    logical: Node
    """The plan as bound, before any rule."""
    physical: Node
    """The plan after all rules."""


def plan(environment: Environment, statement: Query | Insert, text: str, *, collect: bool = False) -> Plans:
    """Bind and optimize a query or an INSERT.

    Args:
        environment: The session.
        statement: The statement.
        text: The text that it was parsed from.
        collect: Whether a query's updates must come with their old rows (UPDATE_BEFORE).

    Raises:
        NotSupportedError: An option changes the query's meaning, such as batch mode: every query streams.
    """
    return plan_all(environment, [statement], text, collect=collect)[0]


def plan_all(
    environment: Environment,
    statements: Sequence[Query | Insert],
    text: str,
    *,
    collect: bool = False,
    trace: Trace | None = None,
) -> list[Plans]:
    """Bind and optimize the INSERTs of a statement set together, so that their plans share scans.

    Other arguments and errors: see `plan`.

    Args:
        trace: Called after each program of the optimizer that changed a plan.
    """
    _check_meaning(environment.configuration)
    bound = [bind(environment, statement, text) for statement in statements]
    physical = optimize_all(bound, environment.configuration, collect=collect, trace=trace)
    return [Plans(a, b) for a, b in zip(bound, physical, strict=True)]


def _check_meaning(configuration: Configuration) -> None:
    for key, hint in ONE_VALUE.items():
        if not configuration.has_default(key):
            raise NotSupportedError(f"'{key}' = '{configuration[key]}' is not supported", hint=hint)


def bind(environment: Environment, statement: Query | Insert, text: str) -> Node:
    """Return the logical plan of a statement, after the connectors have checked its tables."""
    environment.time_zone  # noqa: B018 - raises for an invalid zone, which CREATE accepts
    context = environment.bind_context(text)
    query = with_state_tables(environment, statement.query)
    bound = (
        bind_insert(replace(statement, query=query), context)
        if isinstance(statement, Insert)
        else bind_query(query, context)
    )
    for table in _tables(bound):
        if table.traits is None:
            validate_table(table)
    return bound


def bind_text(environment: Environment, query: str) -> Node:
    """Return the logical plan of a query, given as text."""
    return bind(environment, parse_query(query), query)


def _tables(root: Node) -> list[Table]:
    return [n.table for n in walk(root) if isinstance(n, (logical.Scan, logical.Sink))]
