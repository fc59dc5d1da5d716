"""Upgrade of a stopped job's checkpoint to a changed script.

    old script  --history of its sources-->  what it has sent its sinks  --+
                                                                           +-->  difference for each sink
    new script  --the same history------->  its content and its state  ----+

If only operators without state have changed, behind the last aggregates, no source is read: the rows come
from the state, which stays as it is (unchanged_state.py).

The new state, the offsets and the differences are written beside the old checkpoint. One rename makes them
count. Then the differences are delivered to the sinks, as the rows of the new job's last micro-batch. If a
crash prevents that, the next run of the job delivers them (spark/checkpoint/upgrade/).
"""

from __future__ import annotations

import errno
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from firesteel.changelog import KIND
from firesteel.connectors.base import History
from firesteel.connectors.print_format import lines
from firesteel.connectors.registry import open_sink
from firesteel.durability import sync_tree
from firesteel.errors import JobError, UsageError
from firesteel.job.spec import JobSpec
from firesteel.runtime.spec.tables import SinkSpec
from firesteel.spark.checkpoint.batch_origins import batches
from firesteel.spark.checkpoint.fingerprint import job_id, most_partitions, set_job
from firesteel.spark.checkpoint.folder import check_logs, open_folder
from firesteel.spark.checkpoint.lock import FILE, RUN_FILE, CheckpointLock
from firesteel.spark.checkpoint.pending_change import UPGRADE
from firesteel.spark.checkpoint.recovery import settle
from firesteel.spark.checkpoint.refused_rows import RefusedRowsOfCheckpoint
from firesteel.spark.checkpoint.upgrade.kept_script import KeptScript, note_script
from firesteel.spark.checkpoint.upgrade.pending_difference import (
    ReplacedJob,
    deliver_difference,
    write_difference,
)
from firesteel.spark.delivery import Delivery
from firesteel.spark.progress import Progress
from firesteel.spark.savepoint.draft_folder import check_space
from firesteel.spark.savepoint.savepoint import statement_folders
from firesteel.spark.savepoint.statement_files import StatementFiles
from firesteel.spark.sink_identity import check_identities, note_identities
from firesteel.spark.sink_task import job_of
from firesteel.spark.stream.settings import StreamSettings
from firesteel.spark.temporary import process_folder
from firesteel.spark.upgrade.content import Content
from firesteel.spark.upgrade.continued_folder import continue_in
from firesteel.spark.upgrade.difference import Difference, difference, distinct
from firesteel.spark.upgrade.replay import Keys, replay
from firesteel.spark.upgrade.sink_content import in_columns_of
from firesteel.spark.upgrade.source_history import heads, histories, read_sources
from firesteel.spark.upgrade.statement import ScriptJob, StatementUpgrade, check_kinds
from firesteel.spark.upgrade.stored_contents import StoredResults
from firesteel.spark.upgrade.unchanged_state import SinkTail

if TYPE_CHECKING:
    from firesteel.spark.launch.launch import Spark


@dataclass(frozen=True)
class SinkDifference:
    """The changes that an upgrade sends to one sink.

    Attributes:
        sink: Spec of the sink in the new job.
        difference: The changes from the sink's content by the old job to that by the new job.
    """

    sink: SinkSpec
    difference: Difference

    def lines(self, most: int) -> list[str]:
        """Return the first `most` changes as lines, as the print connector writes them."""
        return list(lines(self.difference.changes.slice(0, most), self.sink.types))

    def counts(self) -> dict[int, int]:
        """Return the number of changes of each row kind that occurs, by the value of the RowKind (0 to 3)."""
        kinds, counts = np.unique(self.difference.changes[KIND].to_numpy(), return_counts=True)
        return {int(kind): int(count) for kind, count in zip(kinds, counts, strict=True)}


@contextmanager
def held(checkpoint: str, *, trusts_others: bool = False) -> Iterator[dict[Path, CheckpointLock]]:
    """Lock a checkpoint within the `with` block.

    If an earlier upgrade of the checkpoint was interrupted, complete it first.

    Args:
        checkpoint: Folder of the checkpoint.
        trusts_others: Whether other users may have write access to the folder.

    Yields:
        The lock of each statement's folder in the checkpoint, by the folder's path.

    Raises:
        UsageError: The folder is no checkpoint, a job uses it, or other users can write it and
            `trusts_others` is False.
        NotSupportedError: The folder is on a remote file system.
    """
    statement_folders(checkpoint, trusts_others=trusts_others)
    with ExitStack() as stack:

        def locked(folder: str, file: str) -> CheckpointLock:
            lock = open_folder(folder, file, trusts_others=True)
            # `lock` is None only on a remote file system, and `statement_folders` raises an error for it.
            assert lock is not None
            stack.callback(lock.release)
            return lock

        locked(checkpoint, RUN_FILE)
        folders = statement_folders(checkpoint, trusts_others=trusts_others)
        if Path(folders[0]) == Path(checkpoint).absolute():
            raise UsageError(
                f"the checkpoint {checkpoint} was made by an early version, for one query",
                hint="begin with an empty checkpoint folder and an empty sink",
            )
        yield {folder: locked(str(folder), FILE) for folder in folders}


