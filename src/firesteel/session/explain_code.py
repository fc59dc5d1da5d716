"""The code that a query runs: what `firesteel explain --code` prints below the plans."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from firesteel.runtime.handler import generate
from firesteel.runtime.spec import (
    CalcSpec,
    ChainSpec,
    ChangelogNormalizeSpec,
    ExpandSpec,
    GroupAggregateSpec,
    OperatorSpec,
    ScanSpec,
)
from firesteel.session.jobs import job_of
from firesteel.session.planning import plan
from firesteel.sql.statements import Insert, Query, StatementSet

if TYPE_CHECKING:
    from firesteel.session.environment import TableEnvironment


def explain_code(environment: TableEnvironment, statement: Query | Insert | StatementSet, text: str) -> str:
    """The chains of the jobs, each operator with its DuckDB SQL or its generated handler."""
    inserts = statement.inserts if isinstance(statement, StatementSet) else (statement,)
    lines = ["== Code =="]
    for one in inserts:
        plans = plan(environment, one, text, collect=isinstance(one, Query))
        for chain in job_of(environment, plans.physical).chains:
            lines += _chain(chain)
    return "\n".join(lines) + "\n"


def _chain(chain: ChainSpec) -> Iterator[str]:
    yield f"-- chain {chain.id}: {_head(chain)}"
    for operator in chain.operators:
        yield from _operator(operator)
    if chain.partition_by is None:
        yield "-- to the sink"
    else:
        keys = ", ".join(f"f{i}" for i in chain.partition_by)
        yield f"-- exchange by {keys}" if keys else "-- exchange to a single task"
    yield ""


def _head(chain: ChainSpec) -> str:
    if isinstance(chain.head, tuple):
        return f"reads chain {', '.join(map(str, chain.head))}"
    if isinstance(chain.head, ScanSpec):
        columns = ", ".join(f"f{i} = {chain.head.names[p]}" for i, p in enumerate(chain.head.projection))
        return f"reads {chain.head.table} ({columns})"
    return "literal rows"


def _operator(operator: OperatorSpec) -> Iterator[str]:
    if isinstance(operator, CalcSpec):
        yield "-- Calc, in DuckDB"
        yield "SELECT " + ",\n       ".join(f"{sql} AS f{i}" for i, sql in enumerate(operator.projection))
        if operator.condition is not None:
            yield f"WHERE {operator.condition}"
    elif isinstance(operator, GroupAggregateSpec):
        yield "-- GroupAggregate, row by row"
        yield generate(operator).source.rstrip()
    elif isinstance(operator, ChangelogNormalizeSpec):
        yield f"-- ChangelogNormalize by {', '.join(f'f{i}' for i in operator.keys)}"
    elif isinstance(operator, ExpandSpec):
        yield f"-- Expand, {len(operator.numbers)} copies of each row"
    else:
        yield "-- DropUpdateBefore"
