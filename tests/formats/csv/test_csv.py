"""csv, by the answers that Flink 2.3 gives."""

from __future__ import annotations

import contextlib
import random
import re
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest

from firesteel.errors import ValidationError
from firesteel.formats.base import Fields, MessageError
from firesteel.formats.registry import find_format
from firesteel.types.sql import BIGINT, DATE, INT, STRING, array, decimal, timestamp
from tests.formats.decoding import decode, decoder_of, rows

SCHEMA = {"a": INT, "b": STRING, "c": decimal(10, 2)}

WRONG_DELIMITERS = ("\\", r"\400", r"\u41", r"\u", r"\u00zz", r"\n\n", "", "\U0001f600")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1,a,2.5\n", [(1, "a", "2.50")]),
        ("1,,2\n", [(1, "", "2.00")]),
        ('1,"a,b",2\n', [(1, "a,b", "2.00")]),
        ('1,"a\nb",2\n', [(1, "a\nb", "2.00")]),
        ('1,"a""b",2\n', [(1, 'a"b', "2.00")]),
        ('1,a"b,2\n', [(1, 'a"b', "2.00")]),
        ('1, "a",2\n', [(1, ' "a"', "2.00")]),
        ('1,"a" ,2\n', [(1, "a", "2.00")]),
        ("1,a,2\r3,b,4\r\n5,c,6", [(1, "a", "2.00"), (3, "b", "4.00"), (5, "c", "6.00")]),
        ("1,a,2,\n", [(1, "a", "2.00")]),
        ("\ufeff1,a,2\n", [(1, "a", "2.00")]),
        (" 1 , a ,2\n", [(1, " a ", "2.00")]),
    ],
)
def test_records(text: str, expected: list[Any]) -> None:
    found = rows(decode("csv", SCHEMA, text))
    assert found == [("+I", a, b, Decimal(c)) for a, b, c in expected]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("1,a\n", "Row length mismatch. 3 fields expected but was 2"),
        ("1,a,2,9\n", "Too many entries: expected at most 3"),
        ("\n", "Row length mismatch"),
        ('1,"ab"c,2\n', "Unexpected character ('c' (code 99))"),
        ("x,a,2\n", "Fail to deserialize at field: a"),
        ("1,a,\n", "Fail to deserialize at field: c"),
        ("1,a, 2\n", "Fail to deserialize at field: c"),
    ],
)
def test_records_that_flink_refuses(text: str, reason: str) -> None:
    with pytest.raises(MessageError) as caught:
        decode("csv", SCHEMA, '1,"a\nb",2\n' + text + "1,a,2\n")
    assert caught.value.index == 2
    assert reason in caught.value.text


def test_a_record_goes_on_in_the_next_block() -> None:
    decoder = decoder_of("csv", SCHEMA)
    assert rows(decoder.decode(b'1,a,2\n3,"x\n')) == [("+I", 1, "a", Decimal("2.00"))]
    assert rows(decoder.decode(b'y",4\n5,b,6\n')) == [
        ("+I", 3, "x\ny", Decimal("4.00")),
        ("+I", 5, "b", Decimal("6.00")),
    ]
    assert rows(decoder.finish()) == []


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_records_as_they_were_framed_are_read_as_any_others(end: str) -> None:
    chance = random.Random(4)
    texts = ("a", '"b"', '"c,c"', '"d""d"', f'"e{end}e"', '""', "", "007", '"')
    found = find_format("csv")
    fields = Fields(tuple(SCHEMA), tuple(SCHEMA.values()), tuple(SCHEMA), tuple(SCHEMA.values()))
    for wrong in (0, 1):  # a quote that stands wrong has the framing read by character
        records = [f"{n},{texts[chance.randrange(len(texts) - 1)]},{n % 7}" for n in range(400)]
        block = end.join(records[:300] + [f"300,x{texts[-1]},1"] * wrong + records[300:] + [""]).encode()
        messages, rest = found.framing({}).split(block)
        assert rest == b""
        for part in (messages, messages[7:390], messages[399:], messages[130:200]):
            copied = pa.array(part.to_pylist(), pa.binary())
            known, other = (found.decoder(fields, {}).decode(one) for one in (part, copied))
            assert known[0].equals(other[0])
            assert known[1].tolist() == other[1].tolist()


