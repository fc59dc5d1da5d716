"""Write SQL values as JSON text, as Flink's RowDataToJsonConverters and Jackson do."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import Any

import pyarrow as pa

from firesteel.changelog import field
from firesteel.errors import DataError, NotSupportedError
from firesteel.formats.json.options import JsonOptions
from firesteel.formats.json.row_decoder import decimal_text, text_keys
from firesteel.types.json_text import ESCAPES
from firesteel.types.primitive_text import date_text, double_text, float_text
from firesteel.types.sql import BYTES_LIKE, CHARACTER, INT, INTEGERS, SqlType, TypeRoot
from firesteel.types.text import plain_values

Write = Callable[[Any], str]
_NANOS_PER_DAY = 86_400 * 10**9


class JsonWriters:
    """Factory of functions that convert values to JSON text. Times are ints (types/text.py: plain_values)."""

    def __init__(self, options: JsonOptions) -> None:
        self._options = options

    def objects(self, changes: pa.Table, names: tuple[str, ...], types: tuple[SqlType, ...]) -> Iterator[str]:
        """Yield the rows of a changes table as JSON objects."""
        columns = []
        for index, (name, kind) in enumerate(zip(names, types, strict=True)):
            write = self.nullable(kind)
            head = f"{quoted(name)}:"
            skip = self._options.ignore_null_fields
            columns.append(
                [
                    None if skip and value is None else head + write(value)
                    for value in plain_values(changes[field(index)])
                ]
            )
        for row in zip(*columns, strict=True):
            yield "{" + ",".join([text for text in row if text is not None]) + "}"

    def nullable(self, kind: SqlType) -> Write:
        """Return the function that converts a value of a type to JSON text, and None to `null`."""
        write = self._writer(kind)
        return lambda value: "null" if value is None else write(value)

    def _writer(self, kind: SqlType) -> Write:
        root = kind.root
        if root is TypeRoot.DECIMAL:
            scale = kind.scale or 0
            if self._options.decimal_as_plain_number:
                return lambda value: f"{value:.{scale}f}"
            return lambda value: decimal_text(Decimal(value))
        if root in (TypeRoot.TIMESTAMP, TypeRoot.TIMESTAMP_LTZ):
            separator = "T" if self._options.iso_timestamps else " "
            zone = "Z" if root is TypeRoot.TIMESTAMP_LTZ else ""
            return lambda value: f'"{timestamp_text(value, separator)}{zone}"'
        if root is TypeRoot.ARRAY:
            element = self.nullable(kind.children[0])
            return lambda value: f"[{','.join(map(element, value))}]"
        if root in (TypeRoot.MAP, TypeRoot.MULTISET):
            return self._map(kind)
        if root is TypeRoot.ROW:
            return self._row(kind)
        if root in CHARACTER:
            return quoted
        if root not in _SIMPLE:
            raise NotSupportedError(f"JSON formats cannot write the type {kind}")
        return _SIMPLE[root]

    def _map(self, kind: SqlType) -> Write:
        text_keys(kind)
        item = self.nullable(kind.children[1] if kind.root is TypeRoot.MAP else INT)
        mode, literal = self._options.map_null_key_mode, self._options.map_null_key_literal

        def write(value: Any) -> str:
            pairs = list(value.items() if isinstance(value, dict) else value)
            if any(key is None for key, _ in pairs) and mode == "FAIL":
                raise DataError(
                    "JSON format doesn't support to serialize map data with null keys. You can drop null key "
                    "entries or encode null in literals by specifying map-null-key.mode option."
                )
            kept = {
                literal if key is None else key: one
                for key, one in pairs
                if key is not None or mode != "DROP"
            }
            return "{" + ",".join(f"{quoted(key)}:{item(one)}" for key, one in kept.items()) + "}"

        return write

    def _row(self, kind: SqlType) -> Write:
        pairs = zip(kind.names, kind.children, strict=True)
        members = [(f"{quoted(name)}:", self.nullable(child)) for name, child in pairs]
        skip = self._options.ignore_null_fields

        def write(value: Any) -> str:
            texts = [
                head + one(part)
                for (head, one), part in zip(members, value, strict=True)
                if not (skip and part is None)
            ]
            return "{" + ",".join(texts) + "}"

        return write


def quoted(text: str) -> str:
    """Return a text as a JSON string.

    As in Jackson, a character beyond U+FFFF becomes two escapes, one for each of its UTF-16 surrogates.
    """
    if text.isascii():
        return f'"{text.translate(ESCAPES)}"'
    escaped = text.translate(ESCAPES)
    if max(escaped) > "\uffff":
        escaped = "".join(one if one <= "\uffff" else _surrogates(one) for one in escaped)
    return f'"{escaped}"'


def _surrogates(character: str) -> str:
    high, low = divmod(ord(character) - 0x10000, 0x400)
    return f"\\u{0xD800 + high:04X}\\u{0xDC00 + low:04X}"


def time_text(nanos: int) -> str:
    """Return a time of day as `HH:mm:ss` and the fraction without trailing zeros."""
    seconds, fraction = divmod(nanos, 10**9)
    text = f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"
    return f"{text}.{fraction:09d}".rstrip("0") if fraction else text


def timestamp_text(nanos: int, separator: str = " ") -> str:
    """Return the text of a TIMESTAMP, given as nanoseconds since 1970."""
    days, rest = divmod(nanos, _NANOS_PER_DAY)
    return f"{date_text(days)}{separator}{time_text(rest)}"


def _number(text: str) -> str:
    return json.dumps(text) if text in ("NaN", "Infinity", "-Infinity") else text


_SIMPLE: dict[TypeRoot, Write] = {
    TypeRoot.NULL: lambda value: "null",
    TypeRoot.BOOLEAN: lambda value: "true" if value else "false",
    TypeRoot.FLOAT: lambda value: _number(float_text(value)),
    TypeRoot.DOUBLE: lambda value: _number(double_text(value)),
    TypeRoot.DATE: lambda value: f'"{date_text(value)}"',
    TypeRoot.TIME: lambda value: f'"{time_text(value)}"',
    TypeRoot.INTERVAL_YEAR_MONTH: str,
    TypeRoot.INTERVAL_DAY_TIME: str,
    **dict.fromkeys(INTEGERS, str),
    **dict.fromkeys(BYTES_LIKE, lambda value: f'"{b64encode(value).decode()}"'),
}
