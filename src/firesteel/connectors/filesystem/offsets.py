"""Offsets over a log of the files found (log.py), which record how much of a directory was read.

The offset `{"file": n, "byte": b}` means that the first n files of the log are read, and b bytes of the next
one, up to the end of a line. The log is written before an offset that counts a file is returned. So an offset
means the same after a restart, whatever the directory contains by then.
"""

from __future__ import annotations

from dataclasses import replace

from firesteel.connectors.base import Offset, ReadLimit
from firesteel.connectors.filesystem.records import record_end
from firesteel.connectors.filesystem.splits import FileInfo, Piece, open_file
from firesteel.formats.base import Framing

_READ_SIZE = 1 << 20
_FEW_LINES = 1000
_REST = 1 / 8
"""Fraction by which an estimate (`_about`) may exceed the limit of bytes if it then completes the file."""


def ahead(files: list[FileInfo], start: Offset, limit: ReadLimit, framing: Framing | None = None) -> Offset:
    """Return the furthest offset from `start` that the limits allow.

    The offset is at the end of a line or record. So the last line may exceed the limit of bytes. A compressed
    file is read whole: its size counts for the limit of bytes, but its rows do not count for that of rows.

    Args:
        files: Files of the log, in reading order.
        start: Offset at which reading begins.
        limit: Upper limits of rows, bytes and files.
        framing: Splitter of a file into records that may contain line ends; None if each line is a record.
    """
    index, byte = start["file"], start["byte"]
    rows, size, count = limit.rows, limit.bytes, limit.files
    while index < len(files):
        if (rows is not None and rows <= 0) or (size is not None and size <= 0) or count == 0:
            break
        file = files[index]
        if file.left_out:
            index, byte = index + 1, 0
            continue
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
    """Return the end of the line or record that reaches the limit, and the number of lines or records.

    The number counts from `start` to this end. Both may be estimates if `limit.is_rough`. If the file ends
    before the limit, return the file's end.
    """
    guess = (
        _about(file, start, limit.rows, limit.bytes) if limit.is_rough and limit.rows is not None else None
    )
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


def _about(file: FileInfo, start: int, rows: int, size: int | None) -> tuple[int, int] | None:
    """Return an estimate of `_end`, assuming that all lines are as long as the first ones.

    The end exceeds the limit of bytes by less than a line, or by at most _REST to complete the file.

    Returns:
        The end and the number of lines, or None if the limit is within the bytes that the estimate reads.
    """
    with open_file(file) as stream:
        stream.seek(start)
        first = stream.read(_READ_SIZE)
        length = len(first) / (first.count(b"\n") or 1)
        wanted = int(rows * length) if size is None else min(size, int(rows * length))
        if wanted <= _READ_SIZE:
            return None
        if start + wanted * (1 + _REST) >= file.size:
            return file.size, int((file.size - start) / length)
        stream.seek(start + wanted)
        end = start + wanted + len(stream.readline())
    return end, max(1, int((end - start) / length))


def _step(rows: int | None, lines: int, size: int | None) -> int:
    """Return the number of bytes to read next; the caller then reads on to the end of the line.

    If at most _FEW_LINES lines are left before the limit, return 1, so that the caller reads line by line.
    Otherwise return _READ_SIZE, or the limit of bytes if this is smaller.

    Args:
        rows: Limit of lines; None for no limit.
        lines: Number of lines that are read already.
        size: Limit of bytes, including those that are read already; None for no limit.
    """
    if rows is not None and rows - lines <= _FEW_LINES:
        return 1
    return _READ_SIZE if size is None else max(1, min(_READ_SIZE, size))


def _nth_line(data: bytes, count: int) -> int:
    end = 0
    for _ in range(count):
        end = data.index(b"\n", end) + 1
    return end


def between(files: list[FileInfo], start: Offset, end: Offset) -> list[Piece]:
    """Return what to read between two offsets: for each file, a piece with the range of its bytes.

    Files with `left_out` have no piece. All files must be in the log (FileLog.check).
    """
    last = end["file"] + (1 if end["byte"] else 0)
    pieces = []
    for index in range(start["file"], last):
        if files[index].left_out:
            continue
        first = start["byte"] if index == start["file"] else 0
        stop = end["byte"] if index == end["file"] else files[index].size
        if stop > first or files[index].compressed:
            pieces.append(Piece(files[index], first, stop, known=first))
    return pieces
