"""Places of rows in files: the line of each message, or the row of a file without lines."""

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
    """Line numbers of the messages of a file, whose blocks come in order.

    Lines are counted once, as the blocks come.

    Args:
        file: The file.
    """

    def __init__(self, file: FileInfo) -> None:
        self._file = file
        self._end, self._next = 0, 1

    def places(self, position: int, messages: pa.BinaryArray, at: Indices) -> pa.Table:
        """Return the file and the line of each change.

        Args:
            position: Position of the first message in the file, in bytes.
            messages: Messages without gaps between them.
            at: int64[n], index of the message of each change.
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
    """Return the columns FILE and ROW for `count` rows of a file without lines, from row `first` on."""
    rows = pa.array(np.arange(first, first + count), pa.int64())
    return pa.table({FILE: pa.repeat(file.path, count), ROW: rows})
