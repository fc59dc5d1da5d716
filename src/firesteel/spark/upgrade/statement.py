"""A statement of a checkpoint: its job by the old script, and its job by the new script."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from firesteel.changelog import RowKind
from firesteel.counted import counted
from firesteel.errors import JobError, NotSupportedError, UsageError
from firesteel.job.spec import JobSpec
from firesteel.job.timer_routing import has_timers
from firesteel.spark.checkpoint.fingerprint import Layout, belongs_to, check_version, read
from firesteel.spark.checkpoint.statements import Identity
from firesteel.spark.upgrade.repeatable import (
    check_no_timers,
    check_repeatable,
    reasons_of_time,
    reasons_outside,
)
from firesteel.spark.upgrade.unchanged_state import UnchangedState, unchanged_state

_INSERT_ONLY = "insert-only"


@dataclass(frozen=True)
class ScriptJob:
    """The job of one statement of a script.

    Attributes:
        identity: Identity by which the statement finds its folder in a checkpoint.
        job: The job.
        sink_modes: Which changes each sink takes (catalog/schema.py: SourceTraits.sink_mode), by table.
        varies: Name of a function in the job whose value differs at each evaluation; None if there is none.
    """

    identity: Identity
    job: JobSpec
    sink_modes: Mapping[str, str]
    varies: str | None = None

    def key(self, number: int) -> tuple[int, ...]:
        """Return the positions of the primary key of sink `number`; () if the sink has none.

        Return () also for a sink that takes inserts only.
        """
        sink = self.job.sinks[number]
        return () if self.takes(number) == _INSERT_ONLY else sink.primary_key

    def takes(self, number: int) -> str:
        """Return which changes sink `number` takes, such as `upsert` (SourceTraits.sink_mode).

        A sink with the mode `upsert` and without a primary key is `insert-only`.
        """
        sink = self.job.sinks[number]
        mode = self.sink_modes.get(sink.table, _INSERT_ONLY)
        return _INSERT_ONLY if mode == "upsert" and not sink.primary_key else mode

    def sends_before(self, number: int) -> bool:
        """Return whether sink `number` gets the old row of an update, too."""
        return self.takes(number) in ("all", "requested")

    @property
    def sinks(self) -> dict[str, int]:
        """Return the numbers of the job's sinks by table name, without the sinks of dead letters.

        Raises:
            NotSupportedError: Two sinks have the same table.
        """
        found: dict[str, int] = {}
        for number, sink in enumerate(self.job.sinks):
            if sink.takes_dead_letters:
                continue
            if sink.table in found:
                raise NotSupportedError(
                    f"the upgrade of a statement that writes to {sink.table} twice, with other options",
                )
            found[sink.table] = number
        return found


@dataclass(frozen=True)
class StatementUpgrade:
    """A statement whose job changes.

    Attributes:
        folder: The statement's folder in the checkpoint.
        before: The old job.
        after: The new job.
        layout: Numbers of key groups and partitions, the same before and after.
        unchanged: The operators between the last operator with state and each sink, for the old and the new
            job. If it is set, the jobs differ only in these operators: the new job continues with the state,
            and no source is read again. None if the sources are read again.
    """

    folder: Path
    before: ScriptJob
    after: ScriptJob
    layout: Layout
    unchanged: UnchangedState | None = None

    @classmethod
    def of(
        cls, folder: Path, before: ScriptJob, after: ScriptJob, *, any_order: bool = False
    ) -> StatementUpgrade:
        """Return the upgrade of a statement from its old job to its new one.

        Args:
            folder: The statement's folder in a checkpoint.
            before: The old job.
            after: The new job.
            any_order: Whether the user allows results that depend on the order in which rows of several
                inputs come.

        Raises:
            NotSupportedError: The rows that the old job has sent its sinks cannot be computed again, or the
                results of the new job depend on the time at which rows come.
        """
        saved = read(None, str(folder)) or {}
        layout = Layout(saved["key_groups"], saved["partitions"])
        outside = reasons_outside(folder, before.job, before.varies or after.varies)
        if not any((*reasons_of_time(before.job), *outside, has_timers(after.job))):
            unchanged = unchanged_state(before.job, after.job)
            if unchanged is not None:
                return cls(folder, before, after, layout, unchanged)
        check_repeatable(folder, before.job, before.varies, any_order=any_order)
        check_no_timers(after.job, after.identity.short)
        return cls(folder, before, after, layout)

    @property
    def name(self) -> str:
        """Return the name of the statement's folder."""
        return self.folder.name


def is_unchanged(folder: Path, after: ScriptJob) -> bool:
    """Return whether a job can continue from a statement's folder without an upgrade.

    Raises:
        UsageError: Another version of Firesteel made the checkpoint.
    """
    check_version(str(folder), read(None, str(folder)) or {})
    return belongs_to(None, str(folder), after.job)


def check_kinds(table: str, takes: str, counts: Mapping[int, int]) -> None:
    """Check that a sink takes the changes of an upgrade.

    Args:
        table: The sink's table.
        takes: Which changes the sink takes, such as `insert-only` (ScriptJob.takes).
        counts: Number of changes of the upgrade by row kind, as the value of the RowKind.

    Raises:
        UsageError: The sink takes inserts only, and the upgrade has other changes.
    """
    others = sum(count for kind, count in counts.items() if kind != RowKind.INSERT)
    if takes == _INSERT_ONLY and others:
        raise UsageError(
            f"{table} takes inserts only, and has {counted(others, 'row')} that the new query does not give",
            hint="let the new query write to another table, with an empty checkpoint folder",
        )


def statement_of(scripts: list[ScriptJob], folder: Path) -> ScriptJob:
    """Return the job that made a statement's folder.

    Args:
        scripts: The jobs of all statements of the old script, which the checkpoint keeps.
        folder: The statement's folder in the checkpoint.

    Raises:
        JobError: No statement of the script made the folder.
    """
    for each in scripts:
        if belongs_to(None, str(folder), each.job):
            return each
    raise JobError(
        f"the script that the checkpoint {folder} keeps does not give its query",
        hint="run the job once with its script and this version of Firesteel, which keeps the script",
    )
