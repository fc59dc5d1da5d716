"""SHOW JOBS, DESCRIBE JOB and STOP JOB, and the registration of the jobs that statements start.

Columns are those of Flink's SQL client (OperationExecutor).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pyarrow as pa

from firesteel.errors import ValidationError
from firesteel.jobs.job import Job, Source
from firesteel.jobs.registry import JOBS
from firesteel.plan.tree import Field
from firesteel.sensitive import redacted
from firesteel.session.context import Call
from firesteel.session.result import OK, RowsResult, TableResult
from firesteel.sql.catalog_statements import DescribeJob, ShowJobs, StopJob
from firesteel.sql.statements import Statement
from firesteel.types.sql import STRING, timestamp_ltz
from firesteel.types.text import render

_SCHEMA = tuple(Field(name, STRING) for name in ("job id", "job name", "status", "start time"))


@contextmanager
def registered(call: Call, statement: Statement) -> Iterator[Job]:
    """Yield a new record for the job of a statement. If the `with` block fails, the registry drops it."""
    line, column = statement.range.line_and_column(call.text)
    text = redacted(call.text[statement.range.start : statement.range.end])
    record = JOBS.add(Source(text, call.environment.script, line, column))
    try:
        yield record
    except BaseException:
        JOBS.discard(record)
        raise


def show_jobs(call: Call, statement: ShowJobs) -> TableResult:
    """Return the jobs of the process, oldest first."""
    return _rows(call, JOBS.jobs())


def describe_job(call: Call, statement: DescribeJob) -> TableResult:
    """Return the row of one job, with the columns of SHOW JOBS."""
    return _rows(call, [_find(statement)])


def stop_job(call: Call, statement: StopJob) -> TableResult:
    """Stop a job.

    Raises:
        ValidationError: The job is unknown, or has ended.
    """
    job = _find(statement)
    if not job.stop():
        raise ValidationError(f"Job {job.id} has ended: it is {job.state.value}.", range=statement.id_range)
    return OK


def _find(statement: DescribeJob | StopJob) -> Job:
    job = JOBS.find(statement.id)
    if job is None:
        raise ValidationError(
            f"Job {statement.id} does not exist.",
            range=statement.id_range,
            hint="SHOW JOBS lists the jobs of this process",
        )
    return job


def _rows(call: Call, jobs: list[Job]) -> RowsResult:
    created = pa.array([round(job.created * 1000) for job in jobs], pa.timestamp("ms"))
    times = render(created, timestamp_ltz(3), call.environment.time_zone)
    cells = zip(jobs, times, strict=True)
    return RowsResult(_SCHEMA, [[job.id, job.name, job.state.value, time] for job, time in cells])
