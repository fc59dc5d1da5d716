"""FilesystemSink, which writes files for the filesystem connector.

Tasks write hidden files. The commit of a batch first records in a manifest (manifests.py) the visible name of
each hidden file, then renames the files. If a batch is committed again, its number is in the manifest. The
commit then completes the renames that a crash left undone, and drops the files that were written again. A
batch begins after all earlier ones are done. A hidden file of the job that its newest manifest does not name
is therefore left from a failed attempt.

Files are durable before the manifest that names them. All renames of a batch are durable before the next
manifest. A power cut at any moment therefore leaves the same state as a crash.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from io import BytesIO
from pathlib import Path, PurePath
from typing import BinaryIO

import pyarrow as pa

from firesteel.changelog import KIND
from firesteel.changelog import field as field_name
from firesteel.config.option import TypedOptions
from firesteel.connectors.base import ONCE, Commits, Sink
from firesteel.connectors.filesystem.leftovers import RunMark, sweep_leftovers
from firesteel.connectors.filesystem.manifests import Manifests, jobs_in
from firesteel.connectors.filesystem.options import OPTIONS, success_file
from firesteel.connectors.filesystem.partitions import Partitions, unnamable
from firesteel.connectors.filesystem.splits import local_path
from firesteel.connectors.positions import Origin, Position
from firesteel.connectors.refused_rows import Refusals, refused_by_halves, refused_row
from firesteel.connectors.unwritable import is_of_values, row_text, unwritable
from firesteel.durability import make_folders, sync_folder, sync_stream
from firesteel.errors import DataError, JobError
from firesteel.formats.base import Fields, FileWriter
from firesteel.formats.files import file_writer, is_of_files
from firesteel.formats.registry import find_format
from firesteel.runtime.spec.tables import SinkSpec

_MOST_OPEN = 64
"""Most open files of a task. Beyond it, the file whose last write is the oldest is completed."""


@dataclass
class _File:
    """Open file of one folder."""

    stream: BinaryIO
    writer: FileWriter


@dataclass
class _Task:
    """Files of a task."""

    start: str
    """Prefix of the names of the task's hidden files."""
    end: str
    """Prefix of the names of the task's visible files."""
    files: dict[str, str] = field(default_factory=dict)
    """Visible file names, with the folder of their partition, by hidden names."""
    open: dict[str, _File] = field(default_factory=dict)
    """Open files by folder. The file with the oldest write is first."""


