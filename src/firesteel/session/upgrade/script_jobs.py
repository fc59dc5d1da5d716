"""Planning of a script: the jobs of its queries and INSERTs. No job is run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from firesteel.errors import NotSupportedError, SourceRange
from firesteel.job.spec import JobSpec
from firesteel.plan.nodes import physical
from firesteel.plan.tree import Node
from firesteel.plan.varying import varying_call
from firesteel.session.checkpoints import statement_text
from firesteel.session.environment import TableEnvironment
from firesteel.session.graph.job_graph import Origins
from firesteel.session.jobs import job_of
from firesteel.session.planning import plan, plan_all
from firesteel.spark.checkpoint.statements import Identity
from firesteel.spark.upgrade.statement import ScriptJob
from firesteel.sql import catalog_statements as catalog_sql
from firesteel.sql import statements as sql

_SHOWING = (
    *(sql.Show, sql.Describe, sql.Explain),
    *(catalog_sql.ShowJobs, catalog_sql.DescribeJob, catalog_sql.StopJob, catalog_sql.DescribeCatalog),
)
"""Statements that are skipped, because they do not change the meaning of later statements."""


@dataclass(frozen=True)
class PlannedStatement:
    """A query or INSERT of a script.

    Attributes:
        job: Its job.
        plans: Its physical plans.
        origins: Its operators with their plan nodes.
        range: Position of the statement in the script.
    """

    job: ScriptJob
    plans: tuple[Node, ...]
    origins: Origins
    range: SourceRange


def planned_statement(
    identity: Identity, job: JobSpec, plans: Sequence[Node], origins: Origins, range: SourceRange
) -> PlannedStatement:
    """Return the planned statement of a job, for an upgrade or an explanation.

    Args:
        identity: Identity by which the statement finds its folder in a checkpoint.
        job: Its job.
        plans: The roots of its physical plans.
        origins: Its operators with their plan nodes.
        range: Position of the statement in the script.
    """
    varies = next(filter(None, map(varying_call, plans)), None)
    of_script = ScriptJob(identity, job, _sink_modes(plans), varies)
    return PlannedStatement(of_script, tuple(plans), origins, range)


def script_jobs(environment: TableEnvironment, text: str) -> list[PlannedStatement]:
    """Return the jobs of a script. Its definitions and options take effect in the session.

    Args:
        environment: A new session.
        text: The script.

    Raises:
        SqlError: A statement is wrong.
        NotSupportedError: The script has a CREATE TABLE AS, which would run a job.
    """
    found: list[PlannedStatement] = []
    seen = Counter[tuple[str, str | None]]()
    for statement in environment.parse(text):
        if isinstance(statement, (sql.Query, sql.Insert, sql.StatementSet)):
            plans, names = _plans(environment, statement, text)
            origins: Origins = []
            job = job_of(environment, plans, names, origins)
            about = statement_text(statement, text), job.target
            identity = Identity(*about, seen[about])
            seen[about] += 1
            found.append(planned_statement(identity, job, plans, origins, statement.range))
        elif isinstance(statement, sql.CreateTable) and statement.query is not None:
            raise NotSupportedError("the upgrade of a script with CREATE TABLE AS", range=statement.range)
        elif not isinstance(statement, _SHOWING):
            environment.execute(statement, text)
    return found


def _plans(
    environment: TableEnvironment, statement: sql.Query | sql.Insert | sql.StatementSet, text: str
) -> tuple[list[Node], tuple[str, ...] | None]:
    """Return the physical plans of a statement, and the column names of a query (None for INSERTs)."""
    if isinstance(statement, sql.Query):
        found = plan(environment, statement, text, collect=True)
        return [found.physical], tuple(column.name for column in found.logical.schema)
    inserts = statement.inserts if isinstance(statement, sql.StatementSet) else (statement,)
    return [each.physical for each in plan_all(environment, inserts, text)], None


def _sink_modes(plans: Sequence[Node]) -> dict[str, str]:
    sinks = (root.table for root in plans if isinstance(root, physical.Sink))
    return {".".join(table.path): table.traits.sink_mode for table in sinks if table.traits is not None}
