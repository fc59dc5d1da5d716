"""The log of the files that a stream has found, in reading order: offsets count its entries.

The log is only ever appended to, and what it says counts, not what a run meant to append. Each append is one
write at the end of the file; after it a run reads on from where it was. So two runs that append at once (one
was paused and taken over) see the same files in the same order.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path

from firesteel.connectors.base import Offset
from firesteel.connectors.filesystem.splits import FileInfo
from firesteel.durability import make_folders, sync_folder, sync_stream, write_whole
from firesteel.errors import DataError, JobError

RESUMED = "resumed"
"""A file beside the log that allows to look for files once more: another copy of the checkpoint had found
some that the next offset names. The sinks have noted which ones, and refuse others."""
_SEAL = "sealed"


class FileLog:
    """The files found so far; kept in `directory`, or in memory alone.

    files: In reading order. sealed: Whether a bounded source has looked for files, which it does once.
    """

    def __init__(self, directory: str | None) -> None:
        self._path = Path(directory) / "files.jsonl" if directory else None
        self.files: list[FileInfo] = []
        self.sealed = False
        self._known: set[str] = set()
        self._end = self._lines = 0
        if self._path is not None:
            self._read_on(self._path)

    def is_behind(self, offset: Offset) -> bool:
        """Whether a recovery (spark/checkpoint/recovery.py) has set an offset that names files not found
        yet."""
        resumed = self._path is not None and (self._path.parent / RESUMED).exists()
        return resumed and not self.sealed and _named(offset) > len(self.files)

    def catch_up(self, found: Iterable[FileInfo]) -> None:
        """Add the files that there are after a recovery."""
        self.add(found, seal=False)
        if self._path is not None:
            (self._path.parent / RESUMED).unlink(missing_ok=True)

    def check(self, offset: Offset) -> None:
        """Raises DataError where the offset names a file that is not in the log: the log was lost."""
        named = _named(offset)
        if named > len(self.files):
            raise DataError(
                f"The checkpoint has read {named} files, but its log of files "
                f"{self._path or ''} names {len(self.files)}: the log was lost or damaged.",
                hint="restore the log, or begin again with an empty checkpoint folder and an empty sink",
            )

    def add(self, found: Iterable[FileInfo], *, seal: bool) -> None:
        """Append the files that are new. seal: no others will be looked for.

        Raises:
            JobError: The log cannot be written. Nothing was added.
        """
        if self._path is not None:
            self._read_on(self._path)
        if self.sealed:
            return
        new = [file for file in found if file.path not in self._known]
        entries: list[object] = [*map(_entry, new), *([_SEAL] if seal else [])]
        if self._path is None:
            for entry in entries:
                self._take(entry)
        elif entries:
            self._append(self._path, "".join(f"{json.dumps(entry)}\n" for entry in entries).encode())
            self._read_on(self._path)

    def amend(self, changed: Mapping[str, FileInfo]) -> None:
        """Replace what the log says of files, by their paths, durably. Their places in the log stay.

        Sinks know a micro-batch by a digest of the log, too. Offsets that name the files get another one.
        """
        assert self._path is not None
        lines = []
        for line in self._path.read_bytes()[: self._end].splitlines():
            entry = json.loads(line)
            found = changed.get(entry["path"]) if isinstance(entry, dict) else None
            lines.append(line.decode() if found is None else json.dumps(_entry(found)))
        write_whole(self._path, "".join(f"{line}\n" for line in lines))

    def _append(self, path: Path, data: bytes) -> None:
        try:
            make_folders(path.parent)
            is_new = not path.exists()
            with path.open("ab", buffering=0) as stream:
                if stream.tell() > self._end:  # a line that was cut off by a crash
                    stream.truncate(self._end)
                try:
                    left = memoryview(data)
                    while left:
                        left = left[stream.write(left) :]
                    sync_stream(stream)
                except OSError:
                    with suppress(OSError):
                        stream.truncate(self._end)
                    raise
            if is_new:
                sync_folder(path.parent)
        except OSError as error:
            raise JobError(f"{path}: cannot be written: {error.strerror}.") from None

    def _read_on(self, path: Path) -> None:
        """Take what was appended. A line that was cut off by a crash was never named by an offset."""
        if not path.exists() or path.stat().st_size <= self._end:
            return
        with path.open("rb") as stream:
            stream.seek(self._end)
            data = stream.read()
        whole = data[: data.rfind(b"\n") + 1]
        for line in whole.splitlines():
            self._lines += 1
            try:
                self._take(json.loads(line))
            except (ValueError, TypeError):
                raise DataError(
                    f"{path}, line {self._lines}: the checkpoint's log of files is damaged."
                ) from None
        self._end += len(whole)

    def _take(self, entry: object) -> None:
        if entry == _SEAL:
            self.sealed = True
            return
        if not isinstance(entry, dict):
            raise TypeError
        file = FileInfo(**entry)
        if file.path not in self._known and not self.sealed:  # a file stands where it was first found
            self._known.add(file.path)
            self.files.append(file)


def _named(offset: Offset) -> int:
    """How many files an offset names."""
    return int(offset["file"] + bool(offset["byte"]))


def _entry(file: FileInfo) -> dict[str, object]:
    entry = {"path": file.path, "size": file.size, "modified": file.modified, "digest": file.digest}
    return entry | ({"left_out": True} if file.left_out else {})
