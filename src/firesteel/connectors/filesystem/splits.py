"""Pieces of files: how files are cut at line ends into splits, and read in blocks of whole lines."""

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

BLOCK_SIZE = 8 << 20
"""Number of bytes to read and decode together.

Each block costs some milliseconds, however small it is. Half the size took a fifth more CPU time for nested
JSON, twice the size saved nothing more.
"""
MIN_PIECE = 4 << 20
"""Smallest size of a split in bytes, except for the last one. For less, a task costs more than reading."""
_WHOLE_READ_SIZE = 1 << 16
_LONGEST_LINE = 1 << 30
"""Limit of the bytes of a line: 1 GB.

A block and the rest of its last line become one Arrow column, which holds up to 2 GB. BLOCK_SIZE bytes and
1 GB always fit.
"""


@dataclass(frozen=True, slots=True)
class FileInfo:
    """A file in the state in which it was listed."""

    path: str
    """Path of the file."""
    size: int
    """Size in bytes."""
    modified: int
    """Time of the last change, in milliseconds since 1970."""
    digest: str = ""
    """Digest of its content (changes.py); "" if it was not computed."""
    left_out: bool = False
    """Whether no more rows of the file are read, as the user requested after a change (changed_files.py)."""

    @property
    def compressed(self) -> bool:
        return self.path.endswith((".gz", ".gzip"))


@dataclass(frozen=True)
class Piece:
    """The lines or records of a file that start in a range of bytes. A compressed file is one piece."""

    file: FileInfo
    """The file."""
    start: int
    """First byte of the range."""
    end: int
    """End of the range, exclusive."""
    known: int = 0
    """A byte position at or before `start` where a record begins."""

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Piece:
        return cls(**{**data, "file": FileInfo(**data["file"])})


def local_path(path: str) -> Path:
    """Return the local path in a table's option `path`.

    Raises:
        NotSupportedError: The path is of another file system.
    """
    if re.match(r"[A-Za-z][A-Za-z0-9+.-]*:/", path):
        parts = urlsplit(path)
        if parts.scheme.lower() != "file":
            raise NotSupportedError(
                f"The filesystem connector reads local files only, not '{parts.scheme}'.",
                hint="use a path such as /data/t.json or file:///data/t.json",
                option="path",
            )
        return Path(unquote(parts.path))
    return Path(path)


def check_path(path: str) -> Path:
    """Return the local file or folder of a table's path.

    Raises:
        DataError: The path does not exist or cannot be listed.
    """
    root = local_path(path)
    try:
        is_there = root.exists()
    except OSError as error:
        raise DataError(f"The path '{path}' cannot be listed: {error.strerror}.", option="path") from None
    if not is_there:
        raise DataError(
            f"The path '{path}' does not exist.", hint="check the table's option 'path'", option="path"
        )
    return root


def whole(file: FileInfo) -> Piece:
    """Return a whole file as one piece."""
    return Piece(file, 0, file.size)


def cut(pieces: list[Piece], parallelism: int) -> list[Split]:
    """Return at most `parallelism` splits of about equal size, in the order of the pieces."""
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
    """Yield the parts of a piece: the first has `room` bytes if `room` > 0, all others have `share` bytes.

    `room` is the space left in the last split. If the rest after a part has at most MIN_PIECE / 4 bytes, it
    belongs to this part.
    """
    start = piece.start
    size = room if room > 0 else share
    while piece.end - start > size + MIN_PIECE // 4:
        yield replace(piece, start=start, end=start + size)
        start += size
        size = share
    yield replace(piece, start=start)


def open_file(file: FileInfo) -> IO[bytes]:
    """Open a file for reading. The stream of a compressed file yields the uncompressed bytes.

    Raises:
        DataError: The file cannot be opened.
    """
    try:
        if file.compressed:
            return cast("IO[bytes]", gzip.open(file.path))
        return Path(file.path).open("rb")
    except OSError as error:
        raise DataError(f"{file.path}: cannot be read: {error.strerror}.") from None


def blocks(piece: Piece) -> Iterator[tuple[int, bytes]]:
    """Yield the lines of a piece in blocks of about BLOCK_SIZE bytes, each with its first byte's position.

    Positions are those in the uncompressed file.

    Raises:
        DataError: The file cannot be read, or a line is too long.
    """
    with _reading(piece) as stream:
        if piece.file.compressed:
            yield from _of_stream(stream, piece.file, BLOCK_SIZE)
            return
        position = _first_line(stream, piece)
        while position < piece.end and (
            block := _lines_at(stream, piece.file, position, min(BLOCK_SIZE, piece.end - position))
        ):
            yield position, block
            position += len(block)


def record_blocks(piece: Piece) -> Iterator[tuple[int, bytes]]:
    """Yield the lines from `piece.known` to the end of the file in blocks, with their positions.

    The lines after the end of the piece are included because its last record may go on there. Their blocks
    are smaller, because usually only the first of these lines are needed.
    """
    with _reading(piece) as stream:
        if piece.file.compressed:
            yield from _of_stream(stream, piece.file, BLOCK_SIZE)
            return
        position = piece.known
        while block := _lines_at(
            stream, piece.file, position, min(BLOCK_SIZE, max(piece.end - position, _WHOLE_READ_SIZE))
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
    """Yield all lines of a stream in blocks, with their positions."""
    position = 0
    while block := _next_lines(stream, file, position, size):
        yield position, block
        position += len(block)


def _first_line(stream: IO[bytes], piece: Piece) -> int:
    """Seek the first line that starts at or after the piece's start, and return its position."""
    if piece.start == 0:
        return 0
    stream.seek(piece.start - 1)
    _rest_of_line(stream, piece.file, piece.start)
    return stream.tell()


def _next_lines(stream: IO[bytes], file: FileInfo, position: int, size: int) -> bytes:
    """Return `size` bytes and the rest of the line in which they end."""
    block = stream.read(size)
    return block if block.endswith(b"\n") else block + _rest_of_line(stream, file, position)


def _rest_of_line(stream: IO[bytes], file: FileInfo, position: int) -> bytes:
    """Return the rest of a line.

    Raises:
        DataError: The line is longer than a column of messages can hold.
    """
    found = stream.readline(_LONGEST_LINE)
    if len(found) == _LONGEST_LINE:
        raise too_long(file, position, "line", _LONGEST_LINE)
    return found


def too_long(file: FileInfo, position: int, what: str, most: int, hint: str | None = None) -> DataError:
    """Return the error for a line or record around byte `position` that is longer than `most` bytes.

    `what` is the word for it in the message: "line" or "record".
    """
    message = f"{file.path}: the {what} around byte {position} is longer than {most:,} bytes."
    return DataError(message, hint=hint)


def _lines_at(stream: IO[bytes], file: FileInfo, position: int, size: int) -> bytes:
    """Return the bytes from `position`, about `size` of them, up to the end of a line.

    The function first finds the end of the last line, then reads all bytes at once. To append the rest of the
    line to a block that is read already would copy the block. Bytes that were appended after the file was
    listed are not read.
    """
    size = min(size, file.size - position)
    if size <= 0:
        return b""
    stream.seek(position + size - 1)
    rest = len(_rest_of_line(stream, file, position))
    stream.seek(position)
    return stream.read(min(size - 1 + rest, file.size - position))


def line_number(file: FileInfo, position: int) -> int:
    """Return the number, from 1, of the line that starts at byte `position`."""
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
