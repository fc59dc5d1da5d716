"""Messages that used to end a job without a place are read as Flink reads them, skipped, or refused.

The answers are those of Flink 2.3 (Jackson 2.20), asked through its own decoders.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest

from firesteel.formats.base import MessageError
from firesteel.formats.messages.json_limits import big_decimal
from firesteel.formats.messages.text_values import date_days, decimal, integer
from firesteel.types.sql import BIGINT, DATE, INT, STRING, SqlType
from firesteel.types.sql import decimal as decimal_type
from tests.formats.decoding import decoder_of, rows

TREE = ("canal-json", "debezium-json", "maxwell-json", "ogg-json")
AROUND = {
    "json": "%s",
    "canal-json": '{"data":[%s],"type":"INSERT"}',
    "debezium-json": '{"before":null,"after":%s,"op":"c"}',
    "maxwell-json": '{"data":%s,"type":"insert"}',
    "ogg-json": '{"before":null,"after":%s,"op_type":"I"}',
}
LEVELS = {"json": 1, "canal-json": 3, "debezium-json": 2, "maxwell-json": 2, "ogg-json": 2}
"""Brackets that are open around a value."""
GOOD = '{"a":"good"}'
SIZES = (1, 5000)


def read(name: str, schema: dict[str, SqlType], row: str, *, size: int = 1, ignoring: bool = True) -> Any:
    """What a row gives amid `size` - 1 good ones, and how many messages were skipped."""
    decoder = decoder_of(name, schema, ignore_parse_errors="true" if ignoring else "false")
    good = (AROUND[name] % GOOD).encode() + b"\n"
    table = decoder.decode(
        good * (size // 2) + (AROUND[name] % row).encode() + b"\n" + good * ((size - 1) // 2)
    )
    assert decoder.decoder.unforeseen == 0
    found = rows(table)
    for good_row in found[: size // 2] + found[len(found) - (size - 1) // 2 :]:
        assert good_row[1] == ("good" if schema["a"] == STRING else None)
    return found[size // 2 : len(found) - (size - 1) // 2], decoder.skipped


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", AROUND)
def test_nested_values_are_read_as_deep_as_jackson_reads_them(name: str, size: int) -> None:
    deepest = 1000 - LEVELS[name]
    for depth in (300, 600, deepest):
        text = "[" * depth + "]" * depth
        assert read(name, {"a": STRING}, f'{{"a":{text}}}', size=size) == ([("+I", text)], 0)
        objects = '{"k":' * (depth - 1) + "{}" + "}" * (depth - 1)
        assert read(name, {"a": STRING}, f'{{"a":{objects}}}', size=size) == ([("+I", objects)], 0)
    for depth in (deepest + 1, 1100, 100_000):
        text = "[" * depth + "]" * depth
        assert read(name, {"a": STRING}, f'{{"a":{text}}}', size=size) == ([], 1)
        assert read(name, {"a": STRING}, f'{{"more":{text},"a":1}}', size=size) == ([], 1)


@pytest.mark.parametrize("size", SIZES)
def test_what_is_too_deep_is_refused_in_its_place(size: int) -> None:
    with pytest.raises(MessageError, match="nesting depth") as caught:
        read("json", {"a": STRING}, '{"a":' + "[" * 1100 + "]" * 1100 + "}", size=size, ignoring=False)
    assert caught.value.index == size // 2


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", TREE)
def test_numbers_that_no_decimal_can_be_refuse_the_message(name: str, size: int) -> None:
    """Beside a DECIMAL Flink makes a BigDecimal of each number with a fraction, also of unwanted ones."""
    schema = {"a": STRING, "m": decimal_type(10, 2)}
    for number in ("1e9999999999999999999999", "1e2147483648", "0e9999999999999", "0.001e-2147483645"):
        for row in (
            f'{{"a":{number}}}',
            f'{{"a":"x","more":{number}}}',
            f'{{"a":"x","more":[{{"k":{number}}}]}}',
        ):
            assert read(name, schema, row, size=size) == ([], 1)
        with pytest.raises(MessageError, match="BigDecimal") as caught:
            read(name, schema, f'{{"a":{number}}}', size=size, ignoring=False)
        assert caught.value.index == size // 2
    for number, text in (
        ("1e2147483647", "1E+2147483647"),
        ("1e-2147483647", "1E-2147483647"),
        ("1e0000005", "1E+5"),
    ):
        assert read(name, schema, f'{{"a":{number}}}', size=size) == ([("+I", text, None)], 0)
    assert read(name, {"a": STRING}, '{"a":1e9999999999999999999999}', size=size) == ([("+I", "Infinity")], 0)


@pytest.mark.parametrize("size", SIZES)
def test_json_keeps_the_text_of_any_number(size: int) -> None:
    schema = {"a": STRING, "m": decimal_type(10, 2)}
    number = "1e9999999999999999999999"
    assert read("json", schema, f'{{"a":{number}}}', size=size) == ([("+I", number, None)], 0)
    assert read("json", schema, f'{{"a":"x","m":{number}}}', size=size) == ([("+I", "x", None)], 0)
    assert read("json", schema, f'{{"a":[{number}]}}', size=size) == ([("+I", None, None)], 0)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", AROUND)
def test_long_numbers_and_names(name: str, size: int) -> None:
    for number in ("9" * 1000, "-" + "9" * 1000):
        assert read(name, {"a": STRING}, f'{{"a":{number}}}', size=size) == ([("+I", number)], 0)
    for number in ("9" * 1001, "1." + "1" * 1000, "1e-" + "0" * 1000):
        assert read(name, {"a": STRING}, f'{{"a":{number}}}', size=size) == ([], 1)
    assert read(name, {"a": INT}, '{"%s":1,"a":2}' % ("k" * 50_000), size=size) == ([("+I", 2)], 0)
    for long in ("k" * 50_001, "é" * 25_001, "日" * 17_000):
        assert read(name, {"a": INT}, f'{{"{long}":1,"a":2}}', size=size) == ([], 1)


@pytest.mark.parametrize("size", SIZES)
def test_long_texts(size: int) -> None:
    most, beyond = "k" * 20_000_000, "k" * 20_000_001
    assert read("json", {"a": STRING}, f'{{"a":"{most}"}}', size=size) == ([("+I", most)], 0)
    assert read("json", {"a": STRING}, f'{{"a":"{beyond}"}}', size=size) == ([("+I", None)], 0)
    assert read("json", {"a": STRING}, f'{{"b":"{beyond}"}}', size=size) == ([("+I", None)], 0)
    assert read("ogg-json", {"a": STRING}, f'{{"b":"{beyond}"}}', size=size) == ([], 1)


@pytest.mark.parametrize("name", AROUND)
def test_days_beyond_32_bits_go_around(name: str) -> None:
    for text, days in (
        ("+999999999-01-01", 169559947),
        ("+5881580-07-12", -(1 << 31)),
        ("-5877641-06-22", (1 << 31) - 1),
    ):
        assert date_days(text) == days
        decoder = decoder_of(name, {"a": DATE})
        table = decoder.decode((AROUND[name] % f'{{"a":"{text}"}}').encode())
        assert table["f0"].cast(pa.int32()).to_pylist() == [days]
        assert decoder.decoder.unforeseen == 0


def test_a_type_that_is_no_text_is_a_bad_canal_message() -> None:
    decoder = decoder_of("canal-json", {"a": STRING}, ignore_parse_errors="true")
    for kind in ("[]", "{}", "[[1]]"):
        assert not decoder.decode(b'{"data":[],"type":%s}' % kind.encode()).num_rows
    assert decoder.skipped == 3


def test_numbers_as_java_reads_them() -> None:
    assert integer("0" * 5000 + "7", 64) == 7
    assert integer("-007", 8) == -7
    with pytest.raises(ValueError, match="out of range"):
        integer("9" * 5000, 64)
    assert decimal("0" * 5000 + "7", 10, 2) == 7
    assert decimal("0.004" + "9" * 5000, 10, 2) == 0
    assert decimal("1e" + "0" * 40 + "5", 10, 2) == 100000
    assert decimal("1e100001", 10, 2) is None
    assert decimal("1e-100001", 10, 2) == 0
    for text in (
        "1e2147483648",
        "1e-2147483648",
        "1e2147483647",
        "1.5e-999999999",
        "1e999999999",
        "1e" + "9" * 30,
    ):
        with pytest.raises(ValueError):
            decimal(text, 10, 2)
    assert big_decimal("1000e2147483645") == Decimal("1000e2147483645")


class _Failing:
    """Readers with a bug."""

    def is_worth(self, messages: int) -> bool:
        return True

    def read(self, message: Any) -> Any:
        raise KeyError("unexpected")

    def error(self, message: bytes, reason: str) -> str:
        return f"{message!r}: {reason}"


@pytest.mark.parametrize("ignoring", ["true", "false"])
def test_what_no_reader_foresees_has_a_place_too(ignoring: str) -> None:
    decoder: Any = decoder_of("json", {"a": BIGINT}, ignore_parse_errors=ignoring).decoder
    messages = pa.array([b'{"a":1}'] * 100, pa.binary())
    decoder._columns = _Failing()  # all are read by the other reader
    assert decoder.decode(messages)[0].num_rows == 100
    decoder._exact = _Failing()
    if ignoring == "true":
        assert not decoder.decode(messages)[0].num_rows
        assert decoder.skipped == 100
    else:
        with pytest.raises(MessageError, match="KeyError: 'unexpected'"):
            decoder.decode(messages)


@pytest.mark.parametrize("ignoring", ["true", "false"])
def test_a_value_that_no_column_holds_has_a_place_too(ignoring: str) -> None:
    decoder: Any = decoder_of("json", {"a": BIGINT}, ignore_parse_errors=ignoring).decoder

    class Exact(_Failing):
        def read(self, message: bytes) -> Any:
            return [(0, (1 << 70 if b"2" in message else 5,))]

    decoder._exact, decoder._columns = Exact(), None
    messages = pa.array([b'{"a":1}', b'{"a":2}', b'{"a":3}'], pa.binary())
    if ignoring == "true":
        table, at = decoder.decode(messages)
        assert table["f0"].to_pylist() == [5, 5]
        assert (at.tolist(), decoder.skipped) == ([0, 2], 1)
    else:
        with pytest.raises(MessageError) as caught:
            decoder.decode(messages)
        assert caught.value.index == 1
