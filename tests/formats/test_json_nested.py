"""ROW, ARRAY and MAP of the format json: in columns as message by message."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from firesteel.formats.base import MessageError
from firesteel.types.sql import (
    BIGINT,
    BYTES,
    DOUBLE,
    INT,
    STRING,
    SqlType,
    TypeRoot,
    array,
    decimal,
    map_of,
    row,
)

from .decoding import decoder_of, rows
from .test_paths_agree import ODD, mutated, value

SCHEMA: dict[str, SqlType] = {
    "id": BIGINT,
    "r": row(("a", "b"), (INT, row(("c", "a/b~"), (STRING, decimal(20, 3))))),
    "l": array(row(("x", "y"), (DOUBLE, array(INT)))),
    "m": map_of(STRING, STRING),
    "n": array(map_of(STRING, row(("z",), (DOUBLE,)))),
    "o": array(map_of(STRING, INT)),
}
KEYS = ("a", "b", "é", "key-1", "x/y~z", "", "日本", *map(str, range(30)))


def nested(chance: random.Random, kind: SqlType) -> Any:
    if kind.root in (TypeRoot.ROW, TypeRoot.ARRAY, TypeRoot.MAP):
        if chance.random() < 0.05:
            return None
        if chance.random() < 0.01:
            return chance.choice(ODD)
    if kind.root is TypeRoot.ROW:
        made = {name: nested(chance, child) for name, child in zip(kind.names, kind.children, strict=True)}
        if chance.random() < 0.02:
            made.pop(chance.choice(list(made)))
        if chance.random() < 0.02:
            made[chance.choice(["more", *(name.upper() for name in made)])] = chance.choice(ODD)
        return made
    if kind.root is TypeRoot.ARRAY:
        return [nested(chance, kind.children[0]) for _ in range(chance.choice([0, 1, 2, 5]))]
    if kind.root is TypeRoot.MAP:
        names = chance.sample(KEYS, chance.choice([0, 1, 3, 13, 25]))
        return {name: nested(chance, kind.children[1]) for name in names}
    return value(chance, kind, quoted=False)


def lines_of(seed: int, mutations: float) -> list[bytes]:
    chance = random.Random(seed)
    whole = row(tuple(SCHEMA), tuple(SCHEMA.values()))
    made = (nested(chance, whole) for _ in range(200))
    lines = [json.dumps(each or {}, ensure_ascii=False).encode("utf-8", "replace") for each in made]
    return [mutated(chance, line) if chance.random() < mutations else line for line in lines]


def one_by_one(lines: list[bytes], **options: str) -> tuple[list[Any], int | None]:
    """The rows of the lines up to the first that is refused, and its index."""
    found: list[Any] = []
    for index, line in enumerate(lines):
        try:
            found += rows(decoder_of("json", SCHEMA, **options).decode(line + b"\n"))
        except MessageError:
            return found, index
    return found, None


@pytest.mark.parametrize("seed", range(3))
def test_ignoring_errors(seed: int) -> None:
    lines = lines_of(seed, mutations=0.2)
    expected, _ = one_by_one(lines, ignore_parse_errors="true")
    decoder = decoder_of("json", SCHEMA, ignore_parse_errors="true")
    assert repr(rows(decoder.decode(b"\n".join(lines) + b"\n"))) == repr(expected)


@pytest.mark.parametrize("required", ["true", "false"])
@pytest.mark.parametrize("seed", range(3))
def test_failing_at_the_first_bad_line(seed: int, required: str) -> None:
    lines, options = lines_of(seed, mutations=0), {"fail_on_missing_field": required}
    refused = [line for line in lines if one_by_one([line], **options)[1] is not None]
    good = [line for line in lines if line not in refused]
    for line in refused[:2]:
        with pytest.raises(MessageError) as caught:
            decoder_of("json", SCHEMA, **options).decode(b"\n".join([*good, line]) + b"\n")
        assert caught.value.index == len(good)
    assert len(good) > 64
    expected, _ = one_by_one(good, **options)
    assert repr(rows(decoder_of("json", SCHEMA, **options).decode(b"\n".join(good) + b"\n"))) == repr(
        expected
    )


def test_it_is_read_in_columns() -> None:
    decoder = decoder_of("json", SCHEMA)
    line = b'{"id": 1, "r": {"a": 2, "b": null}, "l": [{"x": 1.5, "y": [1]}], "m": {"k": "v"}, "n": []}\n'
    found = decoder.decoder._columns.read(decoder._framing.split(line * 100)[0])
    assert not len(found.odd)
    assert found.changes.num_rows == 100


@pytest.mark.parametrize(
    "maps",
    [
        '{"a":"1","b":"2","a":"3"}',
        '{"a":1.50,"b":[1, 2],"c":{"d":1},"":null}',
        "{}",
        "null",
        "7",
        "[]",
        '"{"',
    ],
)
def test_maps_of_all_kinds(maps: str) -> None:
    lines = [
        f'{{"id":{n},"m":{maps if n % 3 else "null"},"o":[{{"x":{n}}},null]}}'.encode() for n in range(90)
    ]
    expected, refused = one_by_one(lines)
    if refused is None:
        assert repr(rows(decoder_of("json", SCHEMA).decode(b"\n".join(lines) + b"\n"))) == repr(expected)
    else:
        with pytest.raises(MessageError) as caught:
            decoder_of("json", SCHEMA).decode(b"\n".join(lines) + b"\n")
        assert caught.value.index == refused


@pytest.mark.parametrize(
    "kind", [row(("a", "A"), (INT, INT)), map_of(STRING, BYTES), array(row(("",), (INT,)))], ids=str
)
def test_types_that_are_read_message_by_message(kind: SqlType) -> None:
    assert decoder_of("json", {"v": kind}).decoder._columns is None
