"""Split csv files into records. A quoted value may contain line ends.

Jackson opens a quote only at the beginning of a value, and only a separator or a line end may follow the
closing one. If all quotes of a block follow this rule, a kernel finds the records. Other text is read
character by character.
"""

from __future__ import annotations

import sys

import numpy as np
import pyarrow as pa

from firesteel.formats.base import Indices
from firesteel.formats.csv.csv_parser import CsvDialect, CsvReader, OpenQuote
from firesteel.formats.messages.lines import Lines, cut
from firesteel.kernels.types import Bytes

_LF, _CR = ord("\n"), ord("\r")
KERNEL = "firesteel.kernels.text.csv_scan"
_WORTH_LOADING = 1 << 18
"""Number of bytes below which reading characters is faster than loading the kernel."""
_SHORT = 64
"""Expected mean size of a record, in bytes.

It sets the size of the array for the positions of records. If a block has more of them, it is scanned again.
"""


class Records:
    """Framing of csv files: each record is a message and keeps its line end."""

    def __init__(self, dialect: CsvDialect) -> None:
        self._dialect = dialect
        marks = (dialect.escape, "#" if dialect.comments else None)
        self._marks = [mark.encode() for mark in marks if mark]

    def split(self, block: bytes) -> tuple[pa.BinaryArray, bytes]:
        if self._dialect.quote is None and not self._marks and b"\r" not in block:
            return Lines().split(block)
        data = np.frombuffer(block, dtype=np.uint8)
        plain = (self._dialect.delimiter + (self._dialect.quote or "")).isascii()
        is_worth = KERNEL in sys.modules or len(block) >= _WORTH_LOADING
        odd = not plain or not is_worth or any(mark in block for mark in self._marks)
        if odd or (b"\r" in block and _lone_returns(data)):
            return self._exactly(block)
        ends, is_open = self._ends(data)
        if ends is None:
            return self._exactly(block)
        whole = int(ends[-1]) if len(ends) else 0
        if whole < len(block) and not is_open:
            # The file's last line may have no line end. The text behind the last line end is then a record.
            ends = np.append(ends, len(block))
            whole = len(block)
        return cut(block[:whole], ends), block[whole:]

    def _ends(self, data: Bytes) -> tuple[Indices | None, bool]:
        """Return the position after each record, and whether a quote is open after the last one.

        The positions are None if a quote does not follow the rule in this module's docstring.
        """
        from firesteel.kernels.text.csv_scan import ODD, record_ends

        quote = -1 if self._dialect.quote is None else ord(self._dialect.quote)
        room = len(data) // _SHORT + 1
        while True:
            ends = np.empty(room, np.int32)
            count, is_open = record_ends(data, ord(self._dialect.delimiter), quote, ends)
            if count <= room:
                return None if count == ODD else ends[:count].astype(np.int64), is_open
            room = count

    def finish(self, rest: bytes) -> pa.BinaryArray:
        """Return the last record. The decoder reports an open quote."""
        return cut(rest, np.array([len(rest)] if rest else [], dtype=np.int64))

    def _exactly(self, block: bytes) -> tuple[pa.BinaryArray, bytes]:
        text = block.decode("utf-8", "surrogateescape")
        reader = CsvReader(text, self._dialect)
        ends: list[int] = []
        start = end = 0
        while True:
            try:
                record = reader.next()
            except OpenQuote:
                break
            end += len(text[start : reader.position].encode("utf-8", "surrogateescape"))
            start = reader.position
            if record is None:
                break
            ends.append(end)
        return cut(block[: ends[-1] if ends else 0], np.array(ends, dtype=np.int64)), block[end:]


def _lone_returns(data: Bytes) -> bool:
    """Return whether any CR is not followed by a LF. Outside of quotes, a CR ends a record."""
    at = np.flatnonzero(data == _CR)
    return bool((data[np.minimum(at + 1, len(data) - 1)] != _LF).any())
