"""Savepoints and rescales of a checkpoint. They use a Spark that runs no job."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from firesteel.session.environment import TableEnvironment
from firesteel.spark.checkpoint.trust import OPTION
from firesteel.spark.savepoint.savepoint import SavedStatement, write_savepoint

if TYPE_CHECKING:
    from firesteel.spark.rescale.rescale import Rescaled


def savepoint(checkpoint: str, target: str, options: Mapping[str, str]) -> list[SavedStatement]:
    """Copy a checkpoint to a savepoint. Spark opens the copied state as a check that it is complete.

    Args:
        checkpoint: Folder of the checkpoint.
        target: Folder of the savepoint, which must not exist.
        options: Configuration options by key.

    Returns:
        The statements of the savepoint.

    Raises:
        UsageError: The checkpoint or the target cannot be used. Nothing was written.
        NotSupportedError: The checkpoint or the target is on a file system of other machines.
        JobError: The disk is full, or the checkpoint is damaged. The target does not exist.
    """
    environment = TableEnvironment.create(configuration=options)
    environment.own_process = True

    def check(folder: Path, batch: int) -> None:
        from firesteel.spark.stream.stored_state import StoredState

        StoredState(environment.spark.session.newSession(), str(folder), batch).check()

    trusts_others = environment.options.get(OPTION, "false").lower() == "true"
    try:
        return write_savepoint(checkpoint, target, check, trusts_others=trusts_others)
    finally:
        environment.close()


def rescaled(checkpoint: str, parallelism: int, options: Mapping[str, str]) -> list[Rescaled]:
    """Change the parallelism of a checkpoint that no job uses.

    Args:
        checkpoint: Folder of the checkpoint.
        parallelism: New parallelism.
        options: Configuration options by key.

    Returns:
        One result for each statement of the checkpoint.

    Raises:
        UsageError: The checkpoint cannot be used, or not with this parallelism. Nothing has changed.
        NotSupportedError: The checkpoint is on a file system of other machines.
        JobError: The checkpoint is damaged, or the disk is full.
    """
    from firesteel.spark.rescale.rescale import rescale

    environment = TableEnvironment.create(configuration=options)
    environment.own_process = True
    trusts_others = environment.options.get(OPTION, "false").lower() == "true"
    try:
        return rescale(checkpoint, parallelism, lambda: environment.spark, trusts_others=trusts_others)
    finally:
        environment.close()
