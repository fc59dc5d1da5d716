"""What the formats write, as Flink 2.3 wrote it to files."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from firesteel.errors import DataError, ValidationError
from firesteel.formats.base import Fields
from firesteel.formats.messages.lines import joined
from firesteel.formats.registry import find_format
from firesteel.types.sql import (
    BOOLEAN,
    BYTES,
    DATE,
    DOUBLE,
    FLOAT,
    INT,
    STRING,
    SqlType,
    array,
    decimal,
    map_of,
    row,
    time,
    timestamp,
    timestamp_ltz,
)
from tests.types.columns import changes, types

MICROS = 1_577_934_245_123_456
PLAIN = {"write-bigdecimal-in-scientific-notation": "false"}


def encode(name: str, kinds: list[int], options: dict[str, str], **columns: tuple[SqlType, list[Any]]) -> str:
    encoder = find_format(name).encoder(Fields(tuple(columns), types(columns)), options)
    return joined(encoder.encode(changes(columns, kinds))).decode()


def test_json_values() -> None:
    text = encode(
        "json",
        [0],
        {},
        s=(STRING, ['a"\\/é日😀\x01\n\t\x7f']),
        d=(decimal(20, 8), [Decimal("0.00000001")]),
        n=(INT, [None]),
        f=(DOUBLE, [1e20]),
        x=(DOUBLE, [float("nan")]),
        g=(FLOAT, [1e-5]),
        b=(BOOLEAN, [True]),
        y=(BYTES, [b"xy\xff"]),
        t=(timestamp(6), [MICROS]),
        u=(timestamp(3), [MICROS - 123_456]),
        l=(timestamp_ltz(3), [1_500_000]),
        c=(DATE, [18263]),
        k=(time(0), [3_723_000_000]),
        a=(array(INT), [[1, None]]),
        m=(map_of(STRING, INT), [[("b", None)]]),
        r=(row(("x", "y"), (INT, STRING)), [{"x": None, "y": ""}]),
    )
    assert text == (
        '{"s":"a\\"\\\\/é日\\uD83D\\uDE00\\u0001\\n\\t\x7f","d":1E-8,"n":null,"f":1.0E20,"x":"NaN","g":1.0E-5,'
        '"b":true,"y":"eHn/","t":"2020-01-02 03:04:05.123456","u":"2020-01-02 03:04:05",'
        '"l":"1970-01-01 00:00:01.5Z","c":"2020-01-02","k":"01:02:03","a":[1,null],"m":{"b":null},'
        '"r":{"x":null,"y":""}}\n'
    )


@pytest.mark.parametrize(
    ("value", "text"), [("1.50", "1.5"), ("100", "1E+2"), ("0", "0"), ("-12.5", "-12.5")]
)
def test_json_decimals_lose_trailing_zeros(value: str, text: str) -> None:
    assert encode("json", [0], {}, d=(decimal(20, 8), [Decimal(value)])) == f'{{"d":{text}}}\n'


def test_json_options() -> None:
    options = {
        "encode.decimal-as-plain-number": "true",
        "encode.ignore-null-fields": "true",
        "timestamp-format.standard": "ISO-8601",
    }
    text = encode(
        "json",
        [0],
        options,
        d=(decimal(20, 8), [Decimal(100)]),
        s=(STRING, [None]),
        r=(row(("x", "y"), (INT, STRING)), [{"x": None, "y": "y"}]),
        t=(timestamp(6), [0]),
    )
    assert text == '{"d":100.00000000,"r":{"y":"y"},"t":"1970-01-01T00:00:00"}\n'


def test_canal_loses_the_update() -> None:
    columns: Any = {"id": (INT, [1, 1, 2, 2]), "s": (STRING, ["a", "a", None, "b"])}
    assert encode("canal-json", [0, 1, 2, 3], {}, **columns).splitlines() == [
        '{"data":[{"id":1,"s":"a"}],"type":"INSERT"}',
        '{"data":[{"id":1,"s":"a"}],"type":"DELETE"}',
        '{"data":[{"id":2,"s":null}],"type":"INSERT"}',
        '{"data":[{"id":2,"s":"b"}],"type":"DELETE"}',
    ]


def test_csv_values() -> None:
    text = encode(
        "csv",
        [0, 0],
        {},
        i=(INT, [1, None]),
        s=(STRING, ['a"b', None]),
        d=(decimal(20, 8), [Decimal("1.5"), Decimal(100)]),
        f=(DOUBLE, [1e20, None]),
        y=(BYTES, [b"xy\xff", b""]),
        t=(timestamp(6), [MICROS, None]),
        c=(DATE, [18263, None]),
        a=(array(INT), [[1, 2], [None]]),
        r=(row(("x", "y"), (INT, STRING)), [{"x": 1, "y": "q"}, {"x": None, "y": ""}]),
    )
    assert text == (
        '1,"a""b",1.5,1.0E20,eHn/,"2020-01-02 03:04:05.123456",2020-01-02,1;2,1;q\n,,1E+2,,,,,,;\n'
    )


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("a b", "'a b'"),
        ("a;b", "'a;b'"),
        ("a'b", "'a''b'"),
        ('a"b', "'a\"b'"),
        ("a" * 24, "a" * 24),
        ("a" * 25, f"'{'a' * 25}'"),
        ("é", "é"),
        ("a\\b", "'a\\\\b'"),
        ("a-b", "'a-b'"),
        ("", ""),
        (None, "NULL"),
    ],
)
def test_csv_quotes_as_jackson_does(value: str | None, text: str) -> None:
    options = {
        "field-delimiter": ";",
        "quote-character": "'",
        "escape-character": "\\",
        "null-literal": "NULL",
    }
    assert encode("csv", [0], options, i=(INT, [1]), s=(STRING, [value])) == f"1;{text}\n"


@pytest.mark.parametrize(
    ("options", "values", "text"),
    [
        ({}, {"s": (STRING, ["a\\b"])}, '"a\\b"'),
        ({"escape-character": "/"}, {"s": (STRING, ["a\\b"])}, "a\\b"),
        ({"disable-quote-character": "true"}, {"s": (STRING, ["a\\b"])}, "a\\b"),
        ({"null-literal": "N"}, {"s": (array(STRING), [["a", None, ""]])}, "a;N;"),
        ({}, {"s": (array(STRING), [["a", None, ""]])}, "a;;"),
        ({}, {"d": (decimal(20, 10), [Decimal("0.0000000005")])}, "5E-10"),
        ({}, {"d": (decimal(20, 10), [Decimal("1000")])}, "1E+3"),
        (PLAIN, {"d": (decimal(20, 10), [Decimal("0.0000000005")])}, "0.0000000005"),
        (PLAIN, {"d": (decimal(20, 10), [Decimal("1000")])}, "1000.0000000000"),
        (PLAIN, {"d": (array(decimal(5, 1)), [[Decimal("0"), Decimal("10")]])}, "0.0;10.0"),
    ],
)
def test_csv_as_flink_writes_it(options: dict[str, str], values: Any, text: str) -> None:
    assert encode("csv", [0], options, **values) == f"{text}\n"


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        (map_of(STRING, STRING), "Unsupported type 'MAP<STRING, STRING>' for field 'r'."),
        (array(array(INT)), "Only simple types .* of fields 'r' but was: ARRAY<INT>"),
        (row(("a", "b"), (INT, row(("x",), (INT,)))), "Only simple types .* but was: ROW<`x` INT>"),
    ],
)
def test_types_that_csv_has_no_text_for(kind: SqlType, message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        find_format("csv").validate({}, ("a", "r"), (INT, kind))


def test_null_keys_of_maps_cannot_be_written() -> None:
    kind = map_of(STRING, INT)
    table = changes({"m": (kind, [[("a", 1)]])})
    writer = find_format("json").encoder(Fields(("m",), (kind,)), {})
    assert writer.encode(table).to_pylist() == [b'{"m":{"a":1}}']
    from firesteel.formats.json.encode import JsonWriters
    from firesteel.formats.json.options import json_options

    for mode, expected in (("LITERAL", '{"none":1}'), ("DROP", "{}")):
        options = json_options("json", {"map-null-key.mode": mode, "map-null-key.literal": "none"})
        assert JsonWriters(options).nullable(kind)([(None, 1)]) == expected
    with pytest.raises(DataError, match="null keys"):
        JsonWriters(json_options("json", {})).nullable(kind)([(None, 1)])
