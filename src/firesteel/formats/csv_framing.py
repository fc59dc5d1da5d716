"""Files of csv to records: a quoted value may hold line ends.

Jackson opens a quote only where a value begins, and only a separator or a line end may follow the closing
one. Where all quotes of a piece of text stand so, every second one closes: records are found in columns.
Any other text is read character by character.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from firesteel.formats.base import Flags, Indices
from firesteel.formats.csv_parser import CsvDialect, CsvReader, OpenQuote
from firesteel.formats.lines import Lines, cut
from firesteel.formats.message_bytes import Bytes, MessageBytes, places

_LF, _CR = ord("\n"), ord("\r")
_NONE = 256
"""No byte."""


@dataclass(frozen=True)
class Marks:
    """The quotes and line ends of some records.

    ends: places of LF and CR outside of quoted values. odd: places of quotes that stand where Jackson gives
    them another meaning, or none. unclosed: of each record, whether its last quote closes nothing. last: of
    each byte, whether a record ends with it.
    """

    ends: Indices
    odd: Indices
    unclosed: Flags
    last: Flags

    @classmethod
    def of(cls, data: Bytes, dialect: CsvDialect, starts: Indices) -> Marks:
        """Find them. starts: where the records begin; what is before one does not matter to it."""
        quote = _NONE if dialect.quote is None else ord(dialect.quote)
        at = places(data, lambda piece: (piece == _LF) | (piece == _CR) | (piece == quote))
        quotes = data[at] == quote
        last = _last(len(data), starts)
        inside, unclosed = _paired(at, quotes, starts, last)
        closes, found = inside[quotes], at[quotes]
        fits = np.where(closes, _may_close(data, found, dialect), _may_open(data, found, dialect, last))
        last[-1:] = True
        return cls(at[~quotes & ~inside], found[~fits], unclosed, last)

    @classmethod
    def of_records(cls, messages: pa.BinaryArray, content: MessageBytes, dialect: CsvDialect) -> Marks:
        """The same of a column. In records that come just as they were framed, all quotes stand well."""
        starts = content.offsets[:-1]
        framed = _framed
        data = messages.buffers()[2]
        if framed is None or framed.dialect != dialect or framed.records.buffers()[2].address != data.address:
            return cls.of(content.data, dialect, starts)
        begin = int(np.frombuffer(messages.buffers()[1], np.int32, 1, 4 * messages.offset)[0])
        first, end = np.searchsorted(framed.ends, (begin, begin + len(content.data))).tolist()
        last = _last(len(content.data), starts)
        last[-1:] = True
        none = np.empty(0, dtype=np.int64)
        return cls(framed.ends[first:end] - begin, none, np.zeros(len(messages), dtype=bool), last)


class _Framed(NamedTuple):
    """records, in which all quotes stand well, and their `Marks.ends`."""

    records: pa.BinaryArray
    ends: Indices
    dialect: CsvDialect


_framed: _Framed | None = None
"""What was framed last: it is decoded next. Nothing else has its bytes' address while it is kept here."""


def _last(size: int, starts: Indices) -> Flags:
    """Of each byte whether the next record begins behind it."""
    last = np.zeros(size, dtype=bool)
    last[starts[1:][starts[1:] > 0] - 1] = True
    return last


def _paired(at: Indices, quotes: Flags, starts: Indices, last: Flags) -> tuple[Flags, Flags]:
    """Of each mark whether it is within quotes, of each record whether one is left open."""
    after = np.logical_xor.accumulate(np.append(False, quotes))  # an odd number up to here
    inside, ending = after[:-1], np.flatnonzero(last[at]) + 1
    if len(ending) != len(starts) - 1:  # records without line ends
        ending = np.searchsorted(at, starts[1:])
    turned = after[ending]
    unclosed = np.diff(np.concatenate([[False], turned, after[-1:]]))
    if turned.any():
        inside = inside ^ np.append(False, turned)[np.searchsorted(starts, at, side="right") - 1]
    return inside, unclosed


def _may_open(data: Bytes, at: Indices, dialect: CsvDialect, last: Flags) -> Flags:
    """A quote opens where a value begins, or again behind one that has closed."""
    before = data[np.maximum(at - 1, 0)]
    found: Flags = (before == ord(dialect.delimiter)) | (before == _LF) | (before == ord(dialect.quote or ""))
    found |= last[np.maximum(at - 1, 0)]
    found |= at == 0
    return found


def _may_close(data: Bytes, at: Indices, dialect: CsvDialect) -> Flags:
    """A quote closes where a value ends, or another quote follows."""
    after = data[np.minimum(at + 1, len(data) - 1)]
    found: Flags = (after == ord(dialect.delimiter)) | (after == ord(dialect.quote or ""))
    found |= (after == _LF) | (after == _CR)
    found |= at == len(data) - 1
    return found


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
        if (
            not plain
            or any(mark in block for mark in self._marks)
            or (b"\r" in block and _lone_returns(data))
        ):
            return self._exactly(block)
        marks = Marks.of(data, self._dialect, np.zeros(1, dtype=np.int64))
        if len(marks.odd):
            return self._exactly(block)
        ends = marks.ends[data[marks.ends] == _LF] + 1
        whole = int(ends[-1]) if len(ends) else 0
        if whole < len(block) and not marks.unclosed[0]:
            ends = np.append(ends, len(block))  # the file's last line
            whole = len(block)
        records = cut(block[:whole], ends)
        global _framed
        _framed = _Framed(records, marks.ends, self._dialect)
        return records, block[whole:]

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
