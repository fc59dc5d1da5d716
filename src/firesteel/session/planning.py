"""From a statement to its plans, and from the physical plan to a job."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from firesteel.bind.insert import bind_insert
from firesteel.bind.query import bind_query
from firesteel.catalog.schema import Table
from firesteel.connectors.registry import validate_table
from firesteel.errors import NotSupportedError
from firesteel.plan import logical
from firesteel.plan.tree import Node, walk
from firesteel.rules import optimize_all
from firesteel.session.context import Environment
from firesteel.sql.parser import parse_query
from firesteel.sql.statements import Insert, Query

RUNTIME_MODE = "execution.runtime-mode"


@dataclass(frozen=True)
class Plans:
    """A query before and after the rules; its root is a Sink for an INSERT."""

    logical: Node
    physical: Node


def plan(environment: Environment, statement: Query | Insert, text: str, *, collect: bool = False) -> Plans:
    """Bind and optimize. collect: the rows of a bare query are wanted with their old values.

    Raises NotSupportedError in batch mode: every query here streams.
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
    mode = environment.configuration.get(RUNTIME_MODE)
    if mode != "STREAMING":
        raise NotSupportedError(
            f"'{RUNTIME_MODE}' = '{mode}' is not supported", hint="--show table prints the rows that are left"
        )
    bound = [bind(environment, statement, text) for statement in statements]
    physical = optimize_all(bound, environment.configuration, collect=collect)
    return [Plans(a, b) for a, b in zip(bound, physical, strict=True)]


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
