"""Files whose records may hold line ends, read in pieces: where a record begins is only known from what
stands before it, so the records before a piece are found, and left out, again."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from firesteel.connectors.filesystem.splits import Piece, record_blocks, too_long
from firesteel.formats.base import Framing
from firesteel.formats.messages.message_bytes import MessageBytes

LONGEST_RECORD = 1 << 28
"""Bytes of a record of several lines."""
Placed = tuple[int, pa.BinaryArray]
"""Messages, and the place of the first one's first byte in the file."""


def records_of(piece: Piece, framing: Framing) -> Iterator[Placed]:
    """The records that begin in the piece. Raises DataError where the file cannot be read."""
    for position, messages in _records(piece, framing):
        places = position + MessageBytes.of(messages).offsets
        first, last = np.searchsorted(places[:-1], (piece.start, _end(piece))).tolist()
        if last > first:
            yield int(places[first]), messages.slice(first, last - first)
        if last < len(messages):
            return


def record_end(piece: Piece, framing: Framing, rows: int | None, size: int | None) -> tuple[int, int]:
    """The end of the record with which `rows` records or `size` bytes of the piece, which begins with one,
    are reached, and the number of records up to there. Raises DataError."""
    found = 0
    for position, messages in _records(piece, framing):
        ends = position + MessageBytes.of(messages).offsets[1:]
        wanted = math.inf if rows is None else rows - found
        if size is not None:
            wanted = min(wanted, int(np.searchsorted(ends, piece.start + size)) + 1)
        if wanted <= len(ends):
            return int(ends[int(wanted) - 1]), found + int(wanted)
        found += len(ends)
    return piece.end, found


def _end(piece: Piece) -> int:
    return np.iinfo(np.int64).max if piece.file.compressed else piece.end


def _records(piece: Piece, framing: Framing) -> Iterator[Placed]:
    """All from a place on where one is known to begin."""
    rest, position = b"", piece.known
    for start, block in record_blocks(piece):
        position = start - len(rest)
        if len(rest) > LONGEST_RECORD:
            raise too_long(piece.file, position, "record", LONGEST_RECORD, "is a quote not closed?")
        messages, rest = framing.split(rest + block if rest else block)
        yield position, messages
        position = start + len(block) - len(rest)
    if rest:
        yield position, framing.finish(rest)
