"""The columnar path gives what the exact path gives, whatever the messages; bad ones are found by both."""

from __future__ import annotations

import json
import random
from typing import Any

import pyarrow as pa
import pytest

from firesteel.formats.base import MessageError
from firesteel.types.sql import (
    BIGINT,
    BOOLEAN,
    DATE,
    DOUBLE,
    FLOAT,
    INT,
    SMALLINT,
    STRING,
    SqlType,
    TypeRoot,
    decimal,
    timestamp,
)
from tests.formats.decoding import decoder_of, rows
from tests.scale import FULL

SCHEMA: dict[str, SqlType] = {
    "id": BIGINT,
    "s": STRING,
    "i": INT,
    "h": SMALLINT,
    "d": DOUBLE,
    "f": FLOAT,
    "m": decimal(10, 2),
    "b": BOOLEAN,
    "t": timestamp(3),
    "y": DATE,
}
ODD: list[Any] = [
    1, 1.5, -0.0, "x", "", True, [], {}, " 5 ", "12x", 10**20, "NaN", "1_0", "0x1F", "+5", 1e300, "007",
    99999999.995, 1e-7, "2020-02-30", "2020-01-02 03:04:05.", "é", "\ud800", 'a\\b"c', "\u0001", [[1]], None,
]  # fmt: skip
SEEDS = range(6 if FULL else 3)


def value(chance: random.Random, kind: SqlType, quoted: bool) -> Any:
    if chance.random() < 0.08:
        return None
    if chance.random() < 0.03:
        return chance.choice(ODD)
    made: Any = chance.randint(-100, 100)
    if kind.root is TypeRoot.VARCHAR:
        return chance.choice(["a", "", "é", "日本", 'q"uote', "back\\slash", "line\nbreak", "😀", "null"])
    if kind.root is TypeRoot.BOOLEAN:
        made = chance.random() < 0.5
        return str(made).lower() if quoted else made
    if kind.root is TypeRoot.DATE:
        return f"2023-{chance.randint(1, 12):02d}-{chance.randint(1, 30):02d}"
    if kind.root is TypeRoot.TIMESTAMP:
        return f"2023-{chance.randint(1, 12):02d}-{chance.randint(1, 30):02d} 01:02:03" + chance.choice(
            ["", ".12"]
        )
    if kind.root in (TypeRoot.DOUBLE, TypeRoot.FLOAT, TypeRoot.DECIMAL):
        made = round(chance.uniform(-100, 100), chance.choice([1, 2, 2, 5]))
    return str(made) if quoted else made


def row_object(chance: random.Random, quoted: bool) -> dict[str, Any]:
    made = {name: value(chance, kind, quoted) for name, kind in SCHEMA.items()}
    if chance.random() < 0.03:
        made.pop(chance.choice(list(made)))
    if chance.random() < 0.02:
        made["extra"] = chance.choice([1, {"id": 5}, [1, 2], "x"])
    return made


def canal_message(chance: random.Random, quoted: bool) -> dict[str, Any]:
    count = 1 if chance.random() < 0.9 else chance.randint(0, 3)
    data = [row_object(chance, quoted) for _ in range(count)]
    kind = chance.choice(["INSERT", "UPDATE", "UPDATE", "DELETE"])
    old = None
    if kind == "UPDATE":
        old = [
            {key: value(chance, SCHEMA.get(key, STRING), quoted) for key in one if chance.random() < 0.3}
            for one in data
        ]
    return {"data": data, "old": old, "type": kind, "es": chance.randint(0, 10**13), "pkNames": ["id"]}


def before_after(chance: random.Random, quoted: bool, names: str = "crud", key: str = "op") -> dict[str, Any]:
    kind = chance.choice(names)
    before = row_object(chance, quoted) if kind in "udUD" else None
    after = row_object(chance, quoted) if kind not in "dD" else None
    return {"before": before, "after": after, key: kind, "ts_ms": chance.randint(0, 10**13)}


def ogg_message(chance: random.Random, quoted: bool) -> dict[str, Any]:
    return before_after(chance, quoted, "IUD", "op_type")


def maxwell_message(chance: random.Random, quoted: bool) -> dict[str, Any]:
    kind = chance.choice(["insert", "update", "delete"])
    message = {"database": "d", "type": kind, "data": row_object(chance, quoted)}
    if kind == "update":
        old = row_object(chance, quoted)
        message["old"] = {name: one for name, one in old.items() if chance.random() < 0.3}
    return message


MESSAGES = {
    "canal-json": canal_message,
    "debezium-json": before_after,
    "json": row_object,
    "maxwell-json": maxwell_message,
    "ogg-json": ogg_message,
}


def mutated(chance: random.Random, line: bytes) -> bytes:
    data = bytearray(line)
    for _ in range(chance.randint(1, 2)):
        place, length = chance.randrange(len(data)), chance.choice([1, 1, 2, 5, 20])
        match chance.randrange(4):
            case 0:
                del data[place : place + length]
            case 1:
                data[place:place] = data[place : place + length]
            case 2:
                data[place : place + 1] = chance.choice(
                    [b'"', b",", b"}", b"null", b"\\", b"NaN", b"0", b"\xc3"]
                )
            case _:
                other = chance.randrange(len(data))
                data[place], data[other] = data[other], data[place]
        if not data:
            break
    return bytes(data).replace(b"\n", b"")


