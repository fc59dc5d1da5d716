"""Writes files: the Sink of the filesystem connector.

Tasks write into hidden files; the commit of a batch first notes in a manifest which of them become which
visible files, then renames them. A batch that is committed again finds its manifest, finishes the renames
that a crash left undone, and drops what was written anew: readers see every batch once.
"""

from __future__ import annotations

import json
import os
import uuid
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import pyarrow as pa

from firesteel.connectors.filesystem_splits import local_path
from firesteel.connectors.options import memory
from firesteel.errors import JobError
from firesteel.formats.base import Fields
from firesteel.formats.registry import find_format
from firesteel.runtime.spec import SinkSpec

FILE_SIZE = 128 << 20
_MANIFESTS = "_firesteel"


class FilesystemSink:
    """A Sink (connectors/base.py). Hidden files begin with `.`, visible ones with `part-`."""

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
        self._file_size = memory(options, "sink.rolling-policy.file-size", FILE_SIZE)
        self._job = uuid.uuid4().hex

    def open(self, job: str | None = None) -> None:
        """job: what names the query over restarts; without it every run's batches are new ones."""
        self._job = job or self._job
        self._directory.mkdir(parents=True, exist_ok=True)

    def write(self, changes: Iterable[pa.Table], batch_id: int, partition: int) -> list[str]:
        """Returns, for each file, JSON with its hidden and its visible name."""
        self._directory.mkdir(parents=True, exist_ok=True)
        written: list[str] = []
        tables = (table for table in changes if table.num_rows)
        for first in tables:
            attempt = uuid.uuid4().hex
            hidden, shown = f".part-{attempt}.inprogress", f"part-{attempt}-{partition}-{len(written)}"
            self._write_file(self._directory / hidden, first, tables)
            written.append(json.dumps({"hidden": hidden, "shown": shown}))
        return written

    def _write_file(self, path: Path, first: pa.Table, more: Iterator[pa.Table]) -> None:
        """Write until the file is full; the rest stays in `more`."""
        try:
            with path.open("wb") as stream:
                stream.write(self._encoder.encode(first))
                while stream.tell() < self._file_size:
                    table = next(more, None)
                    if table is None:
                        break
                    stream.write(self._encoder.encode(table))
                stream.flush()
                os.fsync(stream.fileno())
        except OSError as error:
            raise JobError(f"{path}: cannot be written: {error.strerror}.") from None

    def commit(self, batch_id: int, written: Sequence[str]) -> None:
        renames = {pair["hidden"]: pair["shown"] for pair in map(json.loads, written)}
        manifest = self._directory / _MANIFESTS / f"{self._job}-{batch_id}.json"
        if manifest.exists():
            noted: dict[str, str] = json.loads(manifest.read_text(encoding="utf-8"))
            for hidden in renames.keys() - noted.keys():
                (self._directory / hidden).unlink(missing_ok=True)
            renames = noted
        elif renames:
            _write_whole(manifest, json.dumps(renames))
        for hidden, shown in renames.items():
            if (self._directory / hidden).exists():
                (self._directory / hidden).replace(self._directory / shown)


def _write_whole(path: Path, text: str) -> None:
    """Write a file so that it is there whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_suffix(".tmp")
    with draft.open("w", encoding="utf-8") as stream:
        stream.write(text)
        stream.flush()
        os.fsync(stream.fileno())
    draft.replace(path)