def history_of(upgrade: StatementUpgrade) -> list[tuple[str, History]]:
    """Return (table, part that is read again) for each source of the new job; [] if the state stays.

    Raises:
        UsageError: A source of the old or the new job has lost rows that the old job has read.
        NotSupportedError: A source is of a kind that cannot be read again.
    """
    if upgrade.unchanged is not None:
        return []
    with tempfile.TemporaryDirectory(prefix="history-", dir=process_folder()) as folder:
        found = []
        for number, each in enumerate((upgrade.before, upgrade.after)):
            read = read_sources(upgrade.folder, upgrade.before.job)
            parts = histories(read, each.job, Path(folder) / str(number))
            found = [(getattr(h, "table", "VALUES"), p) for h, p in zip(heads(each.job), parts, strict=True)]
        return found


class Staged:
    """The new folders of a checkpoint's changed statements, beside the old ones.

    Args:
        checkpoint: Folder of the checkpoint, which is locked.
        upgrades: The statements.
        spark: The Spark to run on.
        limits: Settings with the limits of a micro-batch, for the history of the sources.
    """

    def __init__(
        self, checkpoint: Path, upgrades: Sequence[StatementUpgrade], spark: Spark, limits: StreamSettings
    ) -> None:
        self._checkpoint, self._upgrades, self._spark, self._limits = checkpoint, upgrades, spark, limits
        self._draft = checkpoint / UPGRADE.draft

    def __enter__(self) -> Staged:
        self.drop()
        self._draft.mkdir(mode=0o700)
        return self

    def __exit__(self, *_: object) -> None:
        self.drop()

    def drop(self) -> None:
        """Remove the new folders, unless they have replaced the old ones."""
        shutil.rmtree(self._draft, ignore_errors=True)

    def compute(self, script: KeptScript) -> dict[str, list[SinkDifference]]:
        """Run the old and the new jobs, and write the new folders.

        Args:
            script: The new script.

        Returns:
            The differences of each statement, by the name of its folder.

        Raises:
            FiresteelError: The upgrade is impossible, or a job fails. The checkpoint keeps its old folders.
        """
        with _disk_errors(self._checkpoint):
            size = sum(StatementFiles.of(each.folder).size for each in self._upgrades)
            check_space(self._draft, size)
            return {each.name: self._of(each, script) for each in self._upgrades}

    def _of(self, upgrade: StatementUpgrade, script: KeptScript) -> list[SinkDifference]:
        context = self._spark.context
        self._check_sinks(upgrade)
        folder = self._draft / upgrade.name
        before, after = self._contents(upgrade, folder)
        job = upgrade.after.job
        set_job(context, str(folder), job, upgrade.layout, upgrade.after.identity.text)
        note_script(context, str(folder), script)
        found = {}
        for table, number in upgrade.after.sinks.items():
            found[number] = _difference(upgrade, table, before.get(table), after[table])
        changes = {number: each.difference.changes for number, each in found.items()}
        write_difference(folder, changes, self._replaced(upgrade))
        return list(found.values())

    def _check_sinks(self, upgrade: StatementUpgrade) -> None:
        """Check that the old job's sinks have all committed micro-batches, and no others.

        Deliver the differences of an earlier upgrade first, if they are not delivered yet. Also check that
        the sinks of the new job can be written to.

        Raises:
            UsageError: A sink lacks rows of a committed micro-batch, or has rows of an uncommitted one.
        """
        context, folder = self._spark.context, str(upgrade.folder)
        check_logs(folder)
        delivery = _delivery(context, folder, upgrade.before.job)
        check_identities(context, folder, delivery.identities())
        last = batches(context, folder, "commits")[-1]
        partitions = most_partitions(context, folder)
        settled = settle(context, folder, delivery, partitions, framed=False)
        deliver_difference(context, folder, upgrade.before.job.sinks, delivery, settled)
        for name, sink in delivery.positioned.items():
            furthest = max((p.batch for p in sink.positions(name, partitions).values()), default=-1)
            if furthest > last:
                raise UsageError(
                    f"{delivery.table(name)} has rows of micro-batch {furthest}, which the checkpoint "
                    f"{folder} has not committed",
                    hint="run the job with its old script until that micro-batch is committed, and stop it",
                )
        for spec in upgrade.after.job.sinks:
            open_sink(spec).check()

    def _replaced(self, upgrade: StatementUpgrade) -> ReplacedJob:
        context, folder = self._spark.context, str(upgrade.folder)
        name, before = job_id(context, folder), upgrade.before.sinks
        names = {n: job_of(name, before[t]) for t, n in upgrade.after.sinks.items() if t in before}
        return ReplacedJob(names, most_partitions(context, folder))

    def _contents(
        self, upgrade: StatementUpgrade, folder: Path
    ) -> tuple[dict[str, pa.Table], dict[str, pa.Table]]:
        """Return the content of the sinks, by table, from the old job and from the new one.

        The new state is written into `folder`.
        """
        if upgrade.unchanged is None:
            return self._old_content(upgrade), self._content(upgrade, upgrade.after, folder)
        continue_in(folder, upgrade, self._spark.context)
        results, tails = StoredResults(self._spark, upgrade.folder), upgrade.unchanged

        def of(script: ScriptJob, own: Mapping[int, SinkTail]) -> dict[str, pa.Table]:
            return _by_table(script, results.contents(script.job, own, _keys(script)))

        return of(upgrade.before, tails.before), of(upgrade.after, tails.after)

    def _old_content(self, upgrade: StatementUpgrade) -> dict[str, pa.Table]:
        """Return the content that the old job has given its sinks, by table."""
        with tempfile.TemporaryDirectory(prefix="before-", dir=process_folder()) as folder:
            return self._content(upgrade, upgrade.before, Path(folder) / upgrade.name)

    def _content(self, upgrade: StatementUpgrade, of: ScriptJob, folder: Path) -> dict[str, pa.Table]:
        folder.mkdir(mode=0o700)
        read = read_sources(upgrade.folder, upgrade.before.job)
        parts = histories(read, of.job, folder)
        contents = replay(of.job, self._spark, folder, upgrade.layout, parts, _keys(of), self._limits)
        return _by_table(of, contents)

    def commit(self) -> None:
        """Replace the old folders with the new ones, and deliver the differences to the sinks.

        Raises:
            FiresteelError: A sink cannot be written. The new folders are in place, and the next run of the
                job delivers the differences.
            JobError: The checkpoint cannot be written. The old folders still count. After the rename that
                makes the new folders count, the new ones count.
        """
        with _disk_errors(self._checkpoint):
            sync_tree(self._draft)
            UPGRADE.decide(self._checkpoint)
        for each in self._upgrades:
            deliver(self._spark, each.folder, each.after.job)


