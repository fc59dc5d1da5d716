"""Files of csv to records: a quoted value may hold line ends.

Jackson opens a quote only where a value begins, and only a separator or a line end may follow the closing
one. Where all quotes of a piece of text stand so, every second one closes: records are found in columns.
Any other text is read character by character.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from firesteel.formats.base import Flags, Indices
from firesteel.formats.csv_parser import CsvDialect, CsvReader, OpenQuote
from firesteel.formats.lines import Lines, cut
from firesteel.formats.message_bytes import Bytes

_LF, _CR = ord("\n"), ord("\r")


@dataclass(frozen=True)
class Quotes:
    """The quotes of some text. at: their places; odd: those that stand where Jackson gives them another
    meaning, or none; starts: places where a record begins, whatever the quotes before."""

    at: Indices
    odd: Flags
    starts: Indices

    @classmethod
    def of(cls, data: Bytes, dialect: CsvDialect, starts: Indices) -> Quotes:
        """Find them."""
        if dialect.quote is None:
            return cls(np.empty(0, dtype=np.int64), np.empty(0, dtype=bool), starts)
        quote, separator = ord(dialect.quote), ord(dialect.delimiter)
        at = np.flatnonzero(data == quote)
        closes = (np.arange(len(at)) - _before(at, _last(starts, at))) % 2 == 1
        before = data[np.maximum(at - 1, 0)]
        after = data[np.minimum(at + 1, len(data) - 1)]
        begins = (before == separator) | (before == _LF) | (before == quote) | (at == _last(starts, at))
        ends = np.isin(after, (separator, _LF, _CR, quote)) | (at == len(data) - 1)
        return cls(at, ~np.where(closes, ends, begins), starts)

    def inside(self, places: Indices) -> Flags:
        """Whether places are within quoted values."""
        found: Flags = (_before(self.at, places) - _before(self.at, _last(self.starts, places))) % 2 == 1
        return found


def _last(starts: Indices, places: Indices) -> Indices:
    """The start before each place."""
    if len(starts) == 1:
        return np.broadcast_to(starts, places.shape)
    return starts[np.searchsorted(starts, places, side="right") - 1]


def _before(at: Indices, places: Indices) -> Indices:
    return np.searchsorted(at, places)


class Records:
    """A Framing (base.py): each record is a message and keeps its line end."""

    def __init__(self, dialect: CsvDialect) -> None:
        self._dialect = dialect
        marks = (dialect.escape, "#" if dialect.comments else None)
        self._marks = [mark.encode() for mark in marks if mark]

    def split(self, block: bytes) -> tuple[pa.BinaryArray, bytes]:
        """See Framing."""
        if self._dialect.quote is None and not self._marks and b"\r" not in block:
            return Lines().split(block)
        data = np.frombuffer(block, dtype=np.uint8)
        plain = (self._dialect.delimiter + (self._dialect.quote or "")).isascii()
        if not plain or any(mark in block for mark in self._marks) or _lone_returns(data):
            return self._exactly(block)
        quotes = Quotes.of(data, self._dialect, np.zeros(1, dtype=np.int64))
        if quotes.odd.any():
            return self._exactly(block)
        ends = np.flatnonzero(data == _LF)
        ends = ends[~quotes.inside(ends)] + 1
        whole = int(ends[-1]) if len(ends) else 0
        if whole < len(block) and len(quotes.at) % 2 == 0:
            ends = np.append(ends, len(block))  # the file's last line
            whole = len(block)
        return cut(block[:whole], ends), block[whole:]

    def finish(self, rest: bytes) -> pa.BinaryArray:
        """See Framing: an open quote is for the decoder to refuse."""
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
    """Whether a CR stands before something else than a LF: it ends a record, if it is not quoted."""
    at = np.flatnonzero(data == _CR)
    return bool((data[np.minimum(at + 1, len(data) - 1)] != _LF).any())
