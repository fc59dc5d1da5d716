"""From a statement to its plans, and from the physical plan to a job."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from firesteel.bind.query import bind_query
from firesteel.bind.statements.insert import bind_insert
from firesteel.catalog.schema import Table
from firesteel.config.registry import Configuration
from firesteel.connectors.registry import validate_table
from firesteel.errors import NotSupportedError
from firesteel.plan.nodes import logical
from firesteel.plan.tree import Node, walk
from firesteel.rules import optimize_all
from firesteel.session.context import Environment
from firesteel.sql.parser import parse_query
from firesteel.sql.statements import Insert, Query

RUNTIME_MODE = "execution.runtime-mode"
_ONE_VALUE = {
    RUNTIME_MODE: "--show table prints the rows that are left",
    "table.column-expansion-strategy": "name the columns that are wanted",
    "table.exec.legacy-cast-behaviour": "TRY_CAST is NULL where CAST fails",
    "table.legacy-nested-row-nullability": None,
    "table.sql-dialect": None,
}
"""Options that change what a query means and have their default alone here, with what to do instead."""


@dataclass(frozen=True)
class Plans:
    """A query before and after the rules; its root is a Sink for an INSERT."""

    logical: Node
    physical: Node


def plan(environment: Environment, statement: Query | Insert, text: str, *, collect: bool = False) -> Plans:
    """Bind and optimize. collect: the rows of a bare query are wanted with their old values.

    Raises NotSupportedError where an option gives it another meaning, as batch mode: every query streams.
    """
    return plan_all(environment, [statement], text, collect=collect)[0]


def plan_all(
    environment: Environment,
    statements: Sequence[Query | Insert],
    text: str,
    *,
    collect: bool = False,
) -> list[Plans]:
    """The same for the INSERTs of a statement set, whose plans share their scans."""
    _check_meaning(environment.configuration)
    bound = [bind(environment, statement, text) for statement in statements]
    physical = optimize_all(bound, environment.configuration, collect=collect)
    return [Plans(a, b) for a, b in zip(bound, physical, strict=True)]


def _check_meaning(configuration: Configuration) -> None:
    for key, hint in _ONE_VALUE.items():
        if not configuration.has_default(key):
            raise NotSupportedError(f"'{key}' = '{configuration[key]}' is not supported", hint=hint)


def bind(environment: Environment, statement: Query | Insert, text: str) -> Node:
    """The logical plan, its tables checked by their connectors."""
    environment.time_zone  # noqa: B018 - an invalid one is refused here, by no CREATE
    context = environment.bind_context(text)
    bound = (
        bind_insert(statement, context)
        if isinstance(statement, Insert)
        else bind_query(statement.query, context)
    )
    for table in _tables(bound):
        if table.traits is None:
            validate_table(table)
    return bound


def bind_text(environment: Environment, query: str) -> Node:
    """The logical plan of a query's text."""
    return bind(environment, parse_query(query), query)


def _tables(root: Node) -> list[Table]:
    return [n.table for n in walk(root) if isinstance(n, (logical.Scan, logical.Sink))]
