"""What the columnar readers of the JSON formats share: cells of a scan to values of SQL types."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from firesteel.formats.base import Fields, Flags, Indices
from firesteel.formats.json.decode_schema import TEXT, Shape, object_of
from firesteel.formats.json.fallback_values import ExactValues, replaced
from firesteel.formats.json.json_scan import Scan, is_there
from firesteel.formats.messages.json_cells import bitmap, decimals, integers
from firesteel.formats.messages.text_columns import are_plain, typed
from firesteel.kernels.types import Cells
from firesteel.types.arrow import to_arrow
from firesteel.types.sql import CHARACTER, INTEGER_BITS, STRING, WHOLE_BITS, SqlType, TypeRoot

UNREAD = -1
_SAFE_DIGITS = {
    **{root: len(str(1 << (bits - 1))) - 1 for root, bits in INTEGER_BITS.items()},
    **dict.fromkeys((TypeRoot.DECIMAL, TypeRoot.DOUBLE, TypeRoot.FLOAT), -30),
}
"""Plain numbers of so many digits are values of these types for sure, or NULL: see Shape."""


class Reading:
    """The messages of one scan. odd: the rows of the scan that are for the exact reader. as_written: a number
    read as a text has its digits as they stand there, as Jackson's parser has them and its tree has not.
    exact: reads single values that columns cannot judge, so that their messages are not odd."""

    def __init__(
        self, scan: Scan, *, iso: bool, as_written: bool = False, exact: ExactValues | None = None
    ) -> None:
        self._scan = scan
        self._iso = iso
        self._as_written = as_written
        self._exact = exact
        self.count = len(scan.numbers)
        self.odd: Flags = np.zeros(self.count, dtype=bool)

    def values(self, cells: Cells, kind: SqlType, at: Indices) -> pa.Array:
        """The values of cells; NULL where there is none. at: the message of each."""
        column, odd = self._judged(cells, kind)
        if not odd.any():
            return column
        places = np.flatnonzero(odd)
        if self._exact is not None:
            if kind.root in CHARACTER:
                again, odd = self._exact.number_texts(self._scan.data, cells[places])
                column, places = replaced(column, again, places, odd)
            again, odd = self._judged(self._exact.simplified(self._scan.data, cells[places], kind), kind)
            column, places = replaced(column, again, places, odd)
            column, places = self._exact.mended(column, kind, self._written(cells[places]), places)
        self.odd[at[places]] = True
        return column

    def _judged(self, cells: Cells, kind: SqlType) -> tuple[pa.Array, Flags]:
        """The values, and which cells' are not to be told in columns."""
        if kind.root in WHOLE_BITS:
            return integers(self._scan.data, cells, kind)
        if kind.root is TypeRoot.DECIMAL:
            return decimals(self._scan.data, cells, kind)
        texts, odd = self._texts(cells)
        if kind.root in CHARACTER:
            return texts, odd | self._doubtful(cells)
        column = typed(texts, kind, iso=self._iso)
        odd |= column.odd
        if kind.root in (TypeRoot.DOUBLE, TypeRoot.FLOAT):
            odd |= _negative_zeros(column.values) & ~_is_text(cells)
        return column.values, odd

    def _written(self, cells: Cells) -> Iterator[bytes]:
        """The JSON text of each value that is there."""
        from firesteel.kernels.json.cells import lengths, starts

        data, quotes = self._scan.data.data, _is_text(cells).astype(np.int64)
        first, behind = starts(cells) - quotes, starts(cells) + lengths(cells) + quotes
        for start, end in zip(first.tolist(), behind.tolist(), strict=True):
            yield data[start:end].tobytes()

    def unread(self, cells: Cells, kind: SqlType, at: Indices) -> pa.Array:
        """NULLs for values that nobody looks at; those that may be refused are found."""
        left = np.flatnonzero(is_there(cells))
        if len(left):
            self.values(cells[left], kind, at[left])
        return pa.nulls(len(cells), to_arrow(kind))

    def names(self, cells: Cells, at: Indices) -> pa.StringArray:
        """The values as JsonNode.asText has them; those of which columns cannot tell are odd."""
        texts, odd = self._judged(cells, STRING)
        self.odd[at[odd]] = True
        return texts

    def texts(self, cells: Cells, at: Indices) -> pa.StringArray:
        """The values as they stand there, strings without quotes and escapes."""
        texts, odd = self._texts(cells)
        self.odd[at[odd]] = True
        return texts

    def _texts(self, cells: Cells) -> tuple[pa.StringArray, Flags]:
        from firesteel.kernels.json.values import copy_texts, texts_size

        count = len(cells)
        out, offsets = np.empty(texts_size(cells), np.uint8), np.empty(count + 1, np.int32)
        there, odd = np.empty(count, np.bool_), np.empty(count, np.bool_)
        copy_texts(self._scan.data, cells, offsets, out, there, odd)
        buffers = [bitmap(there), pa.py_buffer(offsets), pa.py_buffer(out)]
        return pa.Array.from_buffers(pa.string(), count, buffers), odd

    def has_escapes(self, cells: Cells) -> bool:
        """Whether some are strings with escapes."""
        from firesteel.kernels.json.cells import ESCAPED, kinds

        return bool((kinds(cells) == ESCAPED).any())

    def codes(self, cells: Cells, meanings: Mapping[str, int]) -> npt.NDArray[np.int8]:
        """What each name means; UNREAD for another one."""
        from firesteel.kernels.json.values import find_words

        words = [name.encode() for name in meanings]
        ends = np.cumsum([0, *map(len, words)]).astype(np.int32)
        found = np.empty(len(cells), np.int64)
        find_words(self._scan.data, cells, np.frombuffer(b"".join(words), np.uint8), ends, found)
        codes: npt.NDArray[np.int8] = np.array([*meanings.values(), UNREAD], np.int8)[found]
        return codes

    def odd_numbers(self) -> Indices:
        """The indices of all messages for the exact reader."""
        return np.concatenate([self._scan.odd, self._scan.numbers[self.odd]])

    def numbers(self, at: Indices) -> Indices:
        """The indices of these messages."""
        return self._scan.numbers[at]

    def _doubtful(self, cells: Cells) -> Flags:
        """Values that are no texts, whose own texts may not be what stands there."""
        from firesteel.kernels.json.cells import (
            DECIMAL,
            INTEGER,
            NESTED,
            STRING,
            first_bytes,
            is_from,
            kinds,
            lengths,
        )

        found = is_from(cells, NESTED)
        is_number = is_from(cells, INTEGER) & ~is_from(cells, STRING)
        if not self._as_written and is_number.any():
            of = kinds(cells)
            found |= of == DECIMAL
            short = np.flatnonzero((of == INTEGER) & (lengths(cells) == 2))
            found[short] |= first_bytes(self._scan.data, cells[short]) == ord("-")  # -0 among them
        return found


