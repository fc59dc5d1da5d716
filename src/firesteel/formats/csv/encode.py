"""Write SQL values as CSV records, as Flink's RowDataToCsvConverters and Jackson's CsvEncoder do."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from firesteel.changelog import field
from firesteel.errors import NotSupportedError
from firesteel.formats.base import Fields
from firesteel.formats.csv.column_texts import column_texts
from firesteel.formats.csv.options import CsvOptions
from firesteel.formats.json.encode import time_text, timestamp_text
from firesteel.formats.json.row_decoder import decimal_text
from firesteel.types.internal_values import one_chunk
from firesteel.types.primitive_text import date_text, double_text, float_text
from firesteel.types.sql import BYTES_LIKE, CHARACTER, INTEGERS, SqlType, TypeRoot
from firesteel.types.text import plain_values

Write = Callable[[Any], str]
_UNCHECKED_LENGTH = 24
"""Length above which Jackson quotes texts without checking them."""
_CONTROL_ESCAPE = "\\"
"""Jackson quotes texts that contain this character, if no escape character is set."""
_LINE_ENDS = "\r\n"
_NUMBERS = (*INTEGERS, TypeRoot.DECIMAL, TypeRoot.FLOAT, TypeRoot.DOUBLE, TypeRoot.BOOLEAN)
"""Types whose values are never quoted."""


class CsvEncoder:
    """Encoder of rows to csv records."""

    def __init__(self, fields: Fields, options: CsvOptions) -> None:
        self._options = options
        dialect = options.dialect
        self._quote, self._escape = dialect.quote, dialect.escape
        self._null = options.null_literal or ""
        marks = dialect.delimiter + (dialect.quote or "") + _LINE_ENDS
        self._unsafe = f"[\\x00-\\x{{{max(map(ord, marks)):x}}}]"
        self._types = fields.types
        self._writers = [self._text(kind) for kind in fields.types]

    def encode(self, changes: pa.Table) -> pa.BinaryArray:
        columns = [self._column(index, one_chunk(changes[field(index)])) for index in range(len(self._types))]
        return pc.binary_join_element_wise(*columns, self._options.dialect.delimiter).cast(pa.binary())

    def _column(self, index: int, values: pa.Array) -> pa.StringArray:
        """Return the texts of a column, with quotes and the text for NULL."""
        kind, write = self._types[index], self._writers[index]
        texts = column_texts(kind, values)
        if texts is None:
            rows = plain_values(values)
            texts = pa.array([None if value is None else write(value) for value in rows], pa.string())
        if kind.root not in _NUMBERS:
            texts = self._quoted(texts)
        return texts.fill_null(self._null)

    def _text(self, kind: SqlType) -> Write:
        """Return the function that converts a value of a type to text, without quotes."""
        root = kind.root
        if root in CHARACTER:
            return str
        if root in (TypeRoot.TIMESTAMP, TypeRoot.TIMESTAMP_LTZ):
            zone = "Z" if root is TypeRoot.TIMESTAMP_LTZ else ""
            return lambda value: timestamp_text(value) + zone
        if root in (TypeRoot.ARRAY, TypeRoot.ROW):
            return self._joined(kind)
        if root is TypeRoot.DECIMAL and not self._options.scientific_decimals:
            return lambda value: format(Decimal(value), "f")
        if root not in _SIMPLE:
            raise NotSupportedError(f"The format csv cannot write the type {kind}")
        return _SIMPLE[root]

    def _joined(self, kind: SqlType) -> Write:
        """Return the function that joins the elements of an ARRAY, or the fields of a ROW, to one text."""
        separator = self._options.array_delimiter
        children = [self._text(child) for child in kind.children]

        def write(value: Any) -> str:
            writers = children * len(value) if kind.root is TypeRoot.ARRAY else children
            texts = (
                self._null if part is None else one(part) for one, part in zip(writers, value, strict=True)
            )
            return separator.join(texts)

        return write

    def _quoted(self, texts: pa.StringArray) -> pa.StringArray:
        """Return the texts, quoted where Jackson quotes them, which is more often than necessary."""
        quote, escape = self._quote, self._escape
        if quote is None:
            return texts
        marked = pc.match_substring(texts, escape or _CONTROL_ESCAPE)
        long = pc.greater(pc.utf8_length(texts), _UNCHECKED_LENGTH)
        unsafe = pc.or_(pc.or_(marked, long), pc.match_substring_regex(texts, self._unsafe))
        if not pc.any(unsafe).as_py():
            return texts
        escaped = texts if escape is None else pc.replace_substring(texts, escape, escape * 2)
        doubled = pc.replace_substring(escaped, quote, quote * 2)
        return pc.if_else(unsafe, pc.binary_join_element_wise(quote, doubled, quote, ""), texts)


_SIMPLE: dict[TypeRoot, Write] = {
    TypeRoot.BOOLEAN: lambda value: "true" if value else "false",
    TypeRoot.FLOAT: float_text,
    TypeRoot.DOUBLE: double_text,
    TypeRoot.DECIMAL: lambda value: decimal_text(Decimal(value)),
    TypeRoot.DATE: date_text,
    TypeRoot.TIME: time_text,
    TypeRoot.INTERVAL_YEAR_MONTH: str,
    TypeRoot.INTERVAL_DAY_TIME: str,
    **dict.fromkeys(INTEGERS, str),
    **dict.fromkeys(BYTES_LIKE, lambda value: b64encode(value).decode()),
}
