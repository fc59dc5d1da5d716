"""raw: one column, its value as it is."""

from __future__ import annotations

import struct
from typing import Any

import pyarrow as pa
import pytest

from firesteel.changelog import field
from firesteel.errors import NotSupportedError, ValidationError
from firesteel.formats.base import Fields, MessageError
from firesteel.formats.registry import find_format
from firesteel.types.sql import (
    BIGINT,
    BOOLEAN,
    BYTES,
    DATE,
    DOUBLE,
    FLOAT,
    INT,
    SMALLINT,
    STRING,
    TINYINT,
    SqlType,
)
from tests.types.columns import changes


def there(kind: SqlType, value: Any, **options: str) -> bytes:
    """A value as a message, with NULL before and after it."""
    encoder = find_format("raw").encoder(Fields(("a",), (kind,)), options)
    first, message, last = encoder.encode(changes({"a": (kind, [None, value, None])}, [0, 0, 0])).to_pylist()
    assert first is None
    assert last is None
    return bytes(message)


def back(kind: SqlType, message: bytes, **options: str) -> Any:
    decoder = find_format("raw").decoder(Fields(("a",), (kind,)), options)
    table, indices = decoder.decode(pa.array([None, message, None], pa.binary()))
    assert indices.tolist() == [0, 1, 2]
    first, value, last = table[field(0)].to_pylist()
    assert first is None
    assert last is None
    return value


@pytest.mark.parametrize(
    ("kind", "value", "code"),
    [
        (BOOLEAN, True, "?"),
        (TINYINT, -3, "b"),
        (SMALLINT, -300, "h"),
        (INT, 1 << 30, "i"),
        (BIGINT, -(1 << 60), "q"),
        (FLOAT, 1.5, "f"),
        (DOUBLE, -2.25, "d"),
    ],
)
def test_numbers(kind: SqlType, value: Any, code: str) -> None:
    for order, options in ((">", {}), ("<", {"endianness": "little-endian"})):
        message = struct.pack(f"{order}{code}", value)
        assert there(kind, value, **options) == message
        assert back(kind, message, **options) == value
    name, size = {"INTEGER": "INT"}.get(kind.root.name, kind.root.name), struct.calcsize(f"={code}")
    with pytest.raises(MessageError, match=f"deserializing {name} type is not {size}") as raised:
        back(kind, b"123")
    assert raised.value.index == 1


def test_texts_and_bytes() -> None:
    assert there(STRING, "é\n") == b"\xc3\xa9\n"
    assert back(STRING, b"\xc3\xa9\n") == "é\n"
    assert back(STRING, b"a\xff") == "a\ufffd"
    assert there(STRING, "é", charset="ISO-8859-1") == b"\xe9"
    assert back(STRING, b"\xc4\xe3", charset="GBK") == "你"
    assert there(BYTES, b"\x00") == b"\x00"
    assert back(BYTES, b"\x00\xff") == b"\x00\xff"
    assert back(STRING, b"") == ""
    assert back(INT, b"\x00\x00\x00\x07") == 7


def test_what_is_refused() -> None:
    raw = find_format("raw")
    with pytest.raises(ValidationError, match=r"only supports single physical column.*\[`a` INT, `b` INT\]"):
        raw.validate({}, ("a", "b"), (INT, INT))
    with pytest.raises(ValidationError, match="The 'raw' format doesn't supports 'DATE' as column type"):
        raw.validate({}, ("a",), (DATE,))
    with pytest.raises(ValidationError, match=r"Unsupported 'raw\.charset' name: x"):
        raw.validate({"charset": "x"}, ("a",), (STRING,))
    with pytest.raises(NotSupportedError, match="says no order of bytes"):
        raw.validate({"charset": "UTF-16"}, ("a",), (STRING,))
    with pytest.raises(ValidationError, match="Unsupported endianness name: up"):
        raw.validate({"endianness": "up"}, ("a",), (STRING,))
    with pytest.raises(NotSupportedError, match="cannot read files yet"):
        raw.framing({})
