"""csv as whole messages (Kafka), by the answers of Flink's CsvRowDataDeserializationSchema."""

from __future__ import annotations

import pyarrow as pa
import pytest

from firesteel.formats.base import Fields, MessageError
from firesteel.formats.registry import find_format
from firesteel.types.sql import DATE, INT, STRING, SqlType, array
from firesteel.types.sql import row as row_of
from tests.formats.decoding import Schema, decode, rows

TEXTS = {"a": STRING, "b": STRING, "c": STRING}
NESTED = {"r": row_of(("x", "y", "z"), (STRING, INT, STRING)), "l": array(INT), "s": array(STRING)}


def messages(schema: Schema, *contents: bytes, **options: str) -> list[tuple[object, ...]]:
    types: tuple[SqlType, ...] = tuple(schema.values())
    fields = Fields(tuple(schema), types, tuple(schema), types)
    decoder = find_format("csv").decoder(fields, {key.replace("_", "-"): v for key, v in options.items()})
    return [row[1:] for row in rows(decoder.decode(pa.array(contents, pa.binary()))[0])]


@pytest.mark.parametrize("copies", [1, 50])
@pytest.mark.parametrize(
    ("message", "expected"),
    [
        (b"x,a\xed\xa0\xbd\xed\xb8\x80b,3", ("x", "a\U0001f600b", "3")),
        (b'x,"a\xed\xa0\xbd",3\r\n', ("x", "a?", "3")),
        (b"\xc0\x80,y,3\n", ("\0", "y", "3")),
        (b"x,y,a\xf4\x90\x80\x80", ("x", "y", "a??")),
        (b"x,a\xc0\xa2,3", ("x", 'a"', "3")),
        (b"x,y,3\na\xff", ("x", "y", "3")),
        (b"\xef\xbb\xbfx,\xef\xbb\xbf,3", ("x", "\ufeff", "3")),
        ("ab,é,3".encode("utf-16-le"), ("ab", "é", "3")),
        ("ab,b,3".encode("utf-16-be"), ("ab", "b", "3")),
        ("é,b,3\n".encode("utf-16"), ("é", "b", "3")),
        ('"é\U0001f600",b,3'.encode("utf-32"), ("é\U0001f600", "b", "3")),
    ],
)
def test_encodings(message: bytes, expected: tuple[str, ...], copies: int) -> None:
    assert messages(TEXTS, *[message, b"k,l,m\n"] * copies) == [expected, ("k", "l", "m")] * copies


@pytest.mark.parametrize("wrong", [b"x,a\xff,3", b'x,"a\xc3",3', b"x,\x80", b'"\xe2\x82', b'x,"y\n\xff",3'])
def test_bytes_that_are_no_characters(wrong: bytes) -> None:
    assert messages(TEXTS, b"k,l,m", wrong, b"n,o,p", ignore_parse_errors="true") == [
        ("k", "l", "m"),
        ("n", "o", "p"),
    ]
    with pytest.raises(MessageError, match="Invalid UTF-8 byte 0x") as caught:
        messages(TEXTS, b"k,l,m", wrong)
    assert caught.value.index == 1
    with pytest.raises(MessageError, match="Invalid UTF-8 byte 0x"):  # a file is one stream: it ends there
        decode("csv", TEXTS, b"k,l,m\n" + wrong + b"\nn,o,p\n", ignore_parse_errors="true")


def test_files_are_lenient_too() -> None:
    found = rows(decode("csv", TEXTS, b"x,y,1\na\xed\xa0\xbd\xed\xb8\x80b,\xc0\x80,2\nc,d\xed\xa0\xbd,3\n"))
    assert [row[1:] for row in found] == [("x", "y", "1"), ("a\U0001f600b", "\0", "2"), ("c", "d?", "3")]


@pytest.mark.parametrize("wrong", [b'x,"y"c,"d"e', b'x,y,z,3,"4"c', b'x,"y'])
def test_wrong_quotes_are_ignored(wrong: bytes) -> None:
    assert messages(TEXTS, wrong, b"k,l,m", ignore_parse_errors="true") == [("k", "l", "m")]


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        (b"a;1;b,1;2,x;y", ({"x": "a", "y": 1, "z": "b"}, [1, 2], ["x", "y"])),
        (b"NUL;NUL;b,NUL;2,NUL", ({"x": None, "y": None, "z": "b"}, [None, 2], [None])),
        (b"a;1;NUL,NUL,x;NUL;", ({"x": "a", "y": 1, "z": None}, [None], ["x", None, ""])),
        (b", , ", (None, [], [])),
        (b";1;,,;", ({"x": "", "y": 1, "z": ""}, [], ["", ""])),
    ],
)
def test_null_literals_of_elements(message: bytes, expected: tuple[object, ...]) -> None:
    assert messages(NESTED, message, null_literal="NUL") == [expected]


def test_a_short_row() -> None:
    assert messages(NESTED, b"NUL,,", null_literal="NUL", ignore_parse_errors="true") == [
        ({"x": None, "y": None, "z": None}, [], [])
    ]
    with pytest.raises(MessageError, match=r"Row length mismatch\. 3 fields expected but was 1"):
        messages(NESTED, b"NUL,,", null_literal="NUL")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2023-02-30", "2023-03-02"),
        ("0000-12-31", "0001-12-31"),
        ("1500-02-30", "1500-03-01"),
        ("1582-10-04", "1582-10-04"),
        ("1582-10-05", "1582-10-15"),
        ("1582-10-14", "1582-10-24"),
        ("1500-02-29", None),
        ("2023-13-01", None),
        ("2023-02-32", None),
    ],
)
@pytest.mark.parametrize("copies", [1, 50])
def test_days_of_the_old_calendar(text: str, expected: str | None, copies: int) -> None:
    found = messages({"d": DATE}, *[text.encode()] * copies, ignore_parse_errors="true")
    assert [str(day) for (day,) in found] == [str(expected)] * copies
