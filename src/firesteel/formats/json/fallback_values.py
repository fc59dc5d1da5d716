"""Convert single JSON values that have no columnar conversion, by the rules of a format's exact reader.

The other values of their messages are still read in columns.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from firesteel.formats.base import Fields, Flags, Indices
from firesteel.formats.json.json_stream import StreamConverters, Tokens
from firesteel.formats.json.options import JsonOptions
from firesteel.formats.json.row_decoder import TreeConverters, has_decimal
from firesteel.formats.messages.json_limits import BadMessage
from firesteel.formats.messages.json_parser import FloatText, IntText, parse_members, parse_tree
from firesteel.kernels.types import Bytes, Cells
from firesteel.types.sql import CHARACTER, WHOLE_BITS, SqlType, TypeRoot

Convert = Callable[[bytes], Any]
_WITH_FRACTIONS = 32
"""Minimum bits of integer types that take 1.7 as 1. Smaller types (TINYINT, SMALLINT) reject a fraction."""
_NUMBER, _WHOLE = re.compile(rb"-?[0-9][-+.0-9eE]{0,40}"), re.compile(rb"-?[0-9]+")
"""Patterns for values that the scan has recognized as numbers."""


class ExactValues:
    """Converter of single JSON values.

    Args:
        convert: Function that returns the converter of a type. The converter takes a JSON text. It raises
            BadMessage or ValueError if the exact reader has to read the whole message.
        as_decimals: How a number with a fraction or an exponent becomes text. True: as Java writes the
            BigDecimal, 1E+2 for 1e2. False: as Java writes the double, 100.0 for 1e2.
        trims_decimals: Whether a DECIMAL may be a string with blanks around the number, such as " 1.5".
    """

    def __init__(
        self, convert: Callable[[SqlType], Convert], *, as_decimals: bool, trims_decimals: bool
    ) -> None:
        self._convert = convert
        self._as_decimals, self._trims_decimals = as_decimals, trims_decimals
        self._made: dict[SqlType, Convert] = {}

    def simplified(self, data: Bytes, cells: Cells, kind: SqlType) -> Cells:
        """Return the cells, with some values replaced by equal ones that have a columnar conversion.

        For example, the string " 12" becomes the cell of 12, the INT 1.7 that of 1. An object that is read as
        text becomes a string cell if Jackson would write the same text.
        """
        from firesteel.kernels.json.compact import KEYS
        from firesteel.kernels.json.forms import cut_fractions, shorten, trim
        from firesteel.kernels.json.numbers import TEXT_BYTES

        found, root = cells.copy(), kind.root
        if root in CHARACTER:
            keys, text = np.empty((KEYS, 4), np.int64), np.empty(TEXT_BYTES, np.uint8)
            shorten(data, found, self._as_decimals, keys, text)
        elif root in WHOLE_BITS or root in (TypeRoot.DOUBLE, TypeRoot.FLOAT, TypeRoot.DECIMAL):
            trim(data, found, root is not TypeRoot.DECIMAL or self._trims_decimals)
            if WHOLE_BITS.get(root, 0) >= _WITH_FRACTIONS:
                cut_fractions(data, found)
        return found

    def number_texts(self, data: Bytes, cells: Cells) -> tuple[pa.StringArray, Flags]:
        """Return the texts that Java makes of numbers, and which cells have no certain text, bool[n]."""
        from firesteel.kernels.json.numbers import TEXT_BYTES, write_numbers

        count = len(cells)
        out, offsets = np.empty(count * TEXT_BYTES, np.uint8), np.empty(count + 1, np.int32)
        odd = np.empty(count, np.bool_)
        write_numbers(data, cells, self._as_decimals, offsets, out, odd)
        buffers = [None, pa.py_buffer(offsets), pa.py_buffer(out)]
        return pa.Array.from_buffers(pa.string(), count, buffers), odd

    def mend(
        self, column: pa.Array, kind: SqlType, texts: Iterable[bytes], places: Indices
    ) -> tuple[pa.Array, Indices]:
        """Convert single values of a column.

        Args:
            column: The column.
            kind: Its SQL type.
            texts: JSON texts of the values.
            places: Positions in the column of the values to convert.

        Returns:
            The column with these values, and the positions of values that could not be converted.
        """
        convert = self._made.get(kind) or self._made.setdefault(kind, self._convert(kind))
        known: dict[bytes, Any] = {}
        values: list[Any] = []
        failed = np.zeros(len(places), np.bool_)
        for number, text in enumerate(texts):
            try:
                if text not in known:
                    known[text] = convert(text)
            except (BadMessage, ValueError):
                failed[number] = True
            values.append(known.get(text))
        return replaced(column, pa.array(values, column.type), places, failed)


def replaced(column: pa.Array, values: pa.Array, places: Indices, failed: Flags) -> tuple[pa.Array, Indices]:
    """Return the column with `values` at the positions `places`, and the positions of values that failed.

    A value with True in `failed` does not replace the value of the column.
    """
    if failed.any():
        values = values.filter(pa.array(~failed))
    if not len(values):
        return column, places
    if len(values) == len(column):
        return values, places[failed]
    mask: Flags = np.zeros(len(column), np.bool_)
    mask[places[~failed]] = True
    return pc.replace_with_mask(column, mask, values), places[failed]


def tree_values(fields: Fields, options: JsonOptions) -> ExactValues:
    """Return the converter of single values for the CDC formats."""
    exact = any(map(has_decimal, fields.types))
    made = TreeConverters(iso=options.iso_timestamps, ignore_errors=False, exact=exact)

    def convert(kind: SqlType) -> Convert:
        converter = made.converter(kind)
        return lambda text: converter(_plain(text) or parse_tree(text, exact=exact))

    return ExactValues(convert, as_decimals=exact, trims_decimals=False)


def stream_values(fields: Fields, options: JsonOptions) -> ExactValues:
    """Return the converter of single values for the format json."""
    exact = any(map(has_decimal, fields.types))
    made = StreamConverters(
        iso=options.iso_timestamps,
        ignore_errors=False,
        exact=exact,
        fail_on_missing=options.fail_on_missing_field,
    )

    def convert(kind: SqlType) -> Convert:
        converter = made.converter(kind)

        def of(text: bytes) -> Any:
            if text[:1] in (b"{", b"[") and kind.root not in CHARACTER:
                raise ValueError("reading goes on within it")
            return converter(Tokens(_plain(text) or parse_members(text)))

        return of

    return ExactValues(convert, as_decimals=exact, trims_decimals=True)


def _plain(text: bytes) -> str | None:
    """Return the value of a JSON text that is a short number or a string without escapes, else None.

    The value is the one that the JSON parser returns: an IntText, a FloatText or a str. This function only
    saves the time of the parser.
    """
    if _NUMBER.fullmatch(text):
        return IntText(text.decode()) if _WHOLE.fullmatch(text) else FloatText(text.decode())
    return text[1:-1].decode() if text[:1] == b'"' and b"\\" not in text else None
