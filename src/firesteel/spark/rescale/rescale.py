"""Rescaling of a stopped job: the state of each statement is distributed over another number of tasks.

Key groups stay whole, so a parallelism above the max parallelism of the checkpoint is refused, as in Flink.
Offsets, watermarks and timers do not change: they belong to key groups or to the whole query.

The new checkpoint continues after the last committed micro-batch. If Spark has planned a later one, its
offsets are dropped. That micro-batch cannot be repeated, because its rows would go to other tasks of the
sinks. If a sink already has rows of it, the checkpoint is behind this sink, and the next start of the job is
refused (spark/checkpoint/recovery.py).
"""

from __future__ import annotations

import errno
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING

from firesteel.errors import JobError, UsageError
from firesteel.spark.checkpoint.folder import open_folder
from firesteel.spark.checkpoint.lock import FILE, RUN_FILE, CheckpointLock
from firesteel.spark.rescale.rescaled_statement import RescaledStatement
from firesteel.spark.savepoint.savepoint import statement_folders

if TYPE_CHECKING:
    from firesteel.spark.launch.launch import Spark


@dataclass(frozen=True)
class Rescaled:
    """One statement that was rescaled.

    Attributes:
        name: Name of its folder.
        before: Parallelism before the rescale.
        after: Parallelism after it.
        max_parallelism: Number of key groups.
    """

    name: str
    before: int
    after: int
    max_parallelism: int


def rescale(
    checkpoint: str, parallelism: int, spark: Callable[[], Spark], *, trusts_others: bool = False
) -> list[Rescaled]:
    """Change the parallelism of all statements of a checkpoint.

    Args:
        checkpoint: Folder of the checkpoint, which no job uses.
        parallelism: New number of tasks.
        spark: Returns the Spark to work with. It is called when all checks have passed.
        trusts_others: Whether other users may have write access to the checkpoint.

    Returns:
        All statements, including those that already had this parallelism.

    Raises:
        UsageError: The checkpoint cannot be used, or not with this parallelism. Nothing has changed.
        NotSupportedError: It is on a file system of other machines.
        JobError: The checkpoint is damaged, or the disk is full. Each statement has its old parallelism or
            the new one.
    """
    if parallelism < 1:
        raise UsageError(f"the parallelism is at least 1, got {parallelism}")
    statement_folders(checkpoint, trusts_others=trusts_others)
    with ExitStack() as locks_held:

        def locked(folder: str, file: str) -> CheckpointLock:
            lock = open_folder(folder, file, trusts_others=True)
            assert lock is not None  # None is for other file systems, which statement_folders has refused
            locks_held.callback(lock.release)
            return lock

        locked(checkpoint, RUN_FILE)
        folders = statement_folders(checkpoint, trusts_others=trusts_others)
        locks = [locked(str(folder), FILE) for folder in folders]
        statements = [RescaledStatement.of(folder, parallelism) for folder in folders]
        for lock, statement in zip(locks, statements, strict=True):
            if statement.before != parallelism:
                lock.hold_spark(spark().context)
                _run(statement, spark())
    return [
        Rescaled(each.folder.name, each.before, each.after, each.saved["key_groups"]) for each in statements
    ]


def _run(statement: RescaledStatement, spark: Spark) -> None:
    try:
        statement.run(spark)
    except OSError as error:
        raise JobError(
            f"the checkpoint {statement.folder} cannot be rescaled: {error.strerror}: {error.filename}",
            hint="it has the parallelism that it had. Make room on the disk, and rescale it again"
            if error.errno in (errno.ENOSPC, errno.EDQUOT)
            else "it has the parallelism that it had. Rescale it again when the disk is well",
        ) from None
