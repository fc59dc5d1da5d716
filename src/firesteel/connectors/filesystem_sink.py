"""Writes files: the Sink of the filesystem connector.

Tasks write into hidden files. The commit of a batch first notes in the job's manifest which of them become
which visible files, then renames them. A batch that is committed again finds its number there, finishes the
renames that a crash left undone, and drops what was written anew. A batch begins when all before it are done:
so a job has one manifest, of its last batch, and any hidden file of the job that it does not name is left
from a dead attempt.
"""

from __future__ import annotations

import json
import os
import uuid
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from io import BytesIO
from pathlib import Path, PurePath
from typing import BinaryIO

import pyarrow as pa

from firesteel.connectors.base import ONCE, Commits
from firesteel.connectors.filesystem_options import OPTIONS, success_file
from firesteel.connectors.filesystem_partitions import Partitions
from firesteel.connectors.filesystem_splits import local_path
from firesteel.connectors.unwritable import is_of_values, unwritable
from firesteel.errors import JobError
from firesteel.formats.base import Fields, FileWriter
from firesteel.formats.files import file_writer
from firesteel.formats.registry import find_format
from firesteel.option import TypedOptions
from firesteel.runtime.spec import KIND, SinkSpec
from firesteel.runtime.spec import field as field_name

_MANIFESTS = "_firesteel"
_MOST_OPEN = 64
"""Files that a task writes at once; of more partitions the one written to longest ago is ended."""


@dataclass
class _File:
    """An open file of one folder."""

    stream: BinaryIO
    writer: FileWriter


@dataclass
class _Task:
    """What a task has written. start: of the names of its hidden files, and end: of its visible ones. files:
    hidden names to visible ones, with the folder of their partition. open: by folder, the one written to
    longest ago first."""

    start: str
    end: str
    files: dict[str, str] = field(default_factory=dict)
    open: dict[str, _File] = field(default_factory=dict)


