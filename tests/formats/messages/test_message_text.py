"""Which characters a JSON message has. Expected: what Flink's formats read from these bytes."""

from __future__ import annotations

import pytest

from firesteel.formats.base import MessageError
from firesteel.formats.messages.message_text import json_text
from firesteel.types.sql import INT, STRING, map_of
from tests.formats.decoding import decoder_of, rows

SCHEMA = {"s": STRING, "n": INT, "m": map_of(STRING, STRING)}
SEQUENCES = [
    (b"\xc0\x80", "\0"),
    (b"\xc1\xbf", "\x7f"),
    (b"\xe0\x80\x80", "\0"),
    (b"\xc0\xa2", '"'),
    (b"\xed\xa0\xbd\xed\xb8\x80", "\U0001f600"),
    (b"\xed\xa0\xbd\\ude00", "\U0001f600"),
    (b"\\ud83d\xed\xb8\x80", "\U0001f600"),
    (b"\xed\xa0\xbd", "?"),
    (b"\xed\xb8\x80\xed\xa0\xbd", "??"),
    (b"\xf4\x90\x80\x80", "??"),
    (b"\xf7\xbf\xbf\xbf", "??"),
    (b"\xf0\x80\x80\x80", "\uffc0?"),
    (b"\\\\\xc0\x80", "\\\0"),
]
WRONG = [
    b"\x80",
    b"\xc3",
    b"\xc3x",
    b"\xe2\x82x",
    b"\xf0\x9f\x98",
    b"\xf8\x88\x80\x80\x80",
    b"\xff",
    b"\\\xc0\x80",
]


def decoded(message: bytes, name: str = "json") -> list[tuple[object, ...]]:
    return rows(decoder_of(name, SCHEMA).decode(message + b"\n"))


@pytest.mark.parametrize(("bytes_", "text"), SEQUENCES)
def test_lenient_utf8(bytes_: bytes, text: str) -> None:
    assert decoded(b'{"s":"a' + bytes_ + b'b","n":1}') == [("+I", f"a{text}b", 1, None)]
    assert decoded(b'{"x":"a' + bytes_ + b'b","s":"v"}') == [("+I", "v", None, None)]
    canal = b'{"data":[{"s":"a' + bytes_ + b'b","n":"1"}],"type":"INSERT"}'
    assert decoded(canal, "canal-json") == [("+I", f"a{text}b", 1, None)]


@pytest.mark.parametrize(("bytes_", "text"), SEQUENCES[:9])
def test_lenient_keys(bytes_: bytes, text: str) -> None:
    assert decoded(b'{"m":{"a' + bytes_ + b'":"1"}}') == [("+I", None, None, [(f"a{text}", "1")])]


@pytest.mark.parametrize("bytes_", WRONG)
def test_bytes_that_are_no_characters(bytes_: bytes) -> None:
    with pytest.raises(MessageError, match="Invalid UTF-8 byte 0x"):
        decoded(b'{"s":"a' + bytes_ + b'b"}')


@pytest.mark.parametrize("bytes_", WRONG)
def test_what_stands_behind_the_value_is_not_read(bytes_: bytes) -> None:
    assert decoded(b'{"s":"v","n":1} "' + bytes_) == [("+I", "v", 1, None)]


@pytest.mark.parametrize(
    "encoding", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be", "utf-16", "utf-32", "utf-8-sig"]
)
def test_other_encodings(encoding: str) -> None:
    message = '{"s":"a\xe9\U0001f600"}'
    assert json_text(message.encode(encoding)) == (message, None)


def test_many_lenient_characters_take_no_longer_each() -> None:
    assert json_text(b"x" + b"\xc0\x80y" * 20_000) == ("x" + "\\u0000y" * 20_000, None)
