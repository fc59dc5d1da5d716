"""The host of a job and its settings, from the options of a session."""

from __future__ import annotations

from dataclasses import replace

from firesteel.errors import UsageError
from firesteel.job.spec import JobSpec
from firesteel.rules.mini_batch.mini_batch_options import MiniBatch, mini_batch_options
from firesteel.session.context import Environment
from firesteel.session.launch import CHECKPOINT, HOST
from firesteel.spark.launch import launch
from firesteel.spark.stream.settings import StreamSettings

_HOSTS = (launch.BATCH, launch.STREAM)


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
        parallelism=parallelism(environment),
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
    """Return settings of the stream host with limits for the rows and bytes that a micro-batch reads.

    All other settings have their defaults.
    """
    from firesteel.spark.machine_memory import default_batch_bytes

    mini_batch = mini_batch_options(environment.configuration)
    return StreamSettings(
        max_rows=_most_rows(environment, mini_batch),
        least_rows=1 if mini_batch is None else mini_batch.size,
        max_bytes=_number(environment, "firesteel.source.max-bytes-per-batch") or default_batch_bytes(),
    )


def _most_rows(environment: Environment, mini_batch: MiniBatch | None) -> int:
    """Return the maximum number of rows that a source reads in a micro-batch, 0 if the option is not set.

    If the option is set and mini-batches are on, the result is at least the size of a bundle. The end of a
    micro-batch ends a bundle, too. So with fewer rows no bundle could become full.
    """
    rows = _number(environment, "firesteel.source.max-rows-per-batch")
    return max(rows, mini_batch.size) if rows and mini_batch is not None else rows


def parallelism(environment: Environment) -> int:
    """Return `table.exec.resource.default-parallelism` if it is above 0, else `parallelism.default`.

    0 stands for the host's default.
    """
    of_operators = _number(environment, "table.exec.resource.default-parallelism")
    return of_operators if of_operators > 0 else _number(environment, "parallelism.default")


def _number(environment: Environment, key: str) -> int:
    """Return the value of an option, or 0 if it is not set: the host has its own default."""
    configuration = environment.configuration
    return int(configuration.get(key)) if key in configuration else 0


def keeps_state(environment: Environment) -> bool:
    """Return True if a bounded job runs on the stream host, False if it runs on the batch host.

    Only the stream host keeps state in checkpoints. If the option firesteel.host is `batch` or `stream`, it
    chooses the host. Otherwise, the stream host is chosen if the option for the checkpoint's folder is set.
    """
    wanted: str = environment.configuration.get(HOST)
    return CHECKPOINT in environment.options if wanted not in _HOSTS else wanted != launch.BATCH


def host_of(job: JobSpec, environment: Environment) -> str:
    """Return the host of a job: `batch` if it is bounded and has no checkpoint, else `stream`.

    The option firesteel.host overrides this.

    Raises:
        UsageError: The option asks for `batch`, and the query never ends.
    """
    wanted: str = environment.configuration.get(HOST)
    if wanted not in _HOSTS:
        return launch.BATCH if job.bounded and CHECKPOINT not in environment.options else launch.STREAM
    if wanted == launch.BATCH and not job.bounded:
        raise UsageError(
            f"'{HOST}' = 'batch' cannot run a query that never ends", hint="leave the option out, or 'stream'"
        )
    return wanted
