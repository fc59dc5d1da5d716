"""From SQL to plans without Spark and without connectors: what the tests of the planner share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from firesteel.bind.names import BindContext
from firesteel.bind.query import bind_query
from firesteel.bind.statements.ddl import bind_create_table
from firesteel.bind.statements.insert import bind_insert
from firesteel.catalog.catalog import Catalog
from firesteel.catalog.schema import SourceTraits, Table
from firesteel.changelog import ALL, INSERT_ONLY, UPSERT
from firesteel.connectors.filesystem.source import METADATA
from firesteel.explain import explain
from firesteel.plan.tree import Node
from firesteel.rules import optimize
from firesteel.sql.parser import parse_script, parse_statement
from firesteel.sql.statements import CreateTable, Insert, Query

GOLDEN = Path(__file__).parents[1] / "golden" / "rules"

_METADATA = tuple(METADATA.items())
_TRAITS = {
    "json": SourceTraits(INSERT_ONLY, pushes_filter=True, writable=True, metadata=_METADATA),
    "canal-json": SourceTraits(ALL, pushes_filter=True, writable=True, sink_mode="all", metadata=_METADATA),
    "print": SourceTraits(INSERT_ONLY, readable=False, writable=True, sink_mode="requested"),
    "blackhole": SourceTraits(INSERT_ONLY, readable=False, writable=True, sink_mode="no-update-before"),
    "datagen": SourceTraits(INSERT_ONLY, pushes_projection=False),
    "upsert": SourceTraits(UPSERT, writable=True, sink_mode="upsert"),
}


def tables(ddl: str) -> Catalog:
    """The tables of a script; a table's traits are those of its format, or of its connector."""
    catalog = Catalog()
    for statement in parse_script(ddl):
        assert isinstance(statement, CreateTable)
        catalog.create(_with_traits(bind_create_table(statement, BindContext(catalog, sql=ddl))))
    return catalog


def _with_traits(table: Table) -> Table:
    options = dict(table.options)
    return replace(table, traits=_TRAITS[options.get("format") or options["connector"]])


def plan(
    sql: str, catalog: Catalog, configuration: Mapping[str, str] | None = None, collect: bool = False
) -> tuple[Node, Node]:
    """The bound query or INSERT, and its physical plan."""
    statement = parse_statement(sql)
    context = BindContext(catalog, sql=sql)
    if isinstance(statement, Insert):
        bound: Node = bind_insert(statement, context)
    else:
        assert isinstance(statement, Query)
        bound = bind_query(statement.query, context)
    return bound, optimize(bound, configuration or {}, collect)


def section(text: str, title: str) -> str:
    """The lines below a heading of EXPLAIN's answer."""
    return text.split(f"== {title} ==\n")[1].split("\n== ")[0].strip("\n")


def tree_and_plan(text: str) -> tuple[str, str]:
    """The abstract syntax tree and the physical plan of EXPLAIN's answer."""
    return section(text, "Abstract Syntax Tree"), section(text, "Optimized Physical Plan")


def physical_text(
    sql: str, catalog: Catalog, changelog: bool = False, settings: Mapping[str, str] | None = None
) -> str:
    """The optimized physical plan as EXPLAIN prints it."""
    bound, physical = plan(sql, catalog, settings)
    details = {"CHANGELOG_MODE"} if changelog else set()
    return section(explain(bound, physical, details), "Optimized Physical Plan")
