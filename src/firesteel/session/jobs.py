"""Execution of physical plans: the job that runs them, and its result."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from firesteel.background import in_thread
from firesteel.job.lower.dead_letters import TABLE as DEAD_LETTERS
from firesteel.job.lower.dead_letters import dead_letter_table
from firesteel.job.lower.job import TranslateOptions, translate
from firesteel.job.lower.late_rows import LATE_ROWS
from firesteel.job.spec import JobSpec
from firesteel.jobs.job import Job
from firesteel.plan.nodes.physical import Sink
from firesteel.plan.tree import Field, Node
from firesteel.rules.mini_batch.mini_batch_options import mini_batch_options
from firesteel.session.background import in_background
from firesteel.session.context import Call, Environment
from firesteel.session.graph.job_graph import Origins
from firesteel.session.live.live_rows import shown
from firesteel.session.result import ChangesResult, InsertResult
from firesteel.session.running.host_settings import keeps_state
from firesteel.session.running.running_job import Running

if TYPE_CHECKING:
    from firesteel.session.planning import Plans


def job_of(
    environment: Environment,
    plans: Sequence[Node],
    names: tuple[str, ...] | None = None,
    origins: Origins | None = None,
    *,
    stateful: bool = True,
) -> JobSpec:
    """Return the job that runs physical plans.

    Args:
        environment: The session.
        plans: The roots of the plans.
        names: Column names of a query. The optimizer's rules may have removed them from the plan. None for
            INSERTs.
        origins: List to which each operator is appended with its plan node, None if not needed.
        stateful: Whether state is kept in checkpoints (TranslateOptions).
    """
    configuration = environment.configuration
    mini_batch = mini_batch_options(configuration)
    dead_letters = dead_letter_table(environment.catalog, configuration.get(DEAD_LETTERS))
    options = TranslateOptions(
        time_zone=environment.time_zone,
        ttl=configuration.get("table.exec.state.ttl"),
        bundle=mini_batch.size if mini_batch else 0,
        names=names,
        configuration=configuration,
        reuse=configuration.get("table.optimizer.reuse-sub-plan-enabled"),
        reuse_sources=configuration.get("table.optimizer.reuse-source-enabled"),
        watermark_interval=configuration.get("pipeline.auto-watermark-interval"),
        idle_timeout=configuration.get("table.exec.source.idle-timeout"),
        min_cleanup=configuration.get("table.exec.interval-join.min-cleanup-interval"),
        dead_letters=dead_letters,
        late_rows=dead_letters is not None and configuration.get(LATE_ROWS),
        origins=origins,
        stateful=stateful,
    )
    return translate(plans, options)


def run_query(call: Call, plans: Plans, text: str, record: Job) -> ChangesResult:
    """Return the changes of a query. The job starts when they are first read.

    Args:
        call: The execution of the statement.
        plans: The query's plans. Column names are those of the logical plan, because the physical plan may
            have lost them.
        text: The query's text, by which it finds its checkpoint.
        record: The job's record.
    """
    environment = call.environment
    names = tuple(column.name for column in plans.logical.schema)
    origins: Origins = []
    job = job_of(environment, [plans.physical], names, origins, stateful=keeps_state(environment))
    running = Running(call, job, text, record)
    running.register([plans.physical], origins)
    schema = [Field(name, each.type) for name, each in zip(names, plans.physical.schema, strict=True)]
    changes = shown(record, schema, running.changes(), environment.time_zone)
    width: Any = environment.configuration.get("table.display.max-column-width")
    return ChangesResult(
        schema,
        in_background(changes, running.cancel),
        max_width=width,
        time_zone=environment.time_zone,
        cancel=running.cancel,
        bounded=running.bounded,
        record=record,
    )


def run_inserts(call: Call, plans: Sequence[Node], text: str, record: Job) -> InsertResult:
    """Start an INSERT, or the INSERTs of a statement set as one job, in the background.

    Args:
        call: The execution of the statement.
        plans: The physical plans, each with a Sink as its root.
        text: The statement's text, by which it finds its checkpoint.
        record: The job's record.
    """
    environment = call.environment
    sinks = [".".join(p.table.path) for p in plans if isinstance(p, Sink)]
    origins: Origins = []
    job = job_of(environment, plans, None, origins, stateful=keeps_state(environment))
    running = Running(call, job, text, record)
    running.register(plans, origins)
    return InsertResult(sinks, in_thread(partial(_finish, running)), running.cancel, record)


def _finish(running: Running) -> None:
    """Run the job to its end, and cancel it if this fails."""
    try:
        running.finish()
    except BaseException:
        with suppress(Exception):  # an error of `cancel` must not hide the job's error
            running.cancel()
        raise
