"""Execution of physical plans: choice of the host, its settings, and the result."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from firesteel.background import in_thread
from firesteel.config.restart import SAME_ERROR
from firesteel.errors import FiresteelError, JobError, UnavailableError, UsageError
from firesteel.explain.sections import explain_physical
from firesteel.job.lower.dead_letters import TABLE as DEAD_LETTERS
from firesteel.job.lower.dead_letters import dead_letter_table
from firesteel.job.lower.job import TranslateOptions, translate
from firesteel.job.lower.late_rows import LATE_ROWS
from firesteel.job.spec import JobSpec
from firesteel.job.steps import step_names
from firesteel.jobs.job import Job
from firesteel.jobs.job_file import JobFile
from firesteel.jobs.registry import JOBS
from firesteel.plan.nodes.physical import Sink
from firesteel.plan.tree import Field, Node
from firesteel.rules.mini_batch.mini_batch_options import MiniBatch, mini_batch_options
from firesteel.sensitive import redacted
from firesteel.session.background import in_background
from firesteel.session.context import Environment, Watch
from firesteel.session.graph.job_graph import Origins, about_job
from firesteel.session.launch import CHECKPOINT, HOST, NAME
from firesteel.session.live.live_rows import shown
from firesteel.session.option_places import locate_in_job
from firesteel.session.preflight import STARTING, await_spark
from firesteel.session.restart.options import restart_strategy
from firesteel.session.restart.supervisor import Restart, Supervisor
from firesteel.session.result import ChangesResult, InsertResult
from firesteel.spark.checkpoint.position import position_of
from firesteel.spark.errors import from_spark, is_sparks
from firesteel.spark.launch import launch
from firesteel.spark.progress import Progress
from firesteel.spark.shipped_code import hand_on_secrets
from firesteel.spark.stream.delivered_rows import DeliveredRows

if TYPE_CHECKING:
    from firesteel.session.planning import Plans
    from firesteel.spark.launch.launch import Spark
    from firesteel.spark.stream.host import StreamJob
from firesteel.spark.stream.settings import StreamSettings

_AGAIN_SECONDS = 0.2
"""Seconds between two attempts to cancel a job."""
_DEFAULT_PATH = "default_catalog.default_database."


def job_name(environment: Environment, job: JobSpec) -> str:
    """Return the name of a job in Spark and in metrics: `pipeline.name`, or its script and its sinks."""
    named: str | None = environment.configuration.get(NAME)
    if named:
        return named
    sinks = "select" if job.target is None else job.target.replace(_DEFAULT_PATH, "")
    return f"{environment.script}: {sinks}" if environment.script else sinks


class Running:
    """One job on its host. Call `changes` once; `cancel` may be called from any thread."""

    def __init__(
        self, environment: Environment, job: JobSpec, watch: Watch | None, text: str, record: Job
    ) -> None:
        self._environment = environment
        self._job = job
        self._text = redacted(text)
        self._resumes = CHECKPOINT in environment.options
        self._strategy = restart_strategy(environment.configuration, has_checkpoint=self._resumes)
        self._given = DeliveredRows()
        self._settings: StreamSettings | None = None
        self._progress = Progress(watch, name=job_name(environment, job), steps=step_names(job))
        self.record = record
        self._group: str | None = None
        self._stream: StreamJob | None = None
        self._file = JobFile(record, lambda: environment.spark.context)
        self._spark: Spark | None = None
        self._has_run = False
        self._cancelled, self._ended = threading.Event(), threading.Event()

    def register(self, plans: Sequence[Node], origins: Origins) -> None:
        """Attach counters, plans and the description to the job's record."""
        plan = partial(explain_physical, plans, ("CHANGELOG_MODE",))
        about = about_job(self._environment, self._job, plans, origins)
        JOBS.planned(self.record, self._progress, plan, self.cancel, about)

    def changes(self) -> Iterator[pa.Table]:
        """Run the job, over restarts, and yield its changes as they arrive. A job with a sink yields none."""
        error: BaseException | None = None
        try:
            yield from self._changes()
        except Exception as failure:
            error = failure
            raise
        except BaseException:  # The caller has stopped reading.
            self._cancelled.set()
            raise
        finally:
            self.record.end(error, cancelled=self._cancelled.is_set())
            self._file.end(error)
            self._ended.set()

    def _changes(self) -> Iterator[pa.Table]:
        supervisor = Supervisor(
            self._strategy,
            self._environment.configuration.get(SAME_ERROR),
            resumes=self._resumes,
            tell=self._tell_restart,
            cancelled=self._cancelled,
        )
        yield from supervisor.run(self._attempt, self._position)

    def _attempt(self) -> Iterator[pa.Table]:
        """Run the job once, from its checkpoint or from the beginning."""
        self._stream, self._group = None, None
        try:
            yield from self._once()
        except FiresteelError as error:
            raise self._failed(error) from error.__cause__
        except Exception as error:
            if self._spark is None or not is_sparks(error):
                raise
            raise self._failed(from_spark(error, self._job, goes_on=self._resumes)) from error

    def _failed(self, error: FiresteelError) -> FiresteelError:
        """Return an error of the job with its position in the script, and set whether a restart may help."""
        spark = self._spark
        if spark is not None and not self._cancelled.is_set() and error.restarts and spark.end_if_broken():
            if spark.was_up:
                error = JobError("Spark has ended", hint="the kernel's log (dmesg) says if memory ran out")
            was_there = spark.was_up or self._has_run
            error.restarts = was_there and spark.is_owned and not self._environment.frames
        if isinstance(error, UnavailableError) and not self._has_run:
            error.restarts = False  # The first start has failed, so the options may be wrong.
        if not self._resumes and not self._given.is_empty:
            error.restarts = False  # The caller would get rows twice.
        locate_in_job(error, self._environment.catalog, self._job)
        return error

    def _position(self) -> str:
        """Return the number and end offsets of the job's current micro-batch, in words for an error."""
        checkpoint = None if self._settings is None else self._settings.checkpoint
        return position_of(checkpoint, self._progress.batch)

    def _tell_restart(self, restart: Restart) -> None:
        self._environment.tell_restart(restart)
        self.record.restart(restart.cause)
        self._progress.restart(f"restart {restart.attempt}", resumes=self._resumes)
        self._file.save()

    def _once(self) -> Iterator[pa.Table]:
        host = host_of(self._job, self._environment)
        self._progress.streams = host == launch.STREAM
        self._progress.resumable = self._resumes
        self._progress.enter(STARTING)
        self._spark = self._environment.spark
        if self._environment.own_process or not self._spark.has_started:
            await_spark(self._spark, self._environment, self._job, self._text, self._progress.enter)
        hand_on_secrets((self._job,), self._spark)
        self._progress.enter("planning the stream" if host == launch.STREAM else "")
        self._has_run = True
        if not self._cancelled.is_set():
            self.record.run()
            yield from self._batch() if host == launch.BATCH else self._start_stream().results()

    def _batch(self) -> Iterator[pa.Table]:
        from firesteel.spark.batch import host as batch_host

        settings = batch_host.BatchSettings(_parallelism(self._environment), self._text)
        self._group = settings.group
        for changes in batch_host.run(self._job, self._environment.spark, settings, self._progress):
            self._given.note(0, changes.num_rows)
            yield changes

    def _start_stream(self) -> StreamJob:
        from firesteel.spark.stream import host as stream_host

        if self._settings is None:
            self._settings = stream_settings(self._environment, self._job, self._text)
        self._stream = stream_host.start(
            self._job,
            self._environment.spark,
            self._settings,
            self._progress,
            self._environment.frames,
            self._given,
        )
        self._file.begin(self._settings.checkpoint)
        if self._cancelled.is_set():
            self._stream.stop()
        return self._stream

    def finish(self) -> None:
        """Run the job to its end. The sinks take its changes."""
        for _ in self.changes():
            pass

    @property
    def bounded(self) -> bool:
        return self._job.bounded

    def cancel(self) -> None:
        """Stop the job. If it has not started yet, it will not start."""
        self._cancelled.set()
        if self._stream is not None:
            self._stream.stop()
        elif self._group is not None:
            threading.Thread(target=self._cancel_group, args=(self._group,), daemon=True).start()

    def _cancel_group(self, group: str) -> None:
        """Cancel the job group until the job has ended: Spark ignores a cancel before the job exists."""
        assert self._spark is not None
        while not self._spark.has_ended:
            with suppress(Exception):  # Spark is ending, and its jobs with it
                self._spark.context.cancelJobGroup(group)
            if self._ended.wait(_AGAIN_SECONDS):
                return


