"""Log of the files that a stream has found, in reading order. Offsets count its entries.

Runs only append to the log; only a recovery changes entries (`amend`). Each append is one write at the end
of the log. After its append, a run reads all new entries from the log, also those of another run. Two runs
may append at once if one was paused and another has taken over. Both then have the same files in the same
order.
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
"""Name of a file beside the log. If a recovery has created it, the source lists its folder once more.

A recovery may set an offset that counts more files than this log has. A run with another copy of the
checkpoint has found the additional files and has delivered their rows. The source then has to find the same
files. The sinks have recorded a digest of the log entries of these files. They refuse the micro-batch if the
source finds other files.
"""
_SEAL = "sealed"


class FileLog:
    """Log of the found files, kept in `directory`, or only in memory.

    Attributes:
        files: The files in reading order.
        sealed: Whether a bounded source has looked for files, which it does once.
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
        """Return whether a recovery has set an offset that counts more files than the log has.

        The recovery is that of spark/checkpoint/recovery.py. RESUMED explains how it comes to such an offset.
        """
        resumed = self._path is not None and (self._path.parent / RESUMED).exists()
        return resumed and not self.sealed and _named(offset) > len(self.files)

    def catch_up(self, found: Iterable[FileInfo]) -> None:
        """Add the files that exist after a recovery, and remove the file RESUMED: `is_behind` becomes False.

        Files that the log has already are not added again.
        """
        self.add(found, seal=False)
        if self._path is not None:
            (self._path.parent / RESUMED).unlink(missing_ok=True)

    def check(self, offset: Offset) -> None:
        """Check that the log has all files that an offset counts.

        Raises:
            DataError: The log was lost or damaged.
        """
        named = _named(offset)
        if named > len(self.files):
            raise DataError(
                f"The checkpoint has read {named} files, but its log of files "
                f"{self._path or ''} names {len(self.files)}: the log was lost or damaged.",
                hint="restore the log, or begin again with an empty checkpoint folder and an empty sink",
            )

    def add(self, found: Iterable[FileInfo], *, seal: bool) -> None:
        """Append the files whose paths are not in the log yet. Do nothing if the log is sealed.

        Args:
            found: Files that the source has found.
            seal: Whether to seal the log afterwards: no file is added later, not even after a restart.

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
        """Replace the log entries of files, by their paths, durably. Their positions in the log stay.

        A sink records a digest of the log entries up to the offset of its last micro-batch, and refuses this
        micro-batch if the digest differs. The new entries change this digest. So the caller first moves the
        sinks back to the last committed micro-batch (recovery.py: settle_changed_files).
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
                if stream.tell() > self._end:  # The last line is incomplete, because of a crash.
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
        """Read the entries that were appended since the last call.

        If a crash has left the last line without its end, ignore this line: no offset counts its file.

        Raises:
            DataError: A line is no valid entry.
        """
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
        # A file keeps the position at which it was first found.
        if file.path not in self._known and not self.sealed:
            self._known.add(file.path)
            self.files.append(file)


def _named(offset: Offset) -> int:
    """Return how many files an offset counts, including a partly read one."""
    return int(offset["file"] + bool(offset["byte"]))


def _entry(file: FileInfo) -> dict[str, object]:
    entry = {"path": file.path, "size": file.size, "modified": file.modified, "digest": file.digest}
    return entry | ({"left_out": True} if file.left_out else {})
