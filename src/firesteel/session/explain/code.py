"""Code of a job, as `firesteel explain --code` prints it below the plans."""

from __future__ import annotations

from collections.abc import Iterator

from firesteel.job.spec import ChainSpec, JobSpec, Output, Partitioning, sink_id
from firesteel.runtime.dataflow.operator_registry import code
from firesteel.runtime.spec.tables import ScanSpec
from firesteel.session.context import Environment
from firesteel.session.jobs import job_of
from firesteel.session.planning import plan_all
from firesteel.sql.statements import Insert, Query, StatementSet


def explain_code(environment: Environment, statement: Query | Insert | StatementSet, text: str) -> str:
    """Return the chains of the job, each operator with its DuckDB SQL or its generated handler."""
    inserts = statement.inserts if isinstance(statement, StatementSet) else (statement,)
    plans = plan_all(environment, inserts, text, collect=isinstance(statement, Query))
    job = job_of(environment, [each.physical for each in plans])
    lines = ["== Code =="]
    for chain in job.chains:
        lines += _chain(chain, job)
    return "\n".join(lines) + "\n"


def _chain(chain: ChainSpec, job: JobSpec) -> Iterator[str]:
    yield f"-- chain {chain.id}: {_head(chain)}"
    for operator in chain.operators:
        yield from code(operator)
    for output in chain.outputs:
        yield f"-- {_output(output, job)}"
    yield ""


def _head(chain: ChainSpec) -> str:
    source = chain.source
    if source is None:
        return f"reads chain {', '.join(str(each.of) for each in chain.inputs)}"
    if isinstance(source, ScanSpec):
        columns = ", ".join(f"f{i} = {source.names[p]}" for i, p in enumerate(source.projection))
        return f"reads {source.table} ({columns})"
    return "literal rows"


def _output(output: Output, job: JobSpec) -> str:
    if output.to < 0:
        table = job.sinks[sink_id(output.to)].table
        return f"to the sink {table}" if table else "to the sink"
    if output.partitioning is Partitioning.FORWARD:
        return f"to chain {output.to}, in the same task"
    keys = ", ".join(f"f{i}" for i in output.keys)
    return f"exchange by {keys}" if keys else "exchange to a single task"
