"""The new checkpoint folder of a statement whose state stays: a copy of the old folder, for the new job."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from firesteel.spark.checkpoint.fingerprint import SPARK, check_or_write
from firesteel.spark.checkpoint.replays import FOLDER as REPLAYS
from firesteel.spark.checkpoint_functions import note_functions
from firesteel.spark.savepoint.statement_files import StatementFiles
from firesteel.spark.upgrade.source_history import SOURCES
from firesteel.spark.upgrade.statement import StatementUpgrade

_OFFSETS = "offsets"


def continue_in(folder: Path, upgrade: StatementUpgrade, context: Any) -> None:
    """Write the files with which a statement's new job continues after the old job's last micro-batch.

    Sinks note for each job name the last micro-batch that they have. So the new job gets another name. Under
    the old name, sinks would ignore the differences of the upgrade as a micro-batch that they already have.
    Files that belong to the old name are not copied.

    Args:
        folder: Folder to create for the files.
        upgrade: The statement, with its old folder and both jobs.
        context: The SparkContext.
    """
    folder.mkdir(mode=0o700)
    job = upgrade.after.job
    check_or_write(context, str(folder), job, upgrade.layout, upgrade.after.identity.text)
    note_functions(context, str(folder), job)
    files = StatementFiles.of(upgrade.folder)
    for name in files.files:
        if _is_copied(name, files.batch):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(upgrade.folder / name, folder / name)


def _is_copied(name: str, batch: int) -> bool:
    """Return whether a file of the old folder is copied to the new one.

    These are Spark's files and files of the sources, but not the offsets of micro-batches after `batch`, the
    last committed one.
    """
    first, *rest = name.split("/")
    if first != SPARK:
        return first in (SOURCES, REPLAYS)
    return rest[0] != _OFFSETS or int(rest[-1]) <= batch