def json_lines(name: str, seed: int, *, mutations: float) -> list[bytes]:
    chance = random.Random(seed)
    quoted, compact = chance.random() < 0.5, chance.random() < 0.5
    lines = []
    for _ in range(250):
        message = MESSAGES[name](chance, quoted)
        separators = (",", ":") if compact else (", ", ": ")
        text = json.dumps(message, separators=separators, ensure_ascii=chance.random() < 0.5)
        line = text.encode("utf-8", "replace")
        lines.append(mutated(chance, line) if chance.random() < mutations else line)
    return lines


def csv_lines(seed: int) -> list[bytes]:
    chance = random.Random(seed)
    lines = []
    for _ in range(250):
        texts = [
            "" if made is None else str(made).replace("\n", "") for made in row_object(chance, True).values()
        ]
        texts = ['"' + text.replace('"', '""') + '"' if chance.random() < 0.2 else text for text in texts]
        line = ",".join(texts).encode("utf-8", "replace")
        lines.append(mutated(chance, line) if chance.random() < 0.1 else line)
    return [line for line in lines if b"\r" not in line]


def one_by_one(name: str, lines: list[bytes], **options: str) -> tuple[list[Any], int | None]:
    """What each line gives alone, as the exact path reads it, and the first line that is refused."""
    found: list[Any] = []
    for index, line in enumerate(lines):
        try:
            found += rows(decoder_of(name, SCHEMA, **options).decode(line + b"\n"))
        except MessageError:
            return found, index
    return found, None


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", MESSAGES)
def test_ignoring_errors(name: str, seed: int) -> None:
    lines = json_lines(name, seed, mutations=0.2)
    expected, refused = one_by_one(name, lines, ignore_parse_errors="true")
    assert refused is None
    decoder = decoder_of(name, SCHEMA, ignore_parse_errors="true")
    assert repr(rows(decoder.decode(b"\n".join(lines) + b"\n"))) == repr(expected)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", MESSAGES)
def test_failing_at_the_first_bad_line(name: str, seed: int) -> None:
    lines = json_lines(name, seed, mutations=0.02)
    expected, refused = one_by_one(name, lines)
    block = b"\n".join(lines) + b"\n"
    if refused is None:
        assert repr(rows(decoder_of(name, SCHEMA).decode(block))) == repr(expected)
        return
    with pytest.raises(MessageError) as caught:
        decoder_of(name, SCHEMA).decode(block)
    assert caught.value.index == refused
    good = b"\n".join(lines[:refused]) + b"\n"
    assert repr(rows(decoder_of(name, SCHEMA).decode(good))) == repr(expected)


@pytest.mark.parametrize("seed", SEEDS)
def test_csv_by_columns_and_by_records(seed: int) -> None:
    block = b"\n".join(csv_lines(seed)) + b"\n"
    for ignoring in ("true", "false"):
        outcomes = []
        for in_columns in (True, False):
            decoder = decoder_of("csv", SCHEMA, ignore_parse_errors=ignoring)
            if not in_columns:
                decoder.decoder._columns = None
            try:
                outcomes.append((repr(rows(decoder.decode(block))), decoder.skipped))
            except MessageError as error:
                outcomes.append((error.text, error.index))
        assert outcomes[0] == outcomes[1]


@pytest.mark.parametrize("name", MESSAGES)
def test_plain_messages_are_read_in_columns(name: str) -> None:
    """Members in any order, further ones, blanks, escapes: none of it needs the exact reader."""
    chance = random.Random(1)
    lines = []
    for number in range(200):
        message = shuffled(chance, plain(MESSAGES[name](random.Random(number), True)))
        blanks = chance.choice([(",", ":"), (" , ", " : ")])
        lines.append(json.dumps(message, separators=blanks, ensure_ascii=chance.random() < 0.5).encode())
    decoder = decoder_of(name, SCHEMA).decoder
    found = decoder._columns.read(pa.array(lines, pa.binary()))
    assert len(found.odd) == 0
    assert found.changes.num_rows > 0


def plain(value: Any, key: str = "") -> Any:
    """The same structure with values that every type takes."""
    texts = {"s": 'é\n"', "b": "true", "t": "2023-01-02 03:04:05.6", "y": "2023-01-02", "m": "1.5"}
    if key in SCHEMA:
        return None if value is None else texts.get(key, "7")
    if key == "extra":
        return 1.5
    if isinstance(value, dict):
        return {name: plain(one, name) for name, one in value.items()}
    return [plain(one) for one in value] if isinstance(value, list) else value


def shuffled(chance: random.Random, value: Any, key: str = "") -> Any:
    if isinstance(value, dict):
        names = [*value]
        chance.shuffle(names)
        further: Any = {} if key == "old" else {"more": [{"id": [1.50, None]}, "x"]}
        return {**further, **{name: shuffled(chance, value[name], name) for name in names}}
    return [shuffled(chance, one, key) for one in value] if isinstance(value, list) else value
