"""VARIANT: PARSE_JSON, and access to fields and elements.

Flink: BinaryVariantInternalBuilder, ParseJsonFunction, ScalarOperatorGens.generateVariantGet. The text is
read as Jackson reads it: the first value counts, and text after it is ignored.
"""

from __future__ import annotations

import json
import re
import struct
from decimal import Decimal
from typing import Any, NoReturn

from firesteel.errors import JobError
from firesteel.functions.duckdb.registry import nullable
from firesteel.types import variant
from firesteel.types.variant import (
    ARRAY,
    DECIMAL4,
    DECIMAL8,
    DECIMAL16,
    DOUBLE,
    FALSE,
    LONG_STRING,
    NULL,
    OBJECT,
    SHORT_STRING,
    TRUE,
)

_MOST_DIGITS = 1000
_MOST_BYTES = 1 << 24
_DEEPEST = 1000
_SPACE = re.compile(r"[ \t\n\r]*")
_AFTER_NUMBER = re.compile(r"[ \t\n\r]|\Z")
_AFTER_WORD = re.compile(r"\W|\Z")
_HALF_A_PAIR = re.compile("[\ud800-\udfff]")
_VERSION = 1


class _Number(str):
    """Text of a number, as it is written in the JSON text."""

    __slots__ = ()


class _Members(list[tuple[str, Any]]):
    """Members of an object in the order in which they are written."""


class _NotJson(Exception):
    """A text that Jackson rejects, or a value that cannot be a VARIANT."""


def _refuse(text: str) -> NoReturn:
    raise _NotJson(text)


_DECODER = json.JSONDecoder(
    object_pairs_hook=_Members, parse_int=_Number, parse_float=_Number, parse_constant=_refuse
)


def parse(text: str, duplicates: bool = False) -> bytes:
    """Return PARSE_JSON(text [, allow_duplicate_keys]).

    Args:
        text: The text.
        duplicates: Whether an object may have a name twice. Then its last value counts.

    Raises:
        JobError: The text is not JSON, or has a name twice although `duplicates` is False.
    """
    try:
        return _parsed(text, duplicates)
    except (_NotJson, ValueError, RecursionError):
        raise JobError(f"Failed to parse json string: {text}") from None


@nullable
def try_parse(text: str | None, duplicates: bool = False) -> bytes | None:
    """Return TRY_PARSE_JSON, with NULL where PARSE_JSON (`parse`) raises JobError."""
    if text is None:
        return None
    try:
        return _parsed(text, duplicates)
    except (_NotJson, ValueError, RecursionError):
        return None


def _parsed(text: str, duplicates: bool) -> bytes:
    found = _SPACE.match(text)
    start = found.end() if found else 0
    value, end = _DECODER.raw_decode(text, start)
    follows = _AFTER_NUMBER if isinstance(value, _Number) else _AFTER_WORD
    delimited = isinstance(value, (list, str)) and not isinstance(value, _Number)
    if not delimited and not follows.match(text, end):
        raise _NotJson(text)
    builder = _Builder(duplicates)
    encoded = builder.value(value, 0)
    metadata = builder.metadata()
    if max(len(encoded), len(metadata)) > _MOST_BYTES:
        raise _NotJson("VARIANT_SIZE_LIMIT")
    return variant.pack(metadata, encoded)


class _Builder:
    """Encoder of one value. Names are numbered in the order in which they occur."""

    def __init__(self, duplicates: bool) -> None:
        self._duplicates = duplicates
        self._names: dict[str, int] = {}

    def value(self, value: Any, depth: int) -> bytes:
        if isinstance(value, list):
            if depth >= _DEEPEST:
                raise _NotJson("nested too deeply")
            members = isinstance(value, _Members)
            return self._object(value, depth) if members else self._array(value, depth)
        if isinstance(value, _Number):
            return _number(value)
        if isinstance(value, str):
            data = _utf8(value)
            if len(data) < 64:
                return bytes([len(data) << 2 | SHORT_STRING]) + data
            return _header(LONG_STRING) + len(data).to_bytes(4, "little") + data
        return _header(NULL if value is None else TRUE if value else FALSE)

    def _array(self, values: list[Any], depth: int) -> bytes:
        parts = [self.value(value, depth + 1) for value in values]
        offsets, size = _offsets(parts)
        width = _width(size)
        large = len(parts) > 255
        head = bytes([(large << 2 | width - 1) << 2 | ARRAY]) + len(parts).to_bytes(
            4 if large else 1, "little"
        )
        return b"".join([head, *(o.to_bytes(width, "little") for o in (*offsets, size)), *parts])

    def _object(self, members: list[tuple[str, Any]], depth: int) -> bytes:
        """Return the encoding of an object, sorted by name.

        If equal names are allowed, the last one counts.
        """
        kept: dict[str, bytes] = {}
        most = 0
        for name, value in members:
            number = self._names.setdefault(name, len(self._names))
            most = max(most, number)
            if kept.pop(name, None) is not None and not self._duplicates:
                raise _NotJson("VARIANT_DUPLICATE_KEY")
            kept[name] = self.value(value, depth + 1)
        offsets, size = _offsets(list(kept.values()))
        at = dict(zip(kept, offsets, strict=True))
        names = sorted(kept, key=lambda name: name.encode("utf-16-be", "surrogatepass"))
        id_width, width = _width(most), _width(size)
        large = len(kept) > 255
        head = bytes([(large << 4 | id_width - 1 << 2 | width - 1) << 2 | OBJECT])
        head += len(kept).to_bytes(4 if large else 1, "little")
        ids = (self._names[name].to_bytes(id_width, "little") for name in names)
        starts = (start.to_bytes(width, "little") for start in (*(at[name] for name in names), size))
        return b"".join([head, *ids, *starts, *kept.values()])

    def metadata(self) -> bytes:
        """Return the encoded dictionary of names."""
        names = [_utf8(name) for name in self._names]
        offsets, size = _offsets(names)
        width = _width(max(size, len(names)))
        head = bytes([_VERSION | width - 1 << 6]) + len(names).to_bytes(width, "little")
        return b"".join([head, *(o.to_bytes(width, "little") for o in (*offsets, size)), *names])


