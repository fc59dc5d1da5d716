"""One job on its host: its attempts, its restarts, and its record."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import pyarrow as pa

from firesteel.config.restart import SAME_ERROR
from firesteel.errors import FiresteelError, JobError, UnavailableError
from firesteel.explain.sections import explain_physical
from firesteel.job.spec import JobSpec
from firesteel.job.steps import step_names
from firesteel.jobs.job import Job
from firesteel.jobs.job_file import JobFile
from firesteel.jobs.registry import JOBS
from firesteel.plan.tree import Node
from firesteel.sensitive import redacted
from firesteel.session.context import Call, Environment
from firesteel.session.graph.job_graph import Origins, about_job
from firesteel.session.launch import CHECKPOINT, NAME
from firesteel.session.live.sink_rows import sampled
from firesteel.session.restart.options import restart_strategy
from firesteel.session.restart.supervisor import Restart, Supervisor, waited_out
from firesteel.session.running.failed_expression import name_expression, own_text
from firesteel.session.running.host_settings import host_of, parallelism, stream_settings
from firesteel.session.running.option_places import locate_in_job
from firesteel.session.running.preflight import STARTING, await_spark
from firesteel.session.started_jobs import StartedJob
from firesteel.spark.checkpoint.position import position_of
from firesteel.spark.errors import from_spark, is_sparks
from firesteel.spark.launch import launch
from firesteel.spark.progress import Progress
from firesteel.spark.shipped_code import hand_on_secrets
from firesteel.spark.stream.delivered_rows import DeliveredRows
from firesteel.spark.stream.settings import StreamSettings

if TYPE_CHECKING:
    from firesteel.spark.launch.launch import Spark
    from firesteel.spark.stream.host import StreamJob

_AGAIN_SECONDS = 0.2
"""Seconds between two attempts to cancel a job."""
_DEFAULT_PATH = "default_catalog.default_database."


def job_name(environment: Environment, job: JobSpec) -> str:
    """Return the name of a job in Spark and in metrics: `pipeline.name`, or else `<script>: <sinks>`.

    Without a script it is the sinks alone. For a query, `select` stands for the sinks.
    """
    named: str | None = environment.configuration.get(NAME)
    if named:
        return named
    sinks = "select" if job.target is None else job.target.replace(_DEFAULT_PATH, "")
    return f"{environment.script}: {sinks}" if environment.script else sinks


class Running:
    """One job on its host. Call `changes` once; `cancel` may be called from any thread."""

    def __init__(self, call: Call, job: JobSpec, text: str, record: Job) -> None:
        self._environment = environment = call.environment
        self._script = own_text(environment.catalog, call.text)
        self._job = job
        self._text = redacted(text)
        self._resumes = CHECKPOINT in environment.options
        self._strategy = restart_strategy(environment.configuration, has_checkpoint=self._resumes)
        self._given = DeliveredRows()
        self._watched = ""
        self._plans: Sequence[Node] = ()
        self._origins: Origins = []
        self._settings: StreamSettings | None = None
        self._progress = Progress(call.watch, name=job_name(environment, job), steps=step_names(job))
        self.record = record
        self._group: str | None = None
        self._stream: StreamJob | None = None
        self._file = JobFile(record, lambda: environment.spark.context)
        self._spark: Spark | None = None
        self._has_run = False
        self._cancelled, self._ended = threading.Event(), threading.Event()

    def register(self, plans: Sequence[Node], origins: Origins) -> None:
        """Attach counters, plans and the description to the job's record."""
        self._plans, self._origins = plans, origins
        plan = partial(explain_physical, plans, ("CHANGELOG_MODE",))
        self._watched = sampled(self.record, self._job, self._progress, self._environment.time_zone)
        about = about_job(self._environment, self._job, plans, origins)
        JOBS.planned(self.record, self._progress, plan, self.cancel, about)

    def changes(self) -> Iterator[pa.Table]:
        """Run the job, with its restarts, and yield its changes as they arrive. With a sink, yield none."""
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
        """Return the error of a failed attempt, with its position in the script.

        Its attribute `restarts` says whether another attempt may succeed.
        """
        spark = self._spark
        if spark is not None and not self._cancelled.is_set() and error.restarts and spark.end_if_broken():
            if spark.was_up:
                error = JobError("Spark has ended", hint="the kernel's log (dmesg) says if memory ran out")
            was_there = spark.was_up or self._has_run
            error.restarts = was_there and spark.is_owned and not self._environment.frames
        error = waited_out(error, has_worked=self._progress.batches > 0)
        if isinstance(error, UnavailableError) and not self._has_run:
            error.restarts = False  # The first start has failed, so the options may be wrong.
        if not self._resumes and not self._given.is_empty:
            error.restarts = False  # A new attempt would yield rows that the caller has.
        locate_in_job(error, self._environment.catalog, self._job)
        name_expression(error, self._origins, self._environment.time_zone, self._script)
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

        settings = batch_host.BatchSettings(parallelism(self._environment), self._text, self._watched)
        self._group = settings.group
        for changes in batch_host.run(self._job, self._environment.spark, settings, self._progress):
            self._given.note(0, changes.num_rows)
            yield changes

    def _start_stream(self) -> StreamJob:
        from firesteel.spark.stream import host as stream_host

        if self._settings is None:
            found = stream_settings(self._environment, self._job, self._text)
            self._settings = replace(found, watched=self._watched)
            self._remember(self._settings.checkpoint)
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

    def _remember(self, folder: str | None) -> None:
        """Add the job to those of the session that `WHY` can explain."""
        if folder is not None:
            started = StartedJob(self._text, self._job, self._plans, self._origins, folder)
            self._environment.started.add(self.record.id, started)

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
        """Cancel Spark's job group again and again until the job has ended.

        Spark ignores a cancel as long as no Spark job of the group has started.
        """
        assert self._spark is not None
        while not self._spark.has_ended:
            with suppress(Exception):  # fails if Spark is ending, which ends its jobs, too
                self._spark.context.cancelJobGroup(group)
            if self._ended.wait(_AGAIN_SECONDS):
                return
