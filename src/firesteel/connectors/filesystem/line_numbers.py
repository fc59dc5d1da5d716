"""File and line from which each change comes; for files without lines, such as Parquet, file and row."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from firesteel.connectors.filesystem.splits import FileInfo, line_number
from firesteel.formats.base import Indices
from firesteel.formats.messages.message_bytes import MessageBytes

FILE, LINE, ROW = "file", "line", "row"
"""Columns that say where a change comes from: path of a file, and number of a line or row in it, from 1."""


class LineNumbers:
    """Line numbers of the messages of a file.

    The messages come in blocks, in the order of the file. Each block continues the count of the block before
    it, so no line is counted twice.

    Args:
        file: The file.
    """

    def __init__(self, file: FileInfo) -> None:
        self._file = file
        self._end, self._next = 0, 1

    def places(self, position: int, messages: pa.BinaryArray, at: Indices) -> pa.Table:
        """Return the columns FILE and LINE for the n changes of a block.

        Args:
            position: Position of the block's first message in the file, in bytes.
            messages: The block's messages with their line ends, without gaps between them in the file.
            at: int64[n], index in `messages` of the message from which each change comes.
        """
        if position != self._end:
            self._next = line_number(self._file, position)
        ends = pc.count_substring(messages, b"\n").to_numpy(zero_copy_only=False)
        counted = np.concatenate([[0], np.cumsum(ends, dtype=np.int64)])
        lines = self._next + counted[:-1][at]
        sizes = MessageBytes.of(messages).offsets
        self._next += int(counted[-1])
        self._end = position + int(sizes[-1] - sizes[0])
        return pa.table({FILE: pa.repeat(self._file.path, len(at)), LINE: pa.array(lines, pa.int64())})


def row_places(file: FileInfo, first: int, count: int) -> pa.Table:
    """Return the columns FILE and ROW for `count` rows of a file without lines, such as Parquet.

    The rows have the numbers first, first + 1, ... The first row of the file has the number 1.
    """
    rows = pa.array(np.arange(first, first + count), pa.int64())
    return pa.table({FILE: pa.repeat(file.path, count), ROW: rows})