def stream_settings(environment: Environment, job: JobSpec, text: str) -> StreamSettings:
    """Return the settings of the stream host for a job.

    Args:
        environment: The session.
        job: The job.
        text: The statement's text. Each statement has its own folder in a checkpoint.
    """
    checkpoint = environment.options.get(CHECKPOINT)
    if checkpoint is not None:
        checkpoint = environment.known_statements.folder(environment.spark.context, checkpoint, job, text)
    mini_batch = mini_batch_options(environment.configuration)
    return replace(
        read_limits(environment),
        checkpoint=checkpoint,
        parallelism=_parallelism(environment),
        key_groups=_number(environment, "pipeline.max-parallelism"),
        trusts_others=environment.configuration.get("firesteel.checkpoint.allow-writable-by-others"),
        interval=mini_batch.latency if mini_batch else 0,
        statement=text,
        recovery=environment.configuration.get("firesteel.sink-recovery"),
        source_recovery=environment.configuration.get("firesteel.source-recovery"),
        replay=environment.replay,
        script=environment.kept_script,
    )


def read_limits(environment: Environment) -> StreamSettings:
    """Return settings of the stream host that hold the limits of a micro-batch, and nothing else."""
    from firesteel.spark.machine_memory import default_batch_bytes
    from firesteel.spark.stream.settings import StreamSettings

    mini_batch = mini_batch_options(environment.configuration)
    return StreamSettings(
        max_rows=_most_rows(environment, mini_batch),
        least_rows=1 if mini_batch is None else mini_batch.size,
        max_bytes=_number(environment, "firesteel.source.max-bytes-per-batch") or default_batch_bytes(),
    )


