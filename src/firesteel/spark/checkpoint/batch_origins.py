"""Origins of a checkpoint's micro-batches: for each micro-batch, the range of source rows that it has read.

The origins are read from Spark's log of offsets. connectors/positions.py defines an origin.
"""

from __future__ import annotations

import hashlib
import itertools
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from firesteel.connectors.positions import Origin
from firesteel.spark.checkpoint.fingerprint import SPARK
from firesteel.spark.checkpoint.lock import local_folder
from firesteel.spark.internals.hadoop_files import names, read_text

_DIGEST = 16
"""Length of a digest in bytes."""


def batches(context: Any, folder: str, log: str) -> list[int]:
    """Return the batch numbers in one of Spark's logs (`offsets` or `commits`), ascending."""
    return sorted(int(name) for name in names(context, f"{folder}/{SPARK}/{log}") if name.isdigit())


class BatchOrigins:
    """The origins of a checkpoint's micro-batches.

    Args:
        context: The SparkContext.
        folder: Folder of the checkpoint.
        lineage: Lineage of the checkpoint.
    """

    def __init__(self, context: Any, folder: str, lineage: str) -> None:
        self._context = context
        self._folder = folder
        self.lineage = lineage
        self._ends: dict[int, tuple[str, tuple[str, ...]]] = {}
        self._logs: dict[int, _FileLogDigest] = {}

    def of(self, batch: int, parts: int = 0) -> Origin:
        """Return the origin of a batch: the range of source rows that the batch has read.

        The origin is unknown (`Origin()`) if the offsets of this batch or of the previous batch are missing.

        Args:
            batch: Number of the batch.
            parts: Value for `Origin.parts`: how many positions all sinks together record for the batch; 0 if
                unknown. A position is a sink's record of the batch that was written last. A sink that commits
                on the driver records one position. A sink that commits in tasks records one for each task.
                If a recovery finds fewer positions than `parts`, a sink lacks rows of the batch.
        """
        begin, (end, offsets) = self._end(batch - 1) if batch else ("", ()), self._end(batch)
        if not end or (batch and not begin[0]):
            return Origin()
        return Origin(self.lineage, begin[0] if batch else "", end, parts, offsets)

    def offsets(self, batch: int) -> tuple[str, ...]:
        """Return the offsets at which a batch ends, one for each source; () if they are unknown."""
        return self._end(batch)[1]

    def _end(self, batch: int) -> tuple[str, tuple[str, ...]]:
        """Return a digest of the offsets at which a batch ends, and the offsets; ("", ()) if unknown."""
        if batch not in self._ends:
            text = offsets_text(self._context, self._folder, batch)
            if text is None:
                return "", ()
            lines = tuple(text.splitlines()[2:])
            self._ends[batch] = self.digest(lines), lines
            for old in [number for number in self._ends if number < batch - 1]:
                del self._ends[old]
        return self._ends[batch]

    def digest(self, offsets: Sequence[str]) -> str:
        """Return a digest of the offsets of all sources, and of the entries of the files read up to them."""
        made = hashlib.blake2b(digest_size=_DIGEST)
        for number, line in enumerate(offsets):
            made.update(f"{len(line)}:{line}".encode())
            made.update(self._files(number, line))
        return made.hexdigest()

    def _files(self, source: int, line: str) -> bytes:
        """Return a digest of the files read up to a source's offset, b"" if the source reads no files.

        An offset of the filesystem connector is a number of entries in the checkpoint's log of files. Another
        copy of the checkpoint may have other files at the same positions of its log.
        """
        local = local_folder(self._folder)
        try:
            counts = list(_counts(json.loads(line)))
        except ValueError:
            return b""
        if local is None or len(counts) != 1 or not counts[0]:
            return b""
        log = self._logs.setdefault(source, _FileLogDigest(local / "sources" / str(source) / "files.jsonl"))
        return log.of(counts[0])


class _FileLogDigest:
    """Digests of the first n lines of a checkpoint's log of files. The log grows; each line is read once."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._begin()

    def _begin(self) -> None:
        self._lines = self._bytes = 0
        self._hash = hashlib.blake2b(digest_size=_DIGEST)

    def of(self, count: int) -> bytes:
        """Return the digest of the first `count` lines, or of all lines if there are fewer."""
        if count < self._lines:
            self._begin()
        if count > self._lines and self._path.exists():
            with self._path.open("rb") as stream:
                stream.seek(self._bytes)
                for line in itertools.islice(stream, count - self._lines):
                    self._hash.update(line)
                    self._lines, self._bytes = self._lines + 1, self._bytes + len(line)
        return self._hash.digest()


def _counts(offset: Any) -> Iterator[int]:
    """Yield the number of files read, for each file offset at any depth of a source's offset.

    A file offset is {"file": FILE, "byte": BYTE}: the first FILE files of the log of files are read, and BYTE
    bytes of the next file. If BYTE is not 0, this next file counts, too.
    """
    if isinstance(offset, dict):
        if offset.keys() == {"file", "byte"}:
            yield offset["file"] + bool(offset["byte"])
            return
        for each in offset.values():
            yield from _counts(each)


def offsets_text(context: Any, folder: str, batch: int) -> str | None:
    """Return Spark's offsets file of a batch, or None if it does not exist.

    Its lines are a version, Spark's metadata, and one offset for each source.
    """
    local, file = local_folder(folder), f"{SPARK}/offsets/{batch}"
    if local is None:
        return read_text(context, f"{folder}/{file}")
    try:
        return (local / file).read_text(encoding="utf-8")
    except FileNotFoundError:
        return None
