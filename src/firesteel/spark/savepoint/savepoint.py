"""Savepoints: a consistent copy of a checkpoint, also while a job runs on it.

The copy takes no lock. It names the files of the last committed micro-batch (statement_files.py) and copies
them. If Spark has removed a file meanwhile, the copy begins again.

A savepoint is a checkpoint like any other: a job continues from it with `--checkpoint`. The job then checks
whether the sinks agree with it, as with each copy of a checkpoint (spark/checkpoint/recovery.py).
"""

from __future__ import annotations

import errno
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from firesteel.durability import sync_tree
from firesteel.errors import JobError, NotSupportedError, UsageError
from firesteel.file_trust import PRIVATE_FOLDER
from firesteel.spark.checkpoint.fingerprint import FILE, SPARK
from firesteel.spark.checkpoint.folder import no_checkpoint
from firesteel.spark.checkpoint.lock import local_folder
from firesteel.spark.checkpoint.pending_change import UPGRADE
from firesteel.spark.checkpoint.schema_paths import name_own_schemas
from firesteel.spark.checkpoint.trust import check_trust
from firesteel.spark.savepoint.draft_folder import check_space, draft_folder
from firesteel.spark.savepoint.statement_files import StatementFiles

_ATTEMPTS = 5
"""Maximum number of attempts to copy a statement. Its running job may remove files during an attempt."""


Check = Callable[[Path, int], object]
"""Function of a statement's folder and last micro-batch. It raises an error if the state is unreadable."""


@dataclass(frozen=True)
class SavedStatement:
    """One statement of a savepoint.

    Attributes:
        name: Name of its folder; "" for the checkpoint's own folder.
        batch: Number of its last committed micro-batch, -1 for none.
        size: Bytes of its files.
    """

    name: str
    batch: int
    size: int


def statement_folders(checkpoint: str, *, trusts_others: bool = False) -> list[Path]:
    """Return the folders of the statements in a checkpoint on this machine, sorted by name.

    Args:
        checkpoint: The folder, as a path or a URI.
        trusts_others: Whether other users may have write access to it.

    Raises:
        UsageError: The folder is no checkpoint, or others can have written it.
        NotSupportedError: It is on a file system of other machines.
    """
    folder = _local(checkpoint)
    if not folder.is_dir():
        raise no_checkpoint(checkpoint)
    if not trusts_others:
        check_trust(folder, checkpoint)
    UPGRADE.complete_if_interrupted(checkpoint)
    found = [path for path in (folder, *sorted(folder.iterdir())) if (path / FILE).is_file()]
    if not found:
        raise no_checkpoint(checkpoint)
    return [path.absolute() for path in found]


def write_savepoint(
    checkpoint: str,
    target: str,
    check: Check,
    *,
    trusts_others: bool = False,
) -> list[SavedStatement]:
    """Copy a checkpoint as of its last committed micro-batches.

    Args:
        checkpoint: Folder of the checkpoint.
        target: Folder of the savepoint, which must not exist.
        check: Called for each statement's folder of the copy that has state, with the number of its last
            micro-batch. It raises an error if the state cannot be read.
        trusts_others: Whether other users may have write access to the checkpoint.

    Returns:
        The statements of the savepoint.

    Raises:
        UsageError: The checkpoint or the target cannot be used. Nothing was written.
        NotSupportedError: One of them is on a file system of other machines.
        JobError: The disk is full, or the checkpoint is damaged. The target does not exist.
    """
    folder = _local(target).absolute()
    statements = statement_folders(checkpoint, trusts_others=trusts_others)
    source = _local(checkpoint).absolute()
    if source == folder or source in folder.parents:
        raise UsageError(f"{target} is in the checkpoint {checkpoint}", hint="name a folder outside of it")
    found = [_attempt(StatementFiles.of, each) for each in statements]
    if all(files.batch < 0 for files in found):
        raise UsageError(f"no micro-batch of the checkpoint {checkpoint} has ended", hint="run the job first")
    with draft_folder(folder) as draft:
        check_space(folder, sum(files.size for files in found))
        saved = [_saved(draft, source, each, check) for each in statements]
        for each in saved:
            name_own_schemas(draft / each.name, folder / each.name)
        sync_tree(draft)
    return saved


def _saved(
    draft: Path, source: Path, statement: Path, check: Callable[[Path, int], object]
) -> SavedStatement:
    name = "" if statement == source else statement.name
    to = draft / name
    files = _attempt(lambda folder: _copied(folder, to), statement)
    name_own_schemas(to)
    if files.batch >= 0 and (to / SPARK / "state").exists():
        check(to, files.batch)
    return SavedStatement(name, files.batch, sum((to / each).stat().st_size for each in files.files))


def _copied(statement: Path, to: Path) -> StatementFiles:
    """Copy a statement's files. Raises FileNotFoundError if Spark or another run has changed them."""
    shutil.rmtree(to, ignore_errors=True)  # an earlier attempt may have left files
    to.mkdir(mode=PRIVATE_FOLDER)
    files = StatementFiles.of(statement)
    for name in files.files:
        (to / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(statement / name, to / name)
    if not files.is_current():
        raise FileNotFoundError(errno.ENOENT, "another run has begun", str(statement))
    return files


def _attempt(call: Callable[[Path], StatementFiles], statement: Path) -> StatementFiles:
    """Return `call(statement)`. Repeat the call if a file is missing, because Spark has just removed it.

    Raises:
        JobError: A file is still missing: the checkpoint is damaged.
    """
    missing = None
    for _ in range(_ATTEMPTS):
        try:
            return call(statement)
        except FileNotFoundError as error:
            missing = error.filename
    raise JobError(
        f"the checkpoint {statement} cannot be copied: {missing} is missing",
        hint="restore the checkpoint from a copy; or, if its job commits many micro-batches a second, stop "
        "the job for the savepoint",
    )


def _local(folder: str) -> Path:
    local = local_folder(folder)
    if local is None:
        raise NotSupportedError(
            f"a savepoint needs folders that this machine sees as local ones, {folder} is on another file "
            "system",
            hint="stop the job and copy the folder with the file system's own tools (hadoop fs -cp)",
        )
    return local
