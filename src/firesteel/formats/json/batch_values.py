"""Convert the cells of a scan to columns of SQL values, for the columnar readers of the JSON formats."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from firesteel.formats.base import Fields, Flags, Indices
from firesteel.formats.json.decode_schema import TEXT, DecodeSchema, object_of
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
"""For each type, the length up to which any JSON number is a valid value, as DecodeSchema.digits has it.

A positive n stands for integers of at most n digits: 9 for INT, whose greatest value has 10 digits. -30
stands for numbers of at most 30 characters, with or without a decimal point.
"""


class Reading:
    """Messages of one scan, with the converters of their cells to columns.

    Args:
        scan: The scan.
        iso: Whether timestamps are in ISO-8601 format.
        as_written: Whether a STRING gets a number as it is written: `1.50`, as in Flink's format json. If
            False, it gets the text of the parsed number: `1.5`, as in Flink's CDC formats.
        exact: Converter of single values that have no columnar conversion. If it can convert a value, the
            rest of the message is still read in columns. If it cannot, or is None, the message is odd.
    """

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
        """Return n SQL values of the type `kind`, one for each cell. A missing or null JSON value is NULL.

        If a value cannot be converted, its message is marked in `odd`, for the exact reader.

        Args:
            cells: int64[n].
            kind: The SQL type.
            at: int64[n], for each cell the position of its message in the scan.
        """
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
            column, places = self._exact.mend(column, kind, self._written(cells[places]), places)
        self.odd[at[places]] = True
        return column

    def _judged(self, cells: Cells, kind: SqlType) -> tuple[pa.Array, Flags]:
        """Return the values of n cells, and bool[n]: which of them the exact reader may read differently."""
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
        """Yield the JSON text of each existing value."""
        from firesteel.kernels.json.cells import lengths, starts

        data, quotes = self._scan.data.data, _is_text(cells).astype(np.int64)
        first, behind = starts(cells) - quotes, starts(cells) + lengths(cells) + quotes
        for start, end in zip(first.tolist(), behind.tolist(), strict=True):
            yield data[start:end].tobytes()

    def unread(self, cells: Cells, kind: SqlType, at: Indices) -> pa.Array:
        """Return NULLs for values that the query does not read, after checking them for errors."""
        existing = np.flatnonzero(is_there(cells))
        if len(existing):
            self.values(cells[existing], kind, at[existing])
        return pa.nulls(len(cells), to_arrow(kind))

    def names(self, cells: Cells, at: Indices) -> pa.StringArray:
        """Return the values as texts, as Jackson's JsonNode.asText does. A missing or null value is NULL.

        Jackson may write a value differently than the message does: 1.50 becomes 1.5. The message of such a
        value is marked in `odd`.

        Args:
            cells: int64[n].
            at: int64[n], for each cell the position of its message in the scan.
        """
        texts, odd = self._judged(cells, STRING)
        self.odd[at[odd]] = True
        return texts

    def texts(self, cells: Cells, at: Indices) -> pa.StringArray:
        """Return the values as they are written, strings without quotes and escapes."""
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
        """Return whether any string among the cells has escapes."""
        from firesteel.kernels.json.cells import ESCAPED, kinds

        return bool((kinds(cells) == ESCAPED).any())

    def codes(self, cells: Cells, meanings: Mapping[str, int]) -> npt.NDArray[np.int8]:
        """Return a code for each of n values, int8[n].

        Args:
            cells: int64[n], the values.
            meanings: Codes by text: {"INSERT": 0}. The code of the string "INSERT" is then 0. The code is
                UNREAD for every other value, also for a string with escapes.
        """
        from firesteel.kernels.json.values import find_words

        words = [name.encode() for name in meanings]
        ends = np.cumsum([0, *map(len, words)]).astype(np.int32)
        found = np.empty(len(cells), np.int64)
        find_words(self._scan.data, cells, np.frombuffer(b"".join(words), np.uint8), ends, found)
        codes: npt.NDArray[np.int8] = np.array([*meanings.values(), UNREAD], np.int8)[found]
        return codes

    def odd_numbers(self) -> Indices:
        """Return the indices of all messages that the exact reader must read."""
        return np.concatenate([self._scan.odd, self._scan.numbers[self.odd]])

    def numbers(self, at: Indices) -> Indices:
        """Convert positions of messages in the scan to their positions in the column of all messages.

        The positions differ, because the scan leaves out odd and empty messages. If message 0 is empty,
        message 1 has the position 0 in the scan.
        """
        return self._scan.numbers[at]

    def _doubtful(self, cells: Cells) -> Flags:
        """Return which values that are no strings may become another text than their JSON text, bool[n].

        They are objects and lists, and without `as_written` numbers such as 1.50 and -0.
        """
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
            # A minus and one digit may be -0, which Java makes the text 0. -1 to -9 are flagged with it.
            found[short] |= first_bytes(self._scan.data, cells[short]) == ord("-")
        return found


def _is_text(cells: Cells) -> Flags:
    from firesteel.kernels.json.cells import NESTED, STRING, is_from

    found: Flags = is_from(cells, STRING) & ~is_from(cells, NESTED)
    return found


def _negative_zeros(values: pa.Array) -> Flags:
    """Return which values are -0.0, bool[n].

    The caller converts these values again, by the rules of the exact reader. In CDC formats, Flink reads `-0`
    as the integer 0. It also reads `-0.0` as 0 if it reads fractions as BigDecimal.
    """
    numbers = values.fill_null(1.0).to_numpy(zero_copy_only=False)
    found: Flags = (numbers == 0) & np.signbit(numbers)
    return found


def row_schema(fields: Fields, *, is_flat: bool = False) -> DecodeSchema:
    """Return the decode schema of an object with fields of types that are not nested.

    Unread character fields are left out, because any value is valid. `is_flat`: see DecodeSchema.
    """
    unread, texts = fields.unread, fields.unread_texts
    named = zip(fields.names, fields.types, strict=True)
    schemas = {name: unread_schema(kind) if name in unread else TEXT for name, kind in named}
    return object_of({name: schema for name, schema in schemas.items() if name not in texts}, is_flat=is_flat)


def unread_schema(kind: SqlType) -> DecodeSchema:
    """Return the decode schema of a value that the query does not read, but that may be invalid."""
    return DecodeSchema(digits=_SAFE_DIGITS.get(kind.root, 0))


def flags(values: pa.Array) -> Flags:
    """Return a boolean column as bool[n], with False for NULL."""
    found: Flags = values.fill_null(False).to_numpy(zero_copy_only=False)
    return found


def in_columns(fields: Fields) -> bool:
    """Return whether the columnar reader supports all types of the fields and no name is repeated."""
    return are_plain(fields.types) and len(set(fields.names)) == len(fields.names)
