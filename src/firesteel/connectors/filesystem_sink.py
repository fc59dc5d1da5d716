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
from pathlib import Path
from typing import BinaryIO

import pyarrow as pa

from firesteel.connectors.base import ONCE, Commits
from firesteel.connectors.filesystem_options import OPTIONS
from firesteel.connectors.filesystem_splits import local_path
from firesteel.errors import JobError
from firesteel.formats.base import Fields
from firesteel.formats.lines import joined
from firesteel.formats.registry import find_format
from firesteel.option import TypedOptions
from firesteel.runtime.spec import SinkSpec

_MANIFESTS = "_firesteel"


@dataclass
class _Task:
    """What a task has written. start: of the names of its hidden files, and end: of its visible ones. files:
    hidden names to visible ones."""

    start: str
    end: str
    files: dict[str, str] = field(default_factory=dict)
    stream: BinaryIO | None = None


class FilesystemSink:
    """A Sink (connectors/base.py). Hidden files begin with `.`, visible ones with `part-`."""

    commits = Commits.DRIVER
    on_driver = False

    def __init__(self, spec: SinkSpec) -> None:
        options = dict(spec.options)
        self._directory = local_path(options["path"]).absolute()
        found = find_format(options["format"])
        prefix = f"{found.name}."
        fields = Fields(spec.names, spec.types, spec.names, spec.types)
        self._encoder = found.encoder(
            fields, {key.removeprefix(prefix): value for key, value in spec.options if key.startswith(prefix)}
        )
        self._file_size = TypedOptions(OPTIONS, options)["sink.rolling-policy.file-size"]
        self._job = ""
        self._task = _Task("", "")

    # --- in a task ---------------------------------------------------------------------------------
    def open_task(self, job: str, batch: int, partition: int) -> None:
        attempt = uuid.uuid4().hex
        self._task = _Task(f".part-{job}-{attempt}", f"part-{attempt}-{partition}")

    def write(self, changes: pa.Table) -> None:
        """Raises JobError where the file cannot be written."""
        if not changes.num_rows:
            return
        data, task = joined(self._encoder.encode(changes)), self._task
        try:
            if task.stream is None:
                task.stream = self._next_file(task)
            task.stream.write(data)
            if task.stream.tell() >= self._file_size:
                _close(task)
        except OSError as error:
            raise self._unwritable(error) from None

    def close_task(self) -> str:
        """JSON: the hidden names of the files, and the visible ones."""
        try:
            _close(self._task)
        except OSError as error:
            raise self._unwritable(error) from None
        return json.dumps(self._task.files)

    def abort_task(self) -> None:
        if self._task.stream is not None:
            self._task.stream.close()
        self._remove(self._task.files)

    def _unwritable(self, error: OSError) -> JobError:
        return JobError(f"{self._directory}: cannot be written: {error.strerror}.")

    def _next_file(self, task: _Task) -> BinaryIO:
        hidden = f"{task.start}-{len(task.files)}.inprogress"
        task.files[hidden] = f"{task.end}-{len(task.files)}"
        self._directory.mkdir(parents=True, exist_ok=True)
        return (self._directory / hidden).open("wb")

    # --- on the driver -----------------------------------------------------------------------------
    def open(self, job: str) -> None:
        """What was decided is shown, what else the job's dead attempts wrote goes."""
        self._job = job
        self._directory.mkdir(parents=True, exist_ok=True)
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
            _write_whole(self._manifest, json.dumps({"batch": batch, "files": files}))
        self._show(files)
        if self._job.startswith(ONCE):
            self._manifest.unlink(missing_ok=True)

    def abort(self, batch: int, tokens: Sequence[str]) -> None:
        self._sweep()

    @property
    def _manifest(self) -> Path:
        return self._directory / _MANIFESTS / f"{self._job}.json"

    def _show(self, files: Mapping[str, str]) -> None:
        for hidden, shown in files.items():
            with suppress(FileNotFoundError):  # it is shown already
                (self._directory / hidden).replace(self._directory / shown)

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


def _close(task: _Task) -> None:
    stream, task.stream = task.stream, None
    if stream is not None:
        with stream:
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
