"""The statement of a script whose result has the row that is asked for, and its folder in the checkpoint."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from firesteel.errors import NotSupportedError, UsageError
from firesteel.plan.nodes import physical
from firesteel.session.upgrade.script_jobs import PlannedStatement
from firesteel.spark.checkpoint.fingerprint import OTHER_JOB_HINT, Layout, check_saved, check_version, read
from firesteel.spark.checkpoint.folder import no_checkpoint
from firesteel.spark.checkpoint.lock import local_folder
from firesteel.spark.checkpoint.pending_change import UPGRADE
from firesteel.spark.checkpoint.statements import Script, saved_folder, saved_statements
from firesteel.spark.upgrade.repeatable import reason_of_order, reasons_of_time, reasons_outside

DEFAULT = "default_catalog.default_database."

_OTHER_SCRIPT_HINT = "name the script that the checkpoint was made with"


@dataclass(frozen=True)
class AskedStatement:
    """A statement with its folder.

    Attributes:
        planned: The statement.
        sink: Number of the sink that has the row.
        folder: Its folder in the checkpoint.
        layout: Key groups and partitions of the checkpoint.
    """

    planned: PlannedStatement
    sink: int
    folder: Path
    layout: Layout

    @property
    def table(self) -> str:
        """Name of the sink's table, `query` for a query."""
        spec = self.planned.job.job.sinks[self.sink]
        return "query" if spec.connector is None else spec.table.removeprefix(DEFAULT)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns of the result."""
        spec = self.planned.job.job.sinks[self.sink]
        if spec.names:
            return spec.names
        (plan,) = self.planned.plans
        assert not isinstance(plan, physical.Sink)
        return tuple(column.name for column in plan.schema)

    def check_repeatable(self, *, has_all_offsets: bool) -> None:
        """Check that the job would send the same rows if its past micro-batches ran a second time.

        Args:
            has_all_offsets: Whether the checkpoint has the offsets of all micro-batches. If not, the first
                ones are repeated together, and a job whose rows depend on time or order is refused.

        Raises:
            NotSupportedError: The rows may differ, for example because a function gives new values.
        """
        job = self.planned.job
        reasons = list(reasons_outside(self.folder, job.job, job.varies))
        if not has_all_offsets:
            reasons += [*reasons_of_time(job.job), *filter(None, [reason_of_order(job.job)])]
        if reasons:
            gone = "" if has_all_offsets else ", and the checkpoint has no offsets of the first micro-batches"
            raise NotSupportedError(
                f"`why` for {self.table}: its micro-batches do not give the same rows again, because "
                f"{reasons[0]}{gone}"
            )


def checkpoint_folder(checkpoint: str) -> Path:
    """Return the folder of a checkpoint that can be read.

    Raises:
        UsageError: It is no checkpoint, or its upgrade was interrupted.
        NotSupportedError: It is on another file system.
    """
    folder = local_folder(checkpoint)
    if folder is None:
        raise NotSupportedError(f"`why` for a checkpoint on another file system ({checkpoint})")
    if not saved_statements(None, str(folder)):
        raise no_checkpoint(checkpoint)
    if (folder / UPGRADE.name).is_dir():
        raise UsageError(
            f"an upgrade of the checkpoint {checkpoint} was interrupted",
            hint="run `firesteel state`, which completes it",
        )
    return folder


def asked_statement(
    planned: Sequence[PlannedStatement], checkpoint: str, table: str | None
) -> AskedStatement:
    """Return the statement whose result has the row, with its folder.

    Args:
        planned: The statements of the script.
        checkpoint: The checkpoint.
        table: Name of the table that the row is in; None for the only one.

    Raises:
        UsageError: The script has no such table, or the checkpoint is not one of this script.
        NotSupportedError: The checkpoint is on another file system.
    """
    folder = checkpoint_folder(checkpoint)
    statement, sink = chosen(planned, table)
    script = Script([each.job.identity for each in planned], is_whole=True)
    job = statement.job
    own = saved_folder(None, str(folder), job.job, job.identity, script)
    if own is None:
        raise UsageError(
            f"the checkpoint {checkpoint} has nothing of the statement `{job.identity.short}`",
            hint=_OTHER_SCRIPT_HINT,
        )
    check_version(own, read(None, own) or {})
    try:
        layout = check_saved(None, own, job.job, job.identity.text)
    except UsageError as error:
        if error.hint == OTHER_JOB_HINT:  # the hint is about running a job, not about `why`
            error.hint = _OTHER_SCRIPT_HINT
        raise
    assert layout is not None
    return AskedStatement(statement, sink, Path(own), layout)


def chosen(planned: Sequence[PlannedStatement], table: str | None) -> tuple[PlannedStatement, int]:
    """Return the statement that writes to a table, and the number of its sink.

    Args:
        planned: The statements of the script.
        table: Name of the table; None for the only one.

    Raises:
        UsageError: The script has no such table, or several.
    """
    found: list[tuple[PlannedStatement, int, str]] = []
    for each in planned:
        for number, sink in enumerate(each.job.job.sinks):
            if not sink.takes_dead_letters:
                name = "query" if sink.connector is None else sink.table
                found.append((each, number, name))
    fitting = [each for each in found if table is None or each[2] in (table, DEFAULT + table)]
    if len(fitting) == 1:
        return fitting[0][:2]
    names = ", ".join(dict.fromkeys(name.removeprefix(DEFAULT) for _, _, name in found))
    if not found:
        raise UsageError("the script has no query and no INSERT")
    if table is None:
        raise UsageError("the script has several results", hint=f"choose one with --table: {names}")
    raise UsageError(
        f"the script has {'several results' if fitting else 'no result'} {table}", hint=f"it has {names}"
    )
