"""Upgrade of a checkpoint to a changed script: which statements change, and how."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from firesteel.connectors.base import History
from firesteel.errors import FiresteelError, NotSupportedError, UsageError
from firesteel.session.environment import TableEnvironment
from firesteel.session.launch import CHECKPOINT
from firesteel.session.running.host_settings import read_limits
from firesteel.session.upgrade.kept_secrets import with_secrets
from firesteel.session.upgrade.operator_plan import OperatorPlan, State, operator_plans
from firesteel.session.upgrade.script_jobs import PlannedStatement, script_jobs
from firesteel.spark.checkpoint.lock import CheckpointLock
from firesteel.spark.checkpoint.statements import SavedStatement, saved_statements
from firesteel.spark.checkpoint.trust import OPTION
from firesteel.spark.checkpoint.upgrade.kept_script import KeptScript, kept_script
from firesteel.spark.shipped_code import hand_on_secrets
from firesteel.spark.upgrade.repeatable import check_secrets
from firesteel.spark.upgrade.statement import StatementUpgrade, is_unchanged, statement_of
from firesteel.spark.upgrade.upgrade import SinkDifference, Staged, held, history_of


@dataclass(frozen=True)
class StatementChange:
    """The change that an upgrade makes to one statement of the new script.

    Attributes:
        name: Name of the statement's folder in the checkpoint; the shortened text of a new statement.
        upgrade: The old and the new job of the statement. None if the job is unchanged, is new, or cannot be
            upgraded.
        is_new: Whether the checkpoint has no state for the statement.
        operators: What happens to each operator of the job; empty without an upgrade.
        sources: A pair for each source table that the upgrade reads again: the table's name, and the part of
            the source (offsets from and to) that the old job has read.
        refused: Error that says why the statement cannot be upgraded; None if it can.
    """

    name: str
    upgrade: StatementUpgrade | None = None
    is_new: bool = False
    operators: Sequence[OperatorPlan] = ()
    sources: Sequence[tuple[str, History]] = ()
    refused: FiresteelError | None = None


class CheckpointUpgrade:
    """The upgrade of a checkpoint that this process has locked.

    Attributes:
        changes: What happens to each statement of the new script.
        left: Names of the checkpoint's folders that belong to no statement of the new script. They stay.
    """

    def __init__(
        self,
        checkpoint: Path,
        environment: TableEnvironment,
        script: KeptScript,
        changes: Sequence[StatementChange],
        left: Sequence[str],
        locks: Mapping[Path, CheckpointLock],
    ) -> None:
        self.changes, self.left = changes, left
        self._checkpoint, self._environment, self._script = checkpoint, environment, script
        self._locks = locks

    @property
    def upgrades(self) -> list[StatementUpgrade]:
        """Return the statements whose jobs change."""
        return [each.upgrade for each in self.changes if each.upgrade is not None]

    @contextmanager
    def computed(self) -> Iterator[tuple[Staged, dict[str, list[SinkDifference]]]]:
        """Compute the new state, and the changes that each sink has to get.

        The checkpoint does not change before the caller calls `Staged.commit`.

        Yields:
            The new folders of the statements, and a dict: for the name of each statement's folder, the
            changes that each of its sinks has to get.

        Raises:
            FiresteelError: The new state or the differences cannot be computed.
        """
        spark, upgrades = self._environment.spark, self.upgrades
        for each in upgrades:
            self._locks[each.folder].hold_spark(spark.context)
            hand_on_secrets((each.before.job, each.after.job), spark)
        with Staged(self._checkpoint, upgrades, spark, read_limits(self._environment)) as staged:
            yield staged, staged.compute(self._script)


@contextmanager
def opened_upgrade(
    text: str,
    options: Mapping[str, str],
    functions_folder: str,
    environment: TableEnvironment,
    *,
    any_order: bool = False,
    plan_only: bool = False,
) -> Iterator[CheckpointUpgrade]:
    """Lock a checkpoint, compare its statements with those of a script, and yield the upgrade.

    Args:
        text: The new script, with values for its variables.
        options: Configuration options by key.
        functions_folder: Folder of the modules of user-defined functions.
        environment: New session, in which the definitions of the script take effect.
        any_order: Whether to upgrade a statement although its results may depend on the order in which rows
            of several inputs came.
        plan_only: Whether the upgrade is only shown. If the rows of a statement cannot be computed again, its
            change then has the error (StatementChange.refused). Otherwise, the error is raised.

    Raises:
        UsageError: The checkpoint cannot be upgraded. Nothing has changed.
        NotSupportedError: It cannot be upgraded to this script.
    """
    script = KeptScript.of(text, options, functions_folder)
    environment.functions_folder = functions_folder
    planned = script_jobs(environment, text)
    checkpoint = environment.options.get(CHECKPOINT)
    if checkpoint is None:
        raise UsageError(
            "the script has no checkpoint", hint=f"add --checkpoint DIR, or set '{CHECKPOINT}' in the script"
        )
    trusts_others = environment.configuration.get(OPTION)
    with held(checkpoint, trusts_others=trusts_others) as locks:
        folder = next(iter(locks)).parent
        saved = [each for each in saved_statements(None, str(folder)) if Path(each.folder) in locks]
        found = _matched(planned, saved)
        old = _OldScripts(text)
        changes = [
            _change(statement, found.get(number), old, any_order=any_order, plan_only=plan_only)
            for number, statement in enumerate(planned)
        ]
        used = {each.folder for each in found.values()}
        left = [Path(each.folder).name for each in saved if each.folder not in used]
        yield CheckpointUpgrade(folder, environment, script, changes, left, locks)


class _OldScripts:
    """The statements of the scripts that a checkpoint keeps.

    Args:
        new: The new script. The old scripts are kept without secrets, and get the secrets of the new script.
    """

    def __init__(self, new: str) -> None:
        self._new = new
        self._found: dict[str, list[PlannedStatement]] = {}

    def statement(self, folder: Path) -> PlannedStatement:
        """Return the statement that made a folder.

        Raises:
            UsageError: The folder keeps no script.
        """
        script = kept_script(folder)
        if script is None:
            raise UsageError(
                f"the checkpoint {folder} does not keep the script it was made with",
                hint="run the job once more with `firesteel run` and that script, which keeps it there",
            )
        if script.text not in self._found:
            session = TableEnvironment.create(configuration=script.options)
            session.functions_folder = script.functions_folder
            self._found[script.text] = script_jobs(session, with_secrets(script.text, self._new))
        planned = self._found[script.text]
        job = statement_of([each.job for each in planned], folder)
        check_secrets(job.job)
        return next(each for each in planned if each.job is job)


def _change(
    statement: PlannedStatement,
    saved: SavedStatement | None,
    old: _OldScripts,
    *,
    any_order: bool,
    plan_only: bool,
) -> StatementChange:
    after = statement.job
    if saved is None:
        return StatementChange(after.identity.short, is_new=True)
    folder = Path(saved.folder)
    if is_unchanged(folder, after):
        return StatementChange(folder.name)
    if after.job.target is None:
        raise NotSupportedError(
            f"the upgrade of `{after.identity.short}`: a query has no sink that could get the difference",
            hint="write its rows into a table with INSERT INTO",
        )
    before = old.statement(folder)
    try:
        upgrade = StatementUpgrade.of(folder, before.job, after, any_order=any_order)
        sources = history_of(upgrade)
    except FiresteelError as error:
        if not plan_only:
            raise
        operators = _operators(before, statement, State.IMPOSSIBLE)
        return StatementChange(folder.name, operators=operators, refused=error)
    state = State.REBUILT if upgrade.unchanged is None else State.KEPT
    return StatementChange(folder.name, upgrade, False, _operators(before, statement, state), sources)


def _operators(before: PlannedStatement, after: PlannedStatement, state: State) -> list[OperatorPlan]:
    return operator_plans(before.plans, after.plans, after.origins, before.origins, state)


def _matched(
    planned: Sequence[PlannedStatement], saved: Sequence[SavedStatement]
) -> dict[int, SavedStatement]:
    """Match the statements of a script with the saved statements of the checkpoint.

    A saved statement matches if it has the same text and sinks, else the same sinks, else one common sink.

    Returns:
        The saved statements by the number of the statement in the script. New statements are missing.

    Raises:
        NotSupportedError: Several saved statements match by one common sink.
    """
    left = list(saved)
    found: dict[int, SavedStatement] = {}
    for number, each in enumerate(planned):
        identity = each.job.identity
        same = [s for s in left if (s.text, s.sink) == (identity.text, identity.sink)]
        _take(found, left, number, same)
    for number, each in enumerate(planned):
        sink = each.job.identity.sink
        if number not in found and sink is not None:
            _take(found, left, number, [s for s in left if s.sink == sink])
    for number, each in enumerate(planned):
        if number in found or each.job.identity.sink is None:
            continue
        tables = set(each.job.identity.sink.split(", "))
        sharing = [s for s in left if s.sink is not None and tables & set(s.sink.split(", "))]
        if len(sharing) > 1:
            names = ", ".join(Path(s.folder).name for s in sharing)
            raise NotSupportedError(f"the upgrade of several statements ({names}) to one")
        _take(found, left, number, sharing)
    return found


def _take(
    found: dict[int, SavedStatement],
    left: list[SavedStatement],
    number: int,
    fitting: Sequence[SavedStatement],
) -> None:
    if fitting:
        found[number] = fitting[0]
        left.remove(fitting[0])
