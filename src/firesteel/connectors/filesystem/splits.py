"""Files: which there are, how they are cut at line ends, and how a piece is read in blocks."""

from __future__ import annotations

import gzip
import re
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import IO, Any, cast
from urllib.parse import unquote, urlsplit

from firesteel.connectors.base import Split
from firesteel.errors import DataError, NotSupportedError

BLOCK_SIZE = 4 << 20
"""Bytes that are read and decoded together: what two cores work on at once then fits into their cache."""
MIN_PIECE = 4 << 20
"""A file is not cut into pieces smaller than this: a task costs more than reading it."""
_WHOLE_READ_SIZE = 1 << 16
_LONGEST_LINE = 1 << 30
"""Bytes of a line: a column of messages holds 2 GB in all."""


@dataclass(frozen=True, slots=True)
class FileInfo:
    """A file as it was when it was found.

    size: In bytes. modified: In milliseconds since 1970. digest: Of its content
    (changes.py); empty if it was not taken.
    """

    path: str
    size: int
    modified: int
    digest: str = ""

    @property
    def compressed(self) -> bool:
        return self.path.endswith((".gz", ".gzip"))


@dataclass(frozen=True)
class Piece:
    """The lines or records of a file that start at or after `start` and before `end` (bytes; compressed
    files are one piece). known: a place up to `start` where a record begins."""

    file: FileInfo
    start: int
    end: int
    known: int = 0

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Piece:
        return cls(**{**data, "file": FileInfo(**data["file"])})


def local_path(path: str) -> Path:
    """The path of a table's `path` option. Raises NotSupportedError for a file system other than the
    local one."""
    if re.match(r"[A-Za-z][A-Za-z0-9+.-]*:/", path):
        parts = urlsplit(path)
        if parts.scheme.lower() != "file":
            raise NotSupportedError(
                f"The filesystem connector reads local files only, not '{parts.scheme}'.",
                hint="use a path such as /data/t.json or file:///data/t.json",
            )
        return Path(unquote(parts.path))
    return Path(path)


def check_path(path: str) -> Path:
    """Return the local file or folder of a table's path.

    Raises:
        DataError: There is none, or it cannot be seen.
    """
    root = local_path(path)
    try:
        is_there = root.exists()
    except OSError as error:
        raise DataError(f"The path '{path}' cannot be listed: {error.strerror}.") from None
    if not is_there:
        raise DataError(f"The path '{path}' does not exist.", hint="check the table's option 'path'")
    return root


def whole(file: FileInfo) -> Piece:
    """All of a file."""
    return Piece(file, 0, file.size)


def cut(pieces: list[Piece], parallelism: int) -> list[Split]:
    """At most `parallelism` splits of about the same size, in order."""
    total = sum(piece.end - piece.start for piece in pieces)
    share = max(MIN_PIECE, -(-total // max(1, parallelism)))
    groups: list[list[Piece]] = []
    room = 0
    for piece in pieces:
        for part in [piece] if piece.file.compressed else _parts(piece, room, share):
            if room <= 0:
                groups.append([])
                room = share
            groups[-1].append(part)
            room -= part.end - part.start
    return [
        Split(ordinal, {"pieces": [piece.to_json() for piece in group]})
        for ordinal, group in enumerate(groups)
    ]


def _parts(piece: Piece, room: int, share: int) -> Iterator[Piece]:
    """The piece, cut where a split is full; a rest that is small stays with its neighbour."""
    start = piece.start
    size = room if room > 0 else share
    while piece.end - start > size + MIN_PIECE // 4:
        yield replace(piece, start=start, end=start + size)
        start += size
        size = share
    yield replace(piece, start=start)


def open_file(file: FileInfo) -> IO[bytes]:
    """Open for reading. Raises DataError."""
    try:
        if file.compressed:
            return cast("IO[bytes]", gzip.open(file.path))
        return Path(file.path).open("rb")
    except OSError as error:
        raise DataError(f"{file.path}: cannot be read: {error.strerror}.") from None


def blocks(piece: Piece, size: int = BLOCK_SIZE) -> Iterator[tuple[int, bytes]]:
    """The piece's lines in blocks of about `size` bytes, each with the position of its first byte (in the
    uncompressed file). Raises DataError."""
    with _reading(piece) as stream:
        if piece.file.compressed:
            yield from _of_stream(stream, piece.file, size)
            return
        position = _first_line(stream, piece)
        while position < piece.end and (
            block := _lines_at(stream, piece.file, position, min(size, piece.end - position))
        ):
            yield position, block
            position += len(block)


def record_blocks(piece: Piece, size: int = BLOCK_SIZE) -> Iterator[tuple[int, bytes]]:
    """The same of all that is behind `known`, smaller ones behind the piece's end: its last record may be
    long."""
    with _reading(piece) as stream:
        if piece.file.compressed:
            yield from _of_stream(stream, piece.file, size)
            return
        position = piece.known
        while block := _lines_at(
            stream, piece.file, position, min(size, max(piece.end - position, _WHOLE_READ_SIZE))
        ):
            yield position, block
            position += len(block)


@contextmanager
def _reading(piece: Piece) -> Iterator[IO[bytes]]:
    try:
        with open_file(piece.file) as stream:
            yield stream
    except (OSError, EOFError, zlib.error) as error:
        raise DataError(f"{piece.file.path}: cannot be read: {error}.") from None


def _of_stream(stream: IO[bytes], file: FileInfo, size: int) -> Iterator[tuple[int, bytes]]:
    """All of it."""
    position = 0
    while block := _next_lines(stream, file, position, size):
        yield position, block
        position += len(block)


def _first_line(stream: IO[bytes], piece: Piece) -> int:
    """Go to the first line that starts at or after the piece's start."""
    if piece.start == 0:
        return 0
    stream.seek(piece.start - 1)
    _rest_of_line(stream, piece.file, piece.start)
    return stream.tell()


def _next_lines(stream: IO[bytes], file: FileInfo, position: int, size: int) -> bytes:
    """`size` bytes and the rest of the line that they end in."""
    block = stream.read(size)
    return block if block.endswith(b"\n") else block + _rest_of_line(stream, file, position)


def _rest_of_line(stream: IO[bytes], file: FileInfo, position: int) -> bytes:
    """Raises DataError where the line does not end soon."""
    found = stream.readline(_LONGEST_LINE)
    if len(found) == _LONGEST_LINE:
        raise too_long(file, position, "line", _LONGEST_LINE)
    return found


def too_long(file: FileInfo, position: int, what: str, most: int, hint: str | None = None) -> DataError:
    """The error for a line or record around byte `position` that no column of messages holds."""
    message = f"{file.path}: the {what} around byte {position} is longer than {most:,} bytes."
    return DataError(message, hint=hint)


def _lines_at(stream: IO[bytes], file: FileInfo, position: int, size: int) -> bytes:
    """The same from there: the rest of the line is found first, which spares a copy. Nothing is read that
    came behind the file after it was found."""
    size = min(size, file.size - position)
    if size <= 0:
        return b""
    stream.seek(position + size - 1)
    rest = len(_rest_of_line(stream, file, position))
    stream.seek(position)
    return stream.read(min(size - 1 + rest, file.size - position))


def line_number(file: FileInfo, position: int) -> int:
    """The number, from 1, of the line that starts at byte `position`."""
    lines = 1
    with open_file(file) as stream:
        left = position
        while left > 0:
            data = stream.read(min(left, _WHOLE_READ_SIZE))
            if not data:
                break
            lines += data.count(b"\n")
            left -= len(data)
    return lines
