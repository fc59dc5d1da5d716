"""Values in forms that few writers use: read in columns, and as the exact reader reads them."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import product
from typing import Any

import pytest

from firesteel.formats.messages.message_decoder import MessageDecoder
from firesteel.types.sql import (
    BIGINT,
    BOOLEAN,
    DOUBLE,
    FLOAT,
    INT,
    SMALLINT,
    STRING,
    TINYINT,
    SqlType,
    decimal,
)
from tests.formats.decoding import decoder_of, rows
from tests.scale import FULL, part

TYPES = [
    TINYINT, SMALLINT, INT, BIGINT, DOUBLE, FLOAT, BOOLEAN, STRING,
    decimal(10, 2), decimal(5, 0), decimal(18, 18), decimal(18, 3), decimal(3, 3), decimal(30, 4),
]  # fmt: skip
BLANKS = ["", "", "", " ", "\t ", "\x1f"]
COUNT = 600 if FULL else 75
MESSAGES: dict[str, Callable[[str], str]] = {
    "canal-json": lambda value: f'{{"data":[{{"v":{value}}}],"old":null,"type":"INSERT"}}',
    "debezium-json": lambda value: f'{{"before":null,"after":{{"v":{value}}},"op":"c"}}',
    "json": lambda value: f'{{"v":{value}}}',
}


def number(chance: random.Random) -> str:
    digits = "".join(chance.choice("0012456789") for _ in range(chance.choice([1, 1, 2, 5, 9, 16, 19, 25])))
    text = chance.choice(["", "", "-"]) + (digits.lstrip("0") or "0")
    if chance.random() < 0.6:
        text += "." + "".join(chance.choice("000259") for _ in range(chance.choice([1, 2, 3, 6, 20])))
    if chance.random() < 0.2:
        text += chance.choice(["e", "E", "e-", "E+"]) + str(chance.choice([0, 1, 3, 7, 12, 40, 400]))
    return text


FRACTIONS = ["", ".0", ".5", ".50", ".12345678901234", ".123456789012345"]
POWERS = [*range(9), *range(15, 20), 22, 23, 299, 300, 301, 308]
EXPONENTS = [f"{mark}{power}" for mark in ("E", "E+", "E-", "E0", "e") for power in POWERS]
SCIENTIFIC = [
    sign + digit + fraction + exponent
    for sign in ("", "-") for digit in ("0", "1", "5", "9", "10") for fraction in FRACTIONS
    for exponent in EXPONENTS
]  # fmt: skip


def quoted(chance: random.Random) -> str:
    text = chance.choice(["", "", "+", "-", "00"]) + number(chance)
    if chance.random() < 0.1:
        text = chance.choice(["NaN", "Infinity", "", "-", ".", ".5", "5.", "1e", "+ 5", "true", "0x10"])
    return f'"{chance.choice(BLANKS)}{text}{chance.choice(BLANKS)}"'


def nested(chance: random.Random, depth: int = 0) -> str:
    blank = chance.choice(["", "", "", "", " "])
    if depth == 3 or (depth and chance.random() < 0.5):
        plain = ["1", "-7", '"x"', '"é"', "null", "true", r'"\n"', r'"\u00e9"', "-0", '"a,b]"', "1.5", "20.0"]
        return chance.choice([number(chance), *plain])
    inner = [nested(chance, depth + 1) for _ in range(chance.choice([0, 1, 2, 3]))]
    if chance.random() < 0.4:
        return f"[{blank}{','.join(inner)}]"
    keys = [chance.choice(["a", "b", "key", "é", r"\"", "a:b"]) for _ in inner]
    return "{" + f",{blank}".join(f'"{key}":{value}' for key, value in zip(keys, inner, strict=True)) + "}"


def lines(name: str, seed: int) -> list[bytes]:
    chance = random.Random(seed)
    made = [chance.choice([number, number, quoted, quoted, nested])(chance) for _ in range(COUNT)]
    return [MESSAGES[name](value).encode() + b"\n" for value in made]


@pytest.mark.parametrize(("name", "kind"), part(list(product(MESSAGES, TYPES)), 20), ids=str)
@pytest.mark.parametrize("seed", range(2 if FULL else 1))
def test_columns_give_what_the_exact_reader_does(name: str, kind: SqlType, seed: int) -> None:
    for more in {}, {"m": decimal(10, 2)}:  # with a DECIMAL anywhere Flink reads fractions as BigDecimals
        schema, block = {"v": kind, **more}, lines(name, seed)
        whole = decoder_of(name, schema, ignore_parse_errors="true").decode(b"".join(block))
        single = decoder_of(name, schema, ignore_parse_errors="true")
        expected = [row for line in block for row in rows(single.decode(line))]
        assert repr(rows(whole)) == repr(expected)


@pytest.mark.parametrize("more", [{}, {"m": decimal(10, 2)}], ids=["doubles", "decimals"])
@pytest.mark.parametrize("name", ["canal-json", "json"])
def test_numbers_with_exponents_become_the_texts_of_the_exact_reader(
    name: str, more: dict[str, SqlType]
) -> None:
    block = [MESSAGES[name](value).encode() + b"\n" for value in SCIENTIFIC]
    whole = decoder_of(name, {"v": STRING, **more}).decode(b"".join(block))
    single = decoder_of(name, {"v": STRING, **more})
    assert rows(whole) == [row for line in block for row in rows(single.decode(line))]


VALUES = [
    (INT, ["7", '" 7"', '"+7 "', "7.9", "-0.5", '"007"']),
    (DOUBLE, ['" 7.5 "', '"+7"', "1e5", '"1E-7"']),
    (FLOAT, ["98765.5E3", '" 7.5 "']),
    (decimal(10, 2), ["1.005", "1e3", '"12.5E-1"', '"+7"', "99999999.999", "5"]),
    (STRING, ["7.5", "7.50", "0.001", '{"a":1,"b":[1,2,{"c":"é"}]}', "[]", "true"]),
    (BOOLEAN, ["1", '"TRUE"', '" true "', "false"]),
]


@pytest.mark.parametrize("name", MESSAGES)
@pytest.mark.parametrize(("kind", "value"), [(kind, value) for kind, values in VALUES for value in values])
def test_messages_with_them_are_read_in_columns(
    name: str, kind: SqlType, value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def exactly(self: MessageDecoder, messages: Any, chosen: Any) -> Any:
        raise AssertionError(f"{len(chosen)} messages for the exact reader")

    monkeypatch.setattr(MessageDecoder, "_exactly", exactly)
    block = (MESSAGES[name](value) + "\n").encode() * 5000
    assert decoder_of(name, {"v": kind}).decode(block).num_rows == 5000