def _number(text: str) -> bytes:
    """Return the encoding of a number: smallest integer type, DECIMAL (38 digits, no exponent), or DOUBLE."""
    if sum(letter.isdigit() for letter in text) > _MOST_DIGITS:
        raise _NotJson(text)
    if text.lstrip("-").isdigit():
        whole = int(text)
        for info, size in variant.INTEGER_BYTES.items():
            if -(1 << 8 * size - 1) <= whole < 1 << 8 * size - 1:
                return _header(info) + whole.to_bytes(size, "little", signed=True)
    if "e" not in text and "E" not in text:
        _, digits, exponent = Decimal(text).as_tuple()
        precision, scale = len(digits), -int(exponent)
        if precision <= 38 and scale <= 38:
            return _decimal(int(text.replace(".", "")), precision, scale)
    return _header(DOUBLE) + struct.pack("<d", float(text))


def _decimal(unscaled: int, precision: int, scale: int) -> bytes:
    limits = ((9, DECIMAL4), (18, DECIMAL8), (38, DECIMAL16))
    info = next(info for limit, info in limits if precision <= limit and scale <= limit)
    return (
        _header(info) + bytes([scale]) + unscaled.to_bytes(variant.DECIMAL_BYTES[info], "little", signed=True)
    )


def _header(info: int) -> bytes:
    return bytes([info << 2])


def _offsets(parts: list[bytes]) -> tuple[list[int], int]:
    """Return the start of each part, and the total length."""
    offsets, at = [], 0
    for part in parts:
        offsets.append(at)
        at += len(part)
    return offsets, at


def _width(number: int) -> int:
    """Return the number of bytes, 1 to 3, that an unsigned number below 2 ** 24 needs."""
    return 1 if number < 1 << 8 else 2 if number < 1 << 16 else 3


def _utf8(text: str) -> bytes:
    """Encode a text like Java's getBytes: an unpaired surrogate becomes a question mark."""
    return _HALF_A_PAIR.sub("?", text).encode()


def field_at(data: bytes, name: str) -> bytes | None:
    """Return v['name'] as a VARIANT that stores its own position; NULL if there is no such field.

    The position is the byte offset in the outermost object or array. Flink's `=` compares it, too.

    Raises:
        JobError: The VARIANT is no object.
    """
    if not variant.is_object(data):
        raise JobError(
            "String key access on variant requires an object variant, but a non-object variant was provided."
        )
    return variant.field(data, name)


def element_at(data: bytes, index: int) -> bytes | None:
    """Return v[index] as a VARIANT that stores its own position; NULL if there is no such element.

    The index counts from 1. The position is the byte offset in the outermost object or array. Flink's `=`
    compares it, too.

    Raises:
        JobError: The VARIANT is no array.
    """
    if not variant.is_array(data):
        raise JobError(
            "Integer index access on variant requires an array variant, but a non-array variant was provided."
        )
    return variant.element(data, index)


def field(data: bytes, name: str) -> bytes | None:
    """Return v['name']; NULL if there is no such field.

    The position that the VARIANT stores (see `field_at`) is 0, as in all VARIANTs of columns.

    Raises:
        JobError: The VARIANT is no object.
    """
    found = field_at(data, name)
    return None if found is None else variant.settled(found)


def element(data: bytes, index: int) -> bytes | None:
    """Return v[index], counted from 1; NULL if there is no such element.

    The position that the VARIANT stores (see `element_at`) is 0, as in all VARIANTs of columns.

    Raises:
        JobError: The VARIANT is no array.
    """
    found = element_at(data, index)
    return None if found is None else variant.settled(found)