def _most_rows(environment: Environment, mini_batch: MiniBatch | None) -> int:
    """Return how many rows a source gives to a micro-batch; 0 if the option is not set.

    The limit is at least one bundle of mini-batch, because the end of a micro-batch ends the bundle.
    """
    rows = _number(environment, "firesteel.source.max-rows-per-batch")
    return max(rows, mini_batch.size) if rows and mini_batch is not None else rows


def _parallelism(environment: Environment) -> int:
    """Return the parallelism of SQL operators if it is above 0, else that of the job; 0 means the default."""
    of_operators = _number(environment, "table.exec.resource.default-parallelism")
    return of_operators if of_operators > 0 else _number(environment, "parallelism.default")


def _number(environment: Environment, key: str) -> int:
    """Return the value of an option, or 0 if it is not set: the host has its own default."""
    configuration = environment.configuration
    return int(configuration.get(key)) if key in configuration else 0


def host_of(job: JobSpec, environment: Environment) -> str:
    """Return the host of a job: `batch` if it is bounded and has no checkpoint, else `stream`.

    The option firesteel.host overrides this.

    Raises:
        UsageError: The option asks for `batch`, and the query never ends.
    """
    wanted: str = environment.configuration.get(HOST)
    if wanted not in (launch.BATCH, launch.STREAM):
        return launch.BATCH if job.bounded and CHECKPOINT not in environment.options else launch.STREAM
    if wanted == launch.BATCH and not job.bounded:
        raise UsageError(
            f"'{HOST}' = 'batch' cannot run a query that never ends", hint="leave the option out, or 'stream'"
        )
    return wanted


def job_of(
    environment: Environment,
    plans: Sequence[Node],
    names: tuple[str, ...] | None = None,
    origins: Origins | None = None,
) -> JobSpec:
    """Return the job that runs physical plans.

    Args:
        environment: The session.
        plans: The roots of the plans.
        names: Column names of a query, which rules may have dropped from the plan.
        origins: List to which each operator is appended with its plan node, None if not needed.
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
    )
    return translate(plans, options)


def run_query(
    environment: Environment, plans: Plans, text: str, watch: Watch | None, record: Job
) -> ChangesResult:
    """Return the changes of a query. The job starts when they are first read.

    Args:
        environment: The session.
        plans: The query's plans. The logical one has the column names, which the physical may have dropped.
        text: The query's text, by which it finds its checkpoint.
        watch: Function that is called with the job's progress.
        record: The job's record.
    """
    names = tuple(column.name for column in plans.logical.schema)
    origins: Origins = []
    job = job_of(environment, [plans.physical], names, origins)
    running = Running(environment, job, watch, text, record)
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


def run_inserts(
    environment: Environment, plans: Sequence[Node], text: str, watch: Watch | None, record: Job
) -> InsertResult:
    """Start an INSERT, or the INSERTs of a statement set as one job, in the background.

    Args:
        environment: The session.
        plans: The physical plans, each with a Sink as its root.
        text: The statement's text, by which it finds its checkpoint.
        watch: Function that is called with the job's progress.
        record: The job's record.
    """
    sinks = [".".join(p.table.path) for p in plans if isinstance(p, Sink)]
    origins: Origins = []
    running = Running(environment, job_of(environment, plans, None, origins), watch, text, record)
    running.register(plans, origins)
    return InsertResult(sinks, in_thread(partial(_finish, running)), running.cancel, record)


def _finish(running: Running) -> None:
    """Run the job to its end, and cancel it if this fails."""
    try:
        running.finish()
    except BaseException:
        with suppress(Exception):  # if Spark did not start, only its own error matters
            running.cancel()
        raise
