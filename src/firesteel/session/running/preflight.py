"""Checks of a job's sources, sinks and checkpoint, made while Spark starts.

Spark takes seconds to start, on a busy machine a minute. The checks do not need Spark. So an error of a
broker, a database or a checkpoint is reported without waiting for Spark.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_EXCEPTION, wait
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

from firesteel.background import in_thread
from firesteel.connectors.registry import open_sink, open_source
from firesteel.errors import UsageError
from firesteel.job.lookups import looked_up
from firesteel.job.spec import JobSpec
from firesteel.notices import say
from firesteel.runtime.spec.tables import ScanSpec, SinkSpec
from firesteel.session.context import Environment
from firesteel.session.launch import CHECKPOINT
from firesteel.session.running.option_places import located, table_of
from firesteel.spark.checkpoint.fingerprint import check_saved, has_saved
from firesteel.spark.checkpoint.lock import local_folder

if TYPE_CHECKING:
    from firesteel.spark.launch.launch import Spark

Check = Callable[[], object]
STARTING = "starting Spark"
_LOOK_SECONDS = 0.25
"""Seconds between two checks of the start's progress."""


def await_spark(
    spark: Spark,
    environment: Environment,
    job: JobSpec,
    statement: str,
    enter: Callable[[str], object] = lambda _: None,
) -> None:
    """Wait until Spark has started and the job's connections and checkpoint are checked.

    Args:
        spark: The Spark.
        environment: The session.
        job: The job.
        statement: Text of the statement, which identifies its checkpoint.
        enter: Called with a text for each phase of the start.

    Raises:
        FiresteelError: The first failure of Spark's start or of a check.
    """
    checks = [in_thread(check) for check in checks_of(environment, job, statement, is_local=spark.is_local)]
    all_ = [*checks, in_thread(partial(getattr, spark, "context"))]
    phase, left = "", {*all_}
    while left and not any(each.exception() for each in all_ if each not in left):
        now = STARTING + (f", waiting for {spark.waits_for}" if all_[-1] in left else ", checking its tables")
        if now != phase:
            enter(phase := now)
        left = wait(all_, _LOOK_SECONDS, return_when=FIRST_EXCEPTION).not_done
    for each in all_:
        if each not in left:
            each.result()


_RESUMED = (
    "[INFO] The query goes on from its checkpoint {}: changes that it has shown before are not shown again. "
    "RESET 'execution.checkpointing.dir' begins without one."
)


def checks_of(environment: Environment, job: JobSpec, statement: str, *, is_local: bool) -> Iterator[Check]:
    """Yield the checks of a job, as functions that raise an error if one fails.

    Args:
        environment: The session. Tables that read one of its DataFrames are not checked.
        job: The job.
        statement: Text of the statement, which identifies its checkpoint.
        is_local: Whether tasks run on this machine. If False, a UsageError of a source passes the check.
    """
    folder = _known_folder(environment, job, statement)
    fresh = CHECKPOINT not in environment.options or (folder is not None and not has_saved(None, folder))
    if folder is not None:
        yield partial(check_saved, None, folder, job, statement)
        if environment.tells_resumed and job.target is None and not fresh:
            say(_RESUMED.format(folder))
    catalog = environment.catalog
    for chain in job.chains:
        if isinstance(chain.source, ScanSpec) and chain.source.table not in environment.frames:
            check = partial(_check_source, chain.source, is_local=is_local, fresh=fresh)
            yield partial(located, check, table_of(catalog, chain.source))
    for scan in looked_up(job):
        yield partial(
            located, partial(_check_source, scan, is_local=is_local, fresh=fresh), table_of(catalog, scan)
        )
    for sink in job.sinks:
        if sink.connector is not None:
            yield partial(located, partial(_check_sink, sink), table_of(catalog, sink))


def _known_folder(environment: Environment, job: JobSpec, statement: str) -> str | None:
    """Return the statement's folder in a checkpoint on this machine, or None if there is none."""
    checkpoint = environment.options.get(CHECKPOINT)
    if checkpoint is None or local_folder(checkpoint) is None or ":/" in checkpoint:
        return None
    return environment.known_statements.folder(None, checkpoint, job, statement)


def _check_source(scan: ScanSpec, *, is_local: bool, fresh: bool) -> None:
    with suppress(*() if is_local else (UsageError,)):  # the client library may be on the executors only
        open_source(scan).check(is_local=is_local, fresh=fresh)


def _check_sink(spec: SinkSpec) -> None:
    open_sink(spec).check()
