"""How far a directory was read: offsets over a log of the files found.

An offset is `{"file": n, "byte": b}`: the first n files of the log are read, and b bytes of the next one,
which end at a line's end. The log is written before an offset that names a file is given out, so an offset
means the same after a restart, whatever is in the directory by then.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import asdict, replace
from pathlib import Path

from firesteel.connectors.base import Offset, ReadLimit
from firesteel.connectors.filesystem_records import record_end
from firesteel.connectors.filesystem_splits import FileInfo, Piece, open_file
from firesteel.errors import DataError, JobError
from firesteel.formats.base import Framing

_SEAL = "sealed"
_READ_SIZE = 1 << 20
_FEW_LINES = 1000
_REST = 1 / 8
"""Where about so many rows are wanted, that part of them may come on top if it is the rest of the file."""


class FileLog:
    """The files found so far, in reading order; kept in `directory`, or in memory alone."""

    def __init__(self, directory: str | None) -> None:
        self._path = Path(directory) / "files.jsonl" if directory else None
        self.files: list[FileInfo] = []
        self.sealed = False
        if self._path is not None and self._path.exists():
            self._load(self._path)

    def _load(self, path: Path) -> None:
        """Read the log; a line that was cut off by a crash was never named by an offset."""
        lines = path.read_text(encoding="utf-8", errors="replace").split("\n")[:-1]
        known = set()
        for number, line in enumerate(lines, 1):
            try:
                entry = json.loads(line)
                file = None if entry == _SEAL else FileInfo(**entry)
            except (ValueError, TypeError):
                raise DataError(f"{path}, line {number}: the checkpoint's log of files is damaged.") from None
            if file is None:
                self.sealed = True
            elif file.path not in known:  # a file stands where it was first found
                known.add(file.path)
                self.files.append(file)

    def grown(self, sizes: Mapping[str, int]) -> Iterator[tuple[str, int]]:
        """Files that are longer than when they were found: path, bytes that came after. sizes: by path."""
        for file in self.files:
            if (added := sizes.get(file.path, 0) - file.size) > 0:
                yield file.path, added

    def check(self, offset: Offset) -> None:
        """Raises DataError where the offset names a file that is not in the log: the log was lost."""
        named = offset["file"] + (1 if offset["byte"] else 0)
        if named > len(self.files):
            raise DataError(
                f"The checkpoint has read {named} files, but its log of files "
                f"{self._path or ''} names {len(self.files)}: the log was lost or damaged.",
                hint="restore the log, or begin again with an empty checkpoint folder and an empty sink",
            )

    def add(self, found: list[FileInfo], *, seal: bool) -> None:
        """Append those that are new. seal: a bounded source looks for files once."""
        known = {file.path for file in self.files}
        new = [file for file in found if file.path not in known]
        self.files += new
        lines = [json.dumps(asdict(file)) for file in new]
        if seal and not self.sealed:
            self.sealed = True
            lines.append(json.dumps(_SEAL))
        if self._path is not None and lines:
            self._append(self._path, lines)

    def _append(self, path: Path, lines: list[str]) -> None:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            _cut_torn_line(path)
            with path.open("a", encoding="utf-8") as stream:
                stream.write("".join(f"{line}\n" for line in lines))
                stream.flush()
                os.fsync(stream.fileno())
        except OSError as error:
            raise JobError(f"{path}: cannot be written: {error.strerror}.") from None


def _cut_torn_line(path: Path) -> None:
    if not path.exists():
        return
    data = path.read_bytes()
    if data and not data.endswith(b"\n"):
        with path.open("r+b") as stream:
            stream.truncate(data.rfind(b"\n") + 1)


def ahead(files: list[FileInfo], start: Offset, limit: ReadLimit, framing: Framing | None = None) -> Offset:
    """The offset that is as far from `start` as the limits allow, at the end of a line, or where a framing
    is given of a record."""
    index, byte = start["file"], start["byte"]
    rows, size, count = limit.rows, limit.bytes, limit.files
    while index < len(files):
        if (rows is not None and rows <= 0) or (size is not None and size <= 0) or count == 0:
            break
        file = files[index]
        end, lines = file.size, 0
        if not file.compressed and (rows is not None or size is not None):
            end, lines = _end(file, byte, replace(limit, rows=rows, bytes=size), framing)
        rows = None if rows is None else rows - lines
        size = None if size is None else size - (end - byte)
        if end < file.size:
            return {"file": index, "byte": end}
        index, byte = index + 1, 0
        count = None if count is None else count - 1
    return {"file": index, "byte": byte}


def _end(file: FileInfo, start: int, limit: ReadLimit, framing: Framing | None) -> tuple[int, int]:
    """The end of the line or record with which the limit is reached, and the number of them up to there."""
    is_rough = limit.is_rough and limit.bytes is None
    guess = _about(file, start, limit.rows) if is_rough and limit.rows is not None else None
    if guess and (framing is None or guess[0] == file.size):
        return guess
    if framing is not None:
        return record_end(Piece(file, start, file.size, known=start), framing, limit.rows, limit.bytes)
    return _line_end(file, start, limit.rows, limit.bytes)


def _line_end(file: FileInfo, start: int, rows: int | None, size: int | None) -> tuple[int, int]:
    position, lines = start, 0
    with open_file(file) as stream:
        stream.seek(start)
        while position < file.size:
            line_start = position
            data = stream.read(_step(rows, lines, size))
            if not data:
                break
            if not data.endswith(b"\n"):
                data += stream.readline()
            found = data.count(b"\n") or 1
            if rows is not None and lines + found > rows:
                return _nth_line(data, rows - lines) + line_start, rows
            position, lines = position + len(data), lines + found
            if (rows is not None and lines >= rows) or (size is not None and position - start >= size):
                break
    return min(position, file.size), lines


def _about(file: FileInfo, start: int, rows: int) -> tuple[int, int] | None:
    """The same, if all lines were as long as the first ones; None where these are all that is wanted."""
    with open_file(file) as stream:
        stream.seek(start)
        first = stream.read(_READ_SIZE)
        length = len(first) / (first.count(b"\n") or 1)
        end = start + int(rows * length)
        if end <= start + _READ_SIZE:
            return None
        if end + rows * length * _REST >= file.size:
            return file.size, int((file.size - start) / length)
        stream.seek(end)
        return end + len(stream.readline()), rows


def _step(rows: int | None, lines: int, size: int | None) -> int:
    """How much to read at once: little where few lines or bytes are wanted."""
    if rows is not None and rows - lines <= _FEW_LINES:
        return 1
    return _READ_SIZE if size is None else max(1, min(_READ_SIZE, size))


def _nth_line(data: bytes, count: int) -> int:
    end = 0
    for _ in range(count):
        end = data.index(b"\n", end) + 1
    return end


def between(files: list[FileInfo], start: Offset, end: Offset) -> list[Piece]:
    """What is to be read from one offset to another, all of whose files are there (FileLog.check)."""
    last = end["file"] + (1 if end["byte"] else 0)
    pieces = []
    for index in range(start["file"], last):
        first = start["byte"] if index == start["file"] else 0
        stop = end["byte"] if index == end["file"] else files[index].size
        if stop > first or files[index].compressed:
            pieces.append(Piece(files[index], first, stop, known=first))
    return pieces