class FilesystemSink:
    """A Sink (connectors/base.py). Hidden files begin with `.`, visible ones with `part-`."""

    commits = Commits.DRIVER
    on_driver = False

    def __init__(self, spec: SinkSpec) -> None:
        options = dict(spec.options)
        self._directory = local_path(options["path"]).absolute()
        found = find_format(options["format"])
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
        values = TypedOptions(OPTIONS, options)
        self._file_size = values["sink.rolling-policy.file-size"]
        self._success = success_file(values)
        self._job = ""
        self._task = _Task("", "")

    # --- in a task ---------------------------------------------------------------------------------
    def open_task(self, job: str, batch: int, partition: int) -> None:
        attempt = uuid.uuid4().hex
        self._task = _Task(f".part-{job}-{attempt}", f"part-{attempt}-{partition}")

    def write(self, changes: pa.Table) -> None:
        """Raises JobError where the file cannot be written, DataError with row and column for a value that
        the format cannot carry."""
        if not changes.num_rows:
            return
        try:
            if not self._keys:
                self._write("", changes)
                return
            for folder, rows in self._partitions.folders([changes[field_name(i)] for i in self._keys]):
                self._write(folder, self._unpartitioned(changes.take(rows)))
        except OSError as error:
            raise self._unwritable(error) from None

    def _unpartitioned(self, changes: pa.Table) -> pa.Table:
        """The columns that files have."""
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
            raise unwritable(error, self._table, self._columns, changes, self._write_nowhere) from error
        if file.stream.tell() >= self._file_size:
            _close(task.open.pop(folder))
        elif len(task.open) > _MOST_OPEN:
            _close(task.open.pop(next(iter(task.open))))

    def _write_nowhere(self, changes: pa.Table) -> None:
        writer = self._new_file(BytesIO())
        try:
            writer.write(changes)
        finally:
            writer.close()

    def close_task(self) -> str:
        """JSON: the hidden names of the files, and the visible ones."""
        try:
            while self._task.open:
                _close(self._task.open.popitem()[1])
        except OSError as error:
            raise self._unwritable(error) from None
        return json.dumps(self._task.files)

    def abort_task(self) -> None:
        for file in self._task.open.values():
            with suppress(Exception):  # a writer that is not closed complains when it goes
                file.writer.close()
            file.stream.close()
        self._task.open.clear()
        self._remove(self._task.files)

    def _unwritable(self, error: OSError) -> JobError:
        return JobError(f"{self._directory}: cannot be written: {error.strerror}.")

    def _next_file(self, task: _Task, folder: str) -> _File:
        hidden = f"{task.start}-{len(task.files)}.inprogress"
        task.files[hidden] = f"{folder}/{task.end}-{len(task.files)}".removeprefix("/")
        self._directory.mkdir(parents=True, exist_ok=True)
        stream = (self._directory / hidden).open("wb")
        return _File(stream, self._new_file(stream))

    # --- on the driver -----------------------------------------------------------------------------
    def open(self, job: str) -> None:
        """What was decided is shown, what else the job's dead attempts wrote goes."""
        self._job = job
        try:
            self._directory.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise self._unwritable(error) from None
        self._fold()
        for manifest in (self._directory / _MANIFESTS).glob("*.json"):
            self._show(_read(manifest)[1])
            if manifest.name.startswith(ONCE):
                manifest.unlink(missing_ok=True)
        self._sweep()

    def commit(self, batch: int, tokens: Sequence[str]) -> None:
        files = {hidden: shown for token in tokens for hidden, shown in json.loads(token).items()}
        done, noted = _read(self._manifest)
        if batch <= done:
            self._remove(files.keys() - noted.keys())
            files = noted
        elif files:
            self._check(files)
            _write_whole(self._manifest, json.dumps({"batch": batch, "files": files}))
        self._show(files)
        if self._job.startswith(ONCE):
            self._manifest.unlink(missing_ok=True)
            self._sweep()  # what attempts have left whose executor died

    def abort(self, batch: int, tokens: Sequence[str]) -> None:
        self._sweep()

    def _check(self, hidden: Iterable[str]) -> None:
        """See that what tasks have written is here. Raises JobError."""
        missing = [name for name in hidden if not (self._directory / name).exists()]
        if missing:
            raise JobError(
                f"{self._directory / missing[0]} was written on another machine and is not here.",
                hint="name a folder that all machines of the cluster share",
            )

    @property
    def _manifest(self) -> Path:
        return self._directory / _MANIFESTS / f"{self._job}.json"

    def _show(self, files: Mapping[str, str]) -> None:
        for folder in {PurePath(shown).parent for shown in files.values()}:
            (self._directory / folder).mkdir(parents=True, exist_ok=True)
        for hidden, shown in files.items():
            with suppress(FileNotFoundError):  # it is shown already
                (self._directory / hidden).replace(self._directory / shown)
        if self._success is not None and self._keys:
            for folder in {PurePath(shown).parent for shown in files.values()}:
                (self._directory / folder / self._success).touch()

    def _remove(self, hidden: Iterable[str]) -> None:
        for name in hidden:
            (self._directory / name).unlink(missing_ok=True)

    def _sweep(self) -> None:
        """Remove the job's hidden files that its manifest does not name."""
        found = {path.name for path in self._directory.glob(f".part-{self._job}-*.inprogress")}
        self._remove(found - _read(self._manifest)[1].keys())

    def _fold(self) -> None:
        """Earlier versions kept a manifest for each batch of the job."""
        folder = self._directory / _MANIFESTS
        earlier = {int(path.stem.rpartition("-")[2]): path for path in folder.glob(f"{self._job}-*.json")}
        for path in earlier.values():
            self._show(json.loads(path.read_text(encoding="utf-8")))
        if earlier and not self._manifest.exists():
            _write_whole(self._manifest, json.dumps({"batch": max(earlier), "files": {}}))
        for path in earlier.values():
            path.unlink()


def _close(file: _File) -> None:
    with file.stream as stream:
        file.writer.close()
        stream.flush()
        os.fsync(stream.fileno())


def _read(manifest: Path) -> tuple[int, dict[str, str]]:
    """A manifest's batch, -1 where there is none, and its files: hidden names to visible ones."""
    try:
        noted = json.loads(manifest.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return -1, {}
    return noted.get("batch", -1), noted.get("files", {})


def _write_whole(path: Path, text: str) -> None:
    """Write a file so that it is there whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_suffix(".tmp")
    with draft.open("w", encoding="utf-8") as stream:
        stream.write(text)
        stream.flush()
        os.fsync(stream.fileno())
    draft.replace(path)