def _keys(of: ScriptJob) -> Keys:
    return {number: of.key(number) for number in of.sinks.values()}


def _by_table(of: ScriptJob, contents: Mapping[int, Content]) -> dict[str, pa.Table]:
    return {table: contents[number].rows() for table, number in of.sinks.items()}


@contextmanager
def _disk_errors(checkpoint: Path) -> Iterator[None]:
    """Turn errors of the disk into JobError."""
    try:
        yield
    except OSError as error:
        is_full = error.errno in (errno.ENOSPC, errno.EDQUOT)
        first = "make room on the disk" if is_full else "see that the disk is well"
        raise JobError(
            f"the checkpoint {checkpoint} cannot be upgraded: {error.strerror or error}: {error.filename}",
            hint=f"{first}, and upgrade it again",
        ) from None


def deliver(spark: Spark, folder: Path, job: JobSpec) -> None:
    """Deliver the differences of an upgraded statement that are not delivered yet.

    Args:
        spark: The Spark that reads and writes the checkpoint.
        folder: The statement's folder.
        job: The new job of the statement.
    """
    context, place = spark.context, str(folder)
    lock = open_folder(place, FILE, trusts_others=True)
    assert lock is not None
    try:
        check_logs(place)
        delivery = _delivery(context, place, job)
        settled = settle(context, place, delivery, most_partitions(context, place), framed=False)
        deliver_difference(context, place, job.sinks, delivery, settled)
        note_identities(context, place, delivery.identities())
    finally:
        lock.release()


def _delivery(context: Any, folder: str, job: JobSpec) -> Delivery:
    refused = RefusedRowsOfCheckpoint(context, folder)
    return Delivery(job.sinks, Progress(), job_id(context, folder), refused=refused)


def _difference(
    upgrade: StatementUpgrade, table: str, before: pa.Table | None, after: pa.Table
) -> SinkDifference:
    number = upgrade.after.sinks[table]
    sink, key = upgrade.after.job.sinks[number], upgrade.after.key(number)
    if before is None:
        before = after.slice(0, 0)
    else:
        before = in_columns_of(before, upgrade.before.job.sinks[upgrade.before.sinks[table]], sink)
    if key and not distinct(before, sink, key):
        names = ", ".join(sink.names[at] for at in key)
        raise UsageError(
            f"{table} has several rows with the same ({names}), which is to be its primary key",
            hint="let the new query write to another table, with an empty checkpoint folder",
        )
    sends_before = upgrade.after.sends_before(number)
    found = SinkDifference(sink, difference(before, after, sink, key, sends_before=sends_before))
    check_kinds(table, upgrade.after.takes(number), found.counts())
    return found
