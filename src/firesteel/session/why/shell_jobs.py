"""Search for the statement that `WHY` in the shell explains: that of a job, or one in a checkpoint."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from firesteel.errors import FiresteelError, NotSupportedError, SourceRange, UsageError, ValidationError
from firesteel.jobs.job import JobState
from firesteel.jobs.registry import JOBS
from firesteel.session.environment import TableEnvironment
from firesteel.session.launch import CHECKPOINT
from firesteel.session.started_jobs import StartedJob
from firesteel.session.upgrade.script_jobs import PlannedStatement, planned_statement, script_jobs
from firesteel.session.why.statement import (
    DEFAULT,
    AskedStatement,
    asked_statement,
    checkpoint_folder,
    chosen,
)
from firesteel.spark.checkpoint.fingerprint import check_saved, check_version, read
from firesteel.spark.checkpoint.lock import local_folder
from firesteel.spark.checkpoint.statements import Identity, SavedStatement, saved_statements
from firesteel.spark.checkpoint.trust import OPTION, check_trust
from firesteel.spark.checkpoint.upgrade.kept_script import KeptScript, kept_script
from firesteel.spark.upgrade.repeatable import check_secrets

_GIVE_ONE = f"SET '{CHECKPOINT}' = 'folder' before the statement gives its job a checkpoint"


def statement_writing(environment: TableEnvironment, table: Sequence[str]) -> AskedStatement:
    """Return the statement of the session's last job that writes to a table.

    Args:
        environment: The session.
        table: Name of the table, by its parts.

    Raises:
        UsageError: No job with a checkpoint has written to it.
    """
    path = ".".join(environment.catalog.path(tuple(table)))
    job = environment.started.last_to(path)
    if job is None:
        raise UsageError(
            f"no job of this shell that has a checkpoint writes to {'.'.join(table)}",
            hint=f"{_GIVE_ONE}; WHY CHECKPOINT 'folder' ... asks for a job of another command",
        )
    return _asked(job, path)


def statement_of_job(environment: TableEnvironment, id: str, table: Sequence[str] = ()) -> AskedStatement:
    """Return the statement of a job.

    Args:
        environment: The session, which has started the job.
        id: Number of the job in the registry.
        table: Name of the table that has the row, by its parts; empty for the only one.

    Raises:
        ValidationError: The job does not exist.
        UsageError: The job has no checkpoint, has not begun or is no longer remembered, it does not write to
            `table`, or `table` is empty and it writes to several tables.
        NotSupportedError: Its checkpoint is on another file system.
    """
    record = JOBS.find(id)
    if record is None:
        raise ValidationError(f"Job {id} does not exist.", hint="SHOW JOBS lists the jobs of this process")
    job = environment.started.find(id)
    if job is not None:
        return _asked(job, ".".join(environment.catalog.path(tuple(table))) if table else None)
    if record.about.checkpoint is None:
        raise UsageError(f"job {id} has no checkpoint", hint=_GIVE_ONE)
    if record.state is JobState.INITIALIZING:
        raise UsageError(f"job {id} has not started yet", hint="ask after its first micro-batch")
    raise UsageError(
        f"this shell no longer has the plan of job {id}",
        hint=f"ask for its checkpoint: WHY CHECKPOINT '{record.about.checkpoint}' ...",
    )


def _asked(started: StartedJob, table: str | None) -> AskedStatement:
    identity = Identity(started.text, started.job.target)
    place = SourceRange(0, len(started.text))
    planned = planned_statement(identity, started.job, started.plans, started.origins, place)
    sinks = [sink.table.removeprefix(DEFAULT) for sink in started.job.sinks if not sink.takes_dead_letters]
    if table is None and len(sinks) > 1:
        raise UsageError(
            f"the job writes to several tables: {', '.join(sinks)}",
            hint=f"choose one: SELECT * FROM {sinks[0]} before WHERE",
        )
    if table is not None and table.removeprefix(DEFAULT) not in sinks:
        raise UsageError(
            f"the job does not write to {table.removeprefix(DEFAULT)}",
            hint=f"it writes to {', '.join(filter(None, sinks)) or 'no table: leave SELECT * FROM out'}",
        )
    statement, sink = chosen([planned], table)
    folder = local_folder(started.folder)
    if folder is None:
        raise NotSupportedError(f"`why` for a checkpoint on another file system ({started.folder})")
    saved = read(None, str(folder))
    if saved is None:
        raise UsageError("no micro-batch of the job has begun", hint="ask after its first micro-batch")
    check_version(started.folder, saved)
    layout = check_saved(None, str(folder), started.job, started.text)
    assert layout is not None
    return AskedStatement(statement, sink, folder, layout)


def statement_in(environment: TableEnvironment, checkpoint: str, table: Sequence[str] = ()) -> AskedStatement:
    """Return a statement of a checkpoint, planned with the script that the checkpoint keeps.

    If the checkpoint keeps no script, the statement is planned with the tables of the session.

    Args:
        environment: The session.
        checkpoint: Folder of the checkpoint.
        table: Name of the table that has the row, by its parts; empty for the only one.

    Raises:
        UsageError: One of these cases:
            - The folder is no checkpoint.
            - Users other than this one and root can write to the folder.
            - No statement of the checkpoint writes to `table`.
            - `table` is empty, and the checkpoint's statements have several results (tables or queries).
            - The checkpoint keeps no script, and the session cannot plan the statement.
            - A table of the statement needs a secret, which checkpoints do not keep.
        NotSupportedError: The checkpoint is on another file system.
    """
    folder = checkpoint_folder(checkpoint)
    if not environment.configuration.get(OPTION):
        check_trust(folder, checkpoint)
    saved, name = saved_statements(None, str(folder)), ".".join(table)
    tables = [path for each in saved for path in _tables(each)]
    if not table and len(tables) > 1:
        raise UsageError(
            f"the checkpoint {checkpoint} has several results: {', '.join(tables)}",
            hint=f"choose one: SELECT * FROM {tables[0]} before WHERE",
        )
    fitting = [each for each in saved if not table or name.removeprefix(DEFAULT) in _tables(each)]
    if not fitting:
        raise UsageError(
            f"the checkpoint {checkpoint} has no result {name}", hint=f"it has {', '.join(tables)}"
        )
    script = kept_script(Path(fitting[0].folder))
    if script is None:
        planned = _planned_here(environment, fitting, checkpoint)
    else:
        planned = _planned_by(script)
    found = asked_statement(planned, checkpoint, name or None)
    _check_secrets(found, checkpoint)
    return found


def _tables(saved: SavedStatement) -> list[str]:
    """Return the names of the tables that a statement writes to; `query` for a query."""
    return ["query"] if saved.sink is None else [p.removeprefix(DEFAULT) for p in saved.sink.split(", ")]


def _planned_by(script: KeptScript) -> list[PlannedStatement]:
    session = TableEnvironment.create(configuration=script.options)
    session.functions_folder = script.functions_folder
    return script_jobs(session, script.text)


def _planned_here(
    environment: TableEnvironment, saved: Sequence[SavedStatement], checkpoint: str
) -> list[PlannedStatement]:
    """Return saved statements of a checkpoint, planned with the tables of the environment.

    This is for a checkpoint that keeps no script: its statements were run one by one, as in the shell.

    Raises:
        UsageError: A statement cannot be planned with these tables.
    """
    try:
        return script_jobs(environment, "\n".join(f"{each.text};" for each in saved if each.text))
    except FiresteelError as error:
        raise UsageError(
            f"the checkpoint {checkpoint} keeps no script, and this shell cannot plan its statement: "
            f"{error.message}",
            hint="define its tables first, as they were",
        ) from None


def _check_secrets(statement: AskedStatement, checkpoint: str) -> None:
    try:
        check_secrets(statement.planned.job.job)
    except UsageError as error:
        raise UsageError(
            error.message, hint=f"use `firesteel why SCRIPT --checkpoint {checkpoint}` with its script"
        ) from None
