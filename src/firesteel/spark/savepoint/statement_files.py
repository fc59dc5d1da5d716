"""Files that a consistent copy of one statement's checkpoint needs.

The copy has the state after the last committed micro-batch N, and Spark's offsets files of N - 1 and N: the
source offsets at which N begins and ends. If Spark has planned micro-batch N + 1, the copy also has the
offsets file of N + 1. A sink may already have rows of N + 1. So a job that continues from the copy has to
read exactly these rows again as its micro-batch N + 1.

A job may run and commit while the copy is made. It does not change the files of micro-batch N. But a source
of the connector `filesystem` appends each file that it finds to its log of files. So the copied log may list
files that lie beyond the copied offsets. A job that continues from the copy ignores these last lines.
"""

from __future__ import annotations

import errno
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from firesteel.errors import JobError, UsageError
from firesteel.spark.checkpoint.batch_origins import batches
from firesteel.spark.checkpoint.fingerprint import FILE, SPARK, check_version, read
from firesteel.spark.checkpoint.lock import FILE as LOCK_FILE
from firesteel.spark.checkpoint.lock import RUN_FILE, SPARK_FILE
from firesteel.spark.checkpoint.recovery_plan import LINEAGE, PLAN
from firesteel.spark.checkpoint.sink_positions import FOLDER as POSITIONS
from firesteel.spark.savepoint.state_files import metadata_files, state_files

_OWN_LOCKS = (LOCK_FILE, SPARK_FILE, RUN_FILE)
_DRAFT = ".tmp"
_FIXED = (FILE, LINEAGE)
"""Files that change only when a run starts, recovers or rescales the checkpoint, not while a job runs."""


@dataclass(frozen=True)
class StatementFiles:
    """Files of one statement's checkpoint at a micro-batch.

    Attributes:
        folder: The statement's folder.
        batch: Number of the last committed micro-batch, -1 for none.
        files: Paths in the folder.
        size: Bytes of all files.
        fixed: Content of each file of `_FIXED`, None for a missing one. It shows whether another run has
            changed the checkpoint.
    """

    folder: Path
    batch: int
    files: tuple[str, ...]
    size: int
    fixed: tuple[bytes | None, ...]

    @classmethod
    def of(cls, folder: Path) -> StatementFiles:
        """Return the files as of the last committed micro-batch.

        Raises:
            FileNotFoundError: Spark has just removed a file, or the checkpoint is damaged.
            JobError: The checkpoint is damaged.
            UsageError: A recovery of the checkpoint is not complete, or another version of Firesteel made it.
        """
        if (folder / PLAN).exists():
            raise UsageError(
                f"a recovery of the checkpoint {folder} was interrupted", hint="run the job: it completes it"
            )
        check_version(str(folder), read(None, str(folder)) or {})
        fixed = _fixed(folder)
        committed = batches(None, str(folder), "commits")
        batch = committed[-1] if committed else -1
        # List Spark's files first. Firesteel writes its files before Spark writes the offsets that refer to
        # them. So Firesteel's files, listed afterwards, include all to which the listed offsets refer.
        of_spark = [*_of_spark(folder, batch)]
        paths = [*_of_firesteel(folder, batch), *of_spark]
        names = tuple(str(path.relative_to(folder)) for path in paths)
        return cls(folder, batch, names, sum(path.stat().st_size for path in paths), fixed)

    def is_current(self) -> bool:
        """Return whether no other run has recovered or rescaled the checkpoint meanwhile."""
        return self.fixed == _fixed(self.folder) and not (self.folder / PLAN).exists()


def _of_spark(folder: Path, batch: int) -> Iterator[Path]:
    spark = folder / SPARK
    planned = [each for each in batches(None, str(folder), "offsets") if abs(each - batch) <= 1]
    if batch >= 0 and batch not in planned:
        raise JobError(
            f"the checkpoint {folder} has lost the offsets of micro-batch {batch}",
            hint="restore the checkpoint from a copy",
        )
    if (spark / "metadata").exists():
        yield spark / "metadata"
    yield from (spark / "offsets" / str(each) for each in planned)
    if batch < 0:
        return
    yield spark / "commits" / str(batch)
    _check_partitions(folder)
    yield from metadata_files(spark / "state", max(planned))
    yield from state_files(spark / "state", batch + 1)


def _check_partitions(folder: Path) -> None:
    """Raise FileNotFoundError if the folder of a partition is missing."""
    saved = read(None, str(folder)) or {}
    for operator in (folder / SPARK / "state").glob("[0-9]*"):
        for number in range(saved["partitions"]):
            if not (operator / str(number)).is_dir():
                raise FileNotFoundError(errno.ENOENT, "missing", str(operator / str(number)))


def _of_firesteel(folder: Path, batch: int) -> Iterator[Path]:
    for path in sorted(folder.iterdir()):
        if path.is_file() and _is_kept(path):
            yield path
        elif path.is_dir() and not (path.name in (SPARK, POSITIONS) or _is_of_others(path)):
            yield from (each for each in sorted(path.rglob("*")) if each.is_file() and _is_kept(each))
    recorded = [p for p in (folder / POSITIONS).glob("[0-9]*") if p.name.isdigit()]
    fitting = [path for path in recorded if int(path.name) <= batch]
    if fitting:
        yield max(fitting, key=lambda path: int(path.name))
    elif recorded and batch >= 0 and batch + 1 < min(int(path.name) for path in recorded):
        raise FileNotFoundError(errno.ENOENT, "removed", str(folder / POSITIONS / str(batch)))


def _is_of_others(folder: Path) -> bool:
    """Return whether a folder is a draft or belongs to another statement."""
    return folder.name.startswith(".") or (folder / FILE).exists()


def _is_kept(path: Path) -> bool:
    return not (path.name in _OWN_LOCKS or path.name.startswith(".") or path.suffix == _DRAFT)


def _fixed(folder: Path) -> tuple[bytes | None, ...]:
    return tuple((folder / name).read_bytes() if (folder / name).exists() else None for name in _FIXED)