def _is_text(cells: Cells) -> Flags:
    from firesteel.kernels.json.cells import NESTED, STRING, is_from

    found: Flags = is_from(cells, STRING) & ~is_from(cells, NESTED)
    return found


def _negative_zeros(values: pa.Array) -> Flags:
    """As an integer, or read as a BigDecimal, the number has no sign."""
    numbers = values.fill_null(1.0).to_numpy(zero_copy_only=False)
    found: Flags = (numbers == 0) & np.signbit(numbers)
    return found


def row_shape(fields: Fields, *, is_flat: bool = False) -> Shape:
    """A row of plain values."""
    unread, texts = fields.unread, fields.unread_texts
    named = zip(fields.names, fields.types, strict=True)
    shapes = {name: unread_shape(kind) if name in unread else TEXT for name, kind in named}
    return object_of({name: shape for name, shape in shapes.items() if name not in texts}, is_flat=is_flat)


def unread_shape(kind: SqlType) -> Shape:
    """A plain value that nobody looks at."""
    return Shape(digits=_SAFE_DIGITS.get(kind.root, 0))


def flags(values: pa.Array) -> Flags:
    """A column of booleans; NULL is false."""
    found: Flags = values.fill_null(False).to_numpy(zero_copy_only=False)
    return found


def in_columns(fields: Fields) -> bool:
    """Whether the columnar reader has the types."""
    return are_plain(fields.types) and len(set(fields.names)) == len(fields.names)
