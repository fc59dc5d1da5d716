"""Convert CSV texts to SQL values as Flink's CsvToRowDataConverters does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from firesteel.errors import NotSupportedError, ValidationError
from firesteel.formats.messages import text_values as values
from firesteel.functions.java.floating_text import parse_double, parse_float
from firesteel.functions.java.jdbc_times import day_value_of
from firesteel.types.sql import CHARACTER, WHOLE_BITS, SqlType, TypeRoot

Convert = Callable[[str], Any]
_JOINED = (TypeRoot.ARRAY, TypeRoot.ROW)
_NO_TEXT = (TypeRoot.MAP, TypeRoot.MULTISET)
_MILLIS_KEPT = (1000, 100, 10, 1)
"""Precision of a TIME(p) in milliseconds, by p from 0 to 3. Flink truncates to a multiple of it."""


class CsvConverters:
    """Factory of converters of texts by SQL type.

    Args:
        separator: Text between the parts of an ARRAY or a ROW.
        null_literal: Text that stands for NULL, except for an ARRAY or a ROW. If None, no text is NULL.
        ignore_errors: Whether a bad value becomes None.
    """

    def __init__(self, *, separator: str, null_literal: str | None, ignore_errors: bool) -> None:
        self._separator = separator
        self._null_literal = null_literal
        self._ignore_errors = ignore_errors

    def converter(self, kind: SqlType) -> Convert:
        """Return the converter of a type. It raises ValueError for a text that Flink refuses."""
        convert = self._strict(kind)
        null = None if kind.root in _JOINED else self._null_literal

        def converted(text: str) -> Any:
            if text == null:
                return None
            try:
                return convert(text)
            except ValueError:
                if self._ignore_errors:
                    return None
                raise

        return converted

    def _strict(self, kind: SqlType) -> Convert:
        root = kind.root
        if root in WHOLE_BITS:
            bits = WHOLE_BITS[root]
            return lambda text: values.integer(values.trim(text), bits)
        if root in CHARACTER:
            return str
        if root is TypeRoot.DECIMAL:
            precision, scale = kind.precision or 0, kind.scale or 0
            return lambda text: values.decimal(text, precision, scale)
        if root in (TypeRoot.TIMESTAMP, TypeRoot.TIMESTAMP_LTZ):
            zoned, nanos = root is TypeRoot.TIMESTAMP_LTZ, (kind.precision or 0) > 6
            return lambda text: values.timestamp(values.trim(text), iso=False, zoned=zoned, nanos=nanos)
        if root is TypeRoot.TIME:
            return _time(kind)
        if root is TypeRoot.ARRAY:
            element = self.converter(kind.children[0])
            return lambda text: [element(one) for one in self._split(text)]
        if root is TypeRoot.ROW:
            return self._row(kind)
        if root not in _SIMPLE:
            raise NotSupportedError(f"The format csv cannot read the type {kind}")
        return _SIMPLE[root]

    def _split(self, text: str) -> list[str]:
        """Return the texts between separators: [] for a blank text without separator (Jackson: CsvParser)."""
        return text.split(self._separator) if self._separator in text or values.trim(text) else []

    def _row(self, kind: SqlType) -> Convert:
        fields = [(name, self.converter(k)) for name, k in zip(kind.names, kind.children, strict=True)]

        def convert(text: str) -> dict[str, Any] | None:
            parts = self._split(text)
            if not parts:
                return None
            if len(parts) < len(fields) and not self._ignore_errors:
                raise ValueError(too_short(len(fields), len(parts)))
            read = {name: field(part) for (name, field), part in zip(fields, parts, strict=False)}
            return {name: read.get(name) for name in kind.names}

        return convert


def check_types(names: tuple[str, ...], types: tuple[SqlType, ...]) -> None:
    """Check that csv can write all columns. Flink: CsvRowSchemaConverter.

    Raises:
        ValidationError: A type is not supported. The text is Flink's.
    """
    for name, kind in zip(names, types, strict=True):
        if kind.root in _NO_TEXT:
            raise ValidationError(f"Unsupported type '{kind}' for field '{name}'.")
        inner = kind.children if kind.root in _JOINED else ()
        wrong = next((child for child in inner if child.root in (*_JOINED, *_NO_TEXT)), None)
        if wrong is not None:
            raise ValidationError(
                f"Only simple types are supported in the second level nesting of fields '{name}' "
                f"but was: {wrong}"
            )


def too_short(expected: int, actual: int) -> str:
    """Return Flink's text for a record with `actual` instead of `expected` fields."""
    return f"Row length mismatch. {expected} fields expected but was {actual}."


def _time(kind: SqlType) -> Convert:
    precision = kind.precision or 0
    if precision > 3:
        raise NotSupportedError(
            f"Csv does not support TIME type with precision: {precision}, it only supports precision 0 ~ 3."
        )
    kept = _MILLIS_KEPT[precision]
    return lambda text: values.nanos_of_day(text, iso=True) // 1_000_000 // kept * kept * 1000


_SIMPLE: dict[TypeRoot, Convert] = {
    TypeRoot.NULL: lambda text: None,
    TypeRoot.BOOLEAN: lambda text: values.boolean(values.trim(text)),
    TypeRoot.DOUBLE: parse_double,
    TypeRoot.FLOAT: parse_float,
    TypeRoot.DATE: day_value_of,
    TypeRoot.BINARY: values.base64,
    TypeRoot.VARBINARY: values.base64,
}
