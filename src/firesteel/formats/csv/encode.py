"""Write SQL values as CSV records, as Flink's RowDataToCsvConverters and Jackson's CsvEncoder do."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pyarrow as pa

from firesteel.changelog import field
from firesteel.errors import NotSupportedError
from firesteel.formats.base import Fields
from firesteel.formats.csv.options import CsvOptions
from firesteel.formats.json.encode import time_text, timestamp_text
from firesteel.formats.json.row_decoder import decimal_text
from firesteel.types.primitive_text import date_text, double_text, float_text
from firesteel.types.sql import BYTES_LIKE, CHARACTER, INTEGERS, SqlType, TypeRoot
from firesteel.types.text import plain_values

Write = Callable[[Any], str]
_UNCHECKED_LENGTH = 24
"""Jackson quotes longer texts without checking them."""
_CONTROL_ESCAPE = "\\"
"""Jackson quotes texts with this character if no escape character is set."""
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
        self._safe = chr(max(map(ord, marks)) + 1)
        self._writers = [self._field(kind) for kind in fields.types]

    def encode(self, changes: pa.Table) -> pa.BinaryArray:
        columns = [
            [write(value) for value in plain_values(changes[field(index)])]
            for index, write in enumerate(self._writers)
        ]
        delimiter = self._options.dialect.delimiter
        return pa.array([delimiter.join(row).encode() for row in zip(*columns, strict=True)], pa.binary())

    def _field(self, kind: SqlType) -> Write:
        write = self._text(kind)
        if kind.root in _NUMBERS:
            return lambda value: self._null if value is None else write(value)
        return lambda value: self._null if value is None else self._quoted(write(value))

    def _text(self, kind: SqlType) -> Write:
        """Return the writer of a type, without quotes."""
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
        """Return the writer of an ARRAY or a ROW, whose parts share one column."""
        separator = self._options.array_delimiter
        children = [self._text(child) for child in kind.children]

        def write(value: Any) -> str:
            writers = children * len(value) if kind.root is TypeRoot.ARRAY else children
            texts = (
                self._null if part is None else one(part) for one, part in zip(writers, value, strict=True)
            )
            return separator.join(texts)

        return write

    def _quoted(self, text: str) -> str:
        """Return the text, in quotes if Jackson adds them, which is more often than necessary."""
        quote, escape = self._quote, self._escape
        if quote is None:
            return text
        marked = (escape or _CONTROL_ESCAPE) in text
        unsafe = marked or len(text) > _UNCHECKED_LENGTH or any(one < self._safe for one in text)
        if not unsafe:
            return text
        if escape is not None:
            text = text.replace(escape, escape * 2)
        return quote + text.replace(quote, quote * 2) + quote


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
