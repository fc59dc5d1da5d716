"""Reading of files in pieces, if their records may contain line ends.

A line end may be part of a value. So only the text before a record shows where the record starts. Reading
starts at `Piece.known`, an earlier start of a record. The records that start before the piece are left out.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from firesteel.connectors.filesystem.splits import Piece, record_blocks, too_long
from firesteel.formats.base import Framing
from firesteel.formats.messages.message_bytes import MessageBytes

LONGEST_RECORD = 1 << 28
"""Limit of the bytes of a record of several lines. A longer record is an error."""
Placed = tuple[int, pa.BinaryArray]
"""Position of a block's first byte in the (uncompressed) file, and the messages in the block."""


def records_of(piece: Piece, framing: Framing) -> Iterator[Placed]:
    """Yield the records that begin in a piece of a file.

    Raises:
        DataError: The file cannot be read, or a record is too long.
    """
    for position, messages in _records(piece, framing):
        places = position + MessageBytes.of(messages).offsets
        first, last = np.searchsorted(places[:-1], (piece.start, _end(piece))).tolist()
        if last > first:
            yield int(places[first]), messages.slice(first, last - first)
        if last < len(messages):
            return


def record_end(piece: Piece, framing: Framing, rows: int | None, size: int | None) -> tuple[int, int]:
    """Return the end of the record that reaches one of the limits, and the number of records up to it.

    If no record reaches a limit, return the end of the piece, and the number of all records. The piece must
    begin with a record.

    Args:
        piece: A part of a file up to its end.
        framing: Splitter of the file into records.
        rows: Limit of records; None for no limit.
        size: Limit of bytes, which the last record may exceed; None for no limit.

    Returns:
        The end as a byte position in the file, and the number of records with the last one.

    Raises:
        DataError: The file cannot be read, or a record is too long.
    """
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
    """Yield all records from `piece.known`, where a record starts, up to the end of the file."""
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