def test_an_open_quote_at_the_end_is_an_error_at_its_line() -> None:
    decoder = decoder_of("csv", SCHEMA)
    decoder.decode(b'1,a,2\n3,"x\ny\n')
    with pytest.raises(MessageError, match="Missing closing quote") as caught:
        decoder.finish()
    assert caught.value.index == 0


def test_options() -> None:
    text = "# comment\n\n1;a\\;b;null\n"
    options = {
        "field-delimiter": ";",
        "escape-character": "\\",
        "null-literal": "null",
        "allow-comments": "true",
        "disable-quote-character": "true",
    }
    assert rows(decode("csv", SCHEMA, text, **options)) == [("+I", 1, "a;b", None)]
    assert rows(decode("csv", {"a": INT, "l": array(INT)}, "1,2|3\n", array_element_delimiter="|")) == [
        ("+I", 1, [2, 3])
    ]


def test_ignore_parse_errors() -> None:
    decoder = decoder_of("csv", SCHEMA, ignore_parse_errors="true")
    assert rows(decoder.decode(b"x,a,2\n2,b\n1,2,3,4\n")) == [
        ("+I", None, "a", Decimal("2.00")),
        ("+I", 2, "b", None),
    ]
    assert decoder.skipped == 1


@pytest.mark.parametrize("copies", [1, 100])
@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('1,"ab"c,2\n', None),
        ('"1"c,a,2\n', None),
        ('1,a,2,"3"c\n', None),
        ('1,"ab"c","d"e\n', "Unexpected character ('d' (code 100))"),
        ('1,a,2,3,"4"c\n', "Unexpected character ('c' (code 99))"),
    ],
)
def test_wrong_quotes_that_flink_does_not_ignore(text: str, reason: str | None, copies: int) -> None:
    good = "5,k,6\n" * copies
    decoder = decoder_of("csv", SCHEMA, ignore_parse_errors="true")
    with contextlib.nullcontext() if reason is None else pytest.raises(MessageError, match=re.escape(reason)):
        assert (
            rows(decoder.decode((good + text + good).encode()))
            == [("+I", 5, "k", Decimal("6.00"))] * 2 * copies
        )


@pytest.mark.parametrize(
    ("written", "meant"),
    [("\\t", "\t"), ("\\b", "\b"), (r"\|", "|"), (r"\x", "x"), (r"\1", "\1"), (r"\41", "!"),
     (r"\377", "\xff"), (r"\u+0041", "A"), (r"\uu0041", "A"), (r"\8", "8"), ("a\\", "a"), (r"\\", "\\")],
)  # fmt: skip
def test_the_delimiter_is_written_as_java_writes_characters(written: str, meant: str) -> None:
    found = rows(decode("csv", {"a": INT, "n": STRING}, f"1{meant}k\n", **{"field-delimiter": written}))
    assert found == [("+I", 1, "k")]


def test_projection_and_dates() -> None:
    schema = {"a": BIGINT, "d": DATE, "t": timestamp(3)}
    found = rows(decode("csv", schema, "1,2020-02-30,2020-1-1 x\n2,2020-1-2,\n", ("d",)))
    assert [str(one[1]) for one in found] == ["2020-03-01", "2020-01-02"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"field-delimiter": "ab"}, "Option 'csv.field-delimiter' must be a string with single character"),
        *(({"field-delimiter": each}, "must be a string with single character") for each in WRONG_DELIMITERS),
        ({"array-element-delimiter": "||"}, "'csv.array-element-delimiter' must be a string with single"),
        ({"array-element-delimiter": ""}, "'csv.array-element-delimiter' must be a string with single"),
        ({"quote-character": "\U0001f600"}, "'csv.quote-character' must be a string with single"),
        ({"quote-character": "'", "disable-quote-character": "true"}, "at the same time"),
    ],
)
def test_option_values_are_checked(options: dict[str, str], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        find_format("csv").validate(options, ("a",), (INT,))