class FilesystemSink(Sink):
    """Sink that writes files. Names of hidden files begin with `.`, those of visible ones with `part-`."""

    commits = Commits.DRIVER
    on_driver = False
    guard: Callable[[], None] = staticmethod(lambda: None)
    """Function that raises an error if another run has taken over the job (base.py: Sink.guard)."""
    notes = True

    def __init__(self, spec: SinkSpec) -> None:
        options = dict(spec.options)
        self._directory = local_path(options["path"]).absolute()
        self.place = str(self._directory)
        found = self._format = find_format(options["format"])
        prefix = f"{found.name}."
        self._written = [i for i, name in enumerate(spec.names) if name not in spec.partition_keys]
        names = tuple(spec.names[i] for i in self._written)
        types = tuple(spec.types[i] for i in self._written)
        fields = Fields(names, types, names, types)
        self._keys = [spec.names.index(key) for key in spec.partition_keys]
        self._partitions = Partitions(
            spec.partition_keys,
            tuple(spec.types[i] for i in self._keys),
            TypedOptions(OPTIONS, options)["partition.default-name"],
        )
        own = {key.removeprefix(prefix): value for key, value in spec.options if key.startswith(prefix)}
        self._new_file = partial(file_writer, found, fields, own)
        self._table, self._columns = spec.table, tuple(zip(names, types, strict=True))
        self._all_columns = tuple(zip(spec.names, spec.types, strict=True))
        values = TypedOptions(OPTIONS, options)
        self._file_size = values["sink.rolling-policy.file-size"]
        self._success = success_file(values)
        self._job = ""
        self._mark: RunMark | None = None
        self._origin = Origin()
        self._task = _Task("", "")

    # --- in a task ---------------------------------------------------------------------------------
    def open_task(self, job: str, batch: int, partition: int) -> None:
        attempt = uuid.uuid4().hex
        self._task = _Task(f".part-{job}-{attempt}", f"part-{attempt}-{partition}")

    def write(self, changes: pa.Table) -> None:
        """Write the rows of a changes table to the files of their partitions.

        Raises:
            JobError: A file cannot be written.
            DataError: A partition's folder cannot have its name, or the format cannot represent a value and
                the sink does not collect refused rows. The error names row and column.
        """
        if not changes.num_rows:
            return
        try:
            if not self._keys:
                self._write("", changes)
                return
            for folder, rows in self._partitions.folders([changes[field_name(i)] for i in self._keys]):
                self._check_name(folder, changes, rows)
                self._write(folder, self._unpartitioned(changes.take(rows)))
        except OSError as error:
            raise self._unwritable(error) from None

    def _check_name(self, folder: str, changes: pa.Table, rows: pa.Array) -> None:
        """Raise DataError if the file system does not accept the name of a partition's folder.

        The folder is created only at the commit. An error there would return at each restart and could not
        name the row. So the name is checked before rows are written.
        """
        if (found := unnamable(self._directory, folder)) is not None:
            place, reason = found
            row = row_text(changes.take(rows[:1]), self._all_columns)
            where = f"{self._table}, column {self._partitions.keys[place]}"
            raise DataError(
                f"{where}: the row {row} cannot be written: {reason}",
                hint="shorten or replace the value in the query, or partition by another column",
            )

    def _unpartitioned(self, changes: pa.Table) -> pa.Table:
        """Return the changes without the partition columns, which files do not have."""
        columns = [changes[KIND], *(changes[field_name(i)] for i in self._written)]
        return pa.Table.from_arrays(columns, names=[KIND, *map(field_name, range(len(self._written)))])

    def _write(self, folder: str, changes: pa.Table) -> None:
        task = self._task
        file = task.open.pop(folder, None) or self._next_file(task, folder)
        task.open[folder] = file
        try:
            file.writer.write(changes)
        except Exception as error:
            if not is_of_values(error):
                raise
            if self.refusals is None or is_of_files(self._format):
                raise unwritable(error, self._table, self._columns, changes, self._write_nowhere) from error
            file.writer.write(self._without_refused(changes, self.refusals))
        if file.stream.tell() >= self._file_size:
            _close(task.open.pop(folder))
        elif len(task.open) > _MOST_OPEN:
            _close(task.open.pop(next(iter(task.open))))

    def _without_refused(self, changes: pa.Table, refusals: Refusals) -> pa.Table:
        """Add the rows that the format cannot write to `refusals`, and return the other rows."""
        bad = dict(refused_by_halves(changes, self._failure))
        refusals.add(
            0, [refused_row(changes.slice(at, 1), self._columns, error) for at, error in bad.items()]
        )
        return changes.take(pa.array([row for row in range(changes.num_rows) if row not in bad], pa.int64()))

    def _failure(self, changes: pa.Table) -> Exception | None:
        try:
            self._write_nowhere(changes)
        except Exception as error:
            if not is_of_values(error):
                raise
            return error
        return None

    def _write_nowhere(self, changes: pa.Table) -> None:
        writer = self._new_file(BytesIO())
        try:
            writer.write(changes)
        finally:
            writer.close()

    def close_task(self) -> str:
        """Close the task's files and return their visible names by hidden names, as JSON."""
        try:
            while self._task.open:
                _close(self._task.open.popitem()[1])
        except OSError as error:
            raise self._unwritable(error) from None
        return json.dumps(self._task.files)

    def abort_task(self) -> None:
        for file in self._task.open.values():
            with suppress(Exception):  # A writer that is not closed warns when it is deleted.
                file.writer.close()
            file.stream.close()
        self._task.open.clear()
        self._remove(self._task.files)

    def _unwritable(self, error: OSError) -> JobError:
        return JobError(f"{self._directory}: cannot be written: {error.strerror}.")

    def _next_file(self, task: _Task, folder: str) -> _File:
        hidden = f"{task.start}-{len(task.files)}.inprogress"
        task.files[hidden] = f"{folder}/{task.end}-{len(task.files)}".removeprefix("/")
        make_folders(self._directory)
        stream = (self._directory / hidden).open("wb")
        return _File(stream, self._new_file(stream))

    # --- on the driver -----------------------------------------------------------------------------
    def open(self, job: str) -> None:
        """Complete the commits that a crash has interrupted, and remove the files of failed attempts.

        A batch with a manifest is committed, so its files get their visible names now. This applies to every
        job that has a manifest in the folder. Other hidden files of this job and of ended jobs are removed.
        """
        self._job = job
        try:
            make_folders(self._directory)
            self._mark = RunMark(self._directory, job)
        except OSError as error:
            raise self._unwritable(error) from None
        for other in jobs_in(self._directory):
            manifests = Manifests(self._directory, other)
            self._show(manifests.last()[1])
            if other.startswith(ONCE):
                manifests.forget()
        self._sweep()
        sweep_leftovers(self._directory, job)

    def begin_batch(self, origin: Origin) -> None:
        self._origin = origin

    def commit(self, batch: int, tokens: Sequence[str]) -> None:
        """Publish the files of a batch.

        Raises:
            JobError: The folder has this batch with other rows, or another run has committed a later batch.
        """
        files = {hidden: shown for token in tokens for hidden, shown in json.loads(token).items()}
        try:
            self._commit(batch, files)
        except OSError as error:
            raise self._unwritable(error) from None
        if self._job.startswith(ONCE):
            self._manifests.forget()
            self._sweep()  # Remove the files of attempts whose executors died.

    def _commit(self, batch: int, files: Mapping[str, str]) -> None:
        done, decided = self._manifests.last()
        if batch > done and files:
            self._check(files)
            sync_folder(self._directory)
            decided = self._decided(batch, files)
        elif files:
            self._manifests.position().has(batch, self._origin, str(self._directory))
        self._remove(files.keys() - decided.keys())
        self._show(decided)

    def _decided(self, batch: int, files: Mapping[str, str]) -> Mapping[str, str]:
        try:
            return self._manifests.decide(batch, files, self._origin)
        except JobError:
            self._remove(files)
            # If another run has taken over the job, the guard raises an error that names this run.
            self.guard()
            raise

    def positions(self, job: str, partitions: int) -> Mapping[int, Position]:
        """Return {0: position of the last batch that has a manifest}; {} if the job has no manifest.

        The host expects one position for each task. A manifest has the files of all tasks, so its position
        stands for all of them, under the number 0. `partitions` is not needed.
        """
        found = Manifests(self._directory, job).position()
        return {} if found.batch < 0 else {0: found}

    def move(self, job: str, positions: Mapping[int, Position]) -> None:
        """Set the number and the source rows of the job's newest batch, for a recovery.

        `open` was called before, so the files of all manifests are visible already.
        """
        for position in positions.values():
            Manifests(self._directory, job).move(position)

    def takes_part(self, tokens: Sequence[str]) -> bool:
        return any(json.loads(token) for token in tokens)

    def abort(self, batch: int, tokens: Sequence[str]) -> None:
        """Remove the files of the failed batch, and the lock file, because the job ends."""
        self._sweep()
        self._end_mark()

    def end_run(self) -> None:
        self._end_mark()

    def _end_mark(self) -> None:
        if self._mark is not None:
            self._mark.remove()
            self._mark = None

    def _check(self, hidden: Iterable[str]) -> None:
        """Check that the files of all tasks exist on this machine.

        Raises:
            JobError: A file does not exist.
        """
        missing = [name for name in hidden if not (self._directory / name).exists()]
        if missing:
            raise JobError(
                f"{self._directory / missing[0]} was written on another machine and is not here.",
                hint="name a folder that all machines of the cluster share",
            )

    @property
    def _manifests(self) -> Manifests:
        return Manifests(self._directory, self._job)

    def _show(self, files: Mapping[str, str]) -> None:
        """Rename files to their visible names, durably. Files that are already visible are unchanged."""
        changed: set[Path] = set()
        for folder in {PurePath(shown).parent for shown in files.values()}:
            make_folders(self._directory / folder)
        for hidden, shown in files.items():
            with suppress(FileNotFoundError):  # The file has its visible name already.
                (self._directory / hidden).replace(self._directory / shown)
                changed.add((self._directory / shown).parent)
        if self._success is not None and self._keys:
            for folder in {PurePath(shown).parent for shown in files.values()}:
                (self._directory / folder / self._success).touch()
        # A file of a partition moves from the table's folder to a subfolder. If a power cut kept only the
        # removal of its old name, the file would be lost. So subfolders with new names are synced first.
        for folder in sorted(changed, reverse=True):
            sync_folder(folder)
        if changed - {self._directory}:
            sync_folder(self._directory)

    def _remove(self, hidden: Iterable[str]) -> None:
        for name in hidden:
            (self._directory / name).unlink(missing_ok=True)

    def _sweep(self) -> None:
        """Remove the job's hidden files that its newest manifest does not name.

        A run that took over the job may write such files, too. The guard is therefore called after the files
        are listed. If this run still has the job then, all of them are its own or those of earlier runs.
        """
        found = {path.name for path in self._directory.glob(f".part-{self._job}-*.inprogress")}
        named = self._manifests.last()[1].keys()
        self.guard()
        self._remove(found - named)


def _close(file: _File) -> None:
    with file.stream as stream:
        file.writer.close()
        sync_stream(stream)
