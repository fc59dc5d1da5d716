"""ROW, ARRAY and MAP of the format json: in columns as message by message."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from firesteel.errors import JobError
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
from firesteel.types.value_parts import Parts, below, keys_of
from tests.formats.decoding import decoder_of, rows
from tests.formats.test_paths_agree import ODD, mutated, value

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


def test_types_that_are_read_message_by_message() -> None:
    assert decoder_of("json", {"v": map_of(STRING, BYTES)}).decoder._columns is None


@pytest.mark.parametrize("kind", [row(("a", "A"), (INT, INT)), array(row(("",), (INT,)))], ids=str)
def test_names_that_differ_in_case_or_are_empty(kind: SqlType) -> None:
    lines = b'{"v":{"A":1,"a":2}}\n' if kind.names else b'{"v":[{"":1}, {}]}\n'
    decoder = decoder_of("json", {"v": kind})
    assert decoder.decoder._columns is not None
    assert rows(decoder.decode(lines * 100)) == rows(decoder_of("json", {"v": kind}).decode(lines)) * 100


PARTS: dict[str, tuple[SqlType, Parts]] = {
    "m": (map_of(STRING, STRING), (("a",), ("x/y~z",), ("7",))),
    "r": (row(("a", "m"), (INT, map_of(STRING, STRING))), (("m", "é"), ("a",))),
    "l": (array(map_of(STRING, STRING)), ((None, "key-1"),)),
    "o": (map_of(STRING, INT), (("a",),)),
    "w": (map_of(STRING, STRING), (("a",), ())),
    "e": (map_of(STRING, STRING), (("",), ("a",))),
}


def looked_at(value: Any, kind: SqlType, parts: Parts) -> Any:
    """The value with nothing but what is looked at of its maps of strings."""
    if value is None:
        return None
    if kind.root is TypeRoot.ROW:
        members = zip(kind.names, kind.children, strict=True)
        return {name: looked_at(value[name], child, below(parts, name)) for name, child in members}
    if kind.root is TypeRoot.ARRAY:
        return [looked_at(each, kind.children[0], below(parts, None)) for each in value]
    keys = keys_of(parts) if kind.root is TypeRoot.MAP else None
    return value if keys is None else [dict(value).get(key) for key in keys]


def tidy(chance: random.Random, kind: SqlType, odd: float) -> Any:
    """A value that is mostly of its type."""
    if chance.random() < odd:
        return chance.choice([None, None, 1.50, [1], {"a": 1}, "7", True])
    if kind.root is TypeRoot.ROW:
        return {name: tidy(chance, child, odd) for name, child in zip(kind.names, kind.children, strict=True)}
    if kind.root is TypeRoot.ARRAY:
        return [tidy(chance, kind.children[0], odd) for _ in range(chance.randrange(3))]
    if kind.root is TypeRoot.MAP:
        keys = chance.sample(["a", "b", "é", "key-1", "x/y~z", "7", ""], chance.randrange(4))
        return {key: tidy(chance, kind.children[1], odd) for key in keys}
    return chance.randrange(9) if kind is INT else chance.choice(["x", "", "naïve", "0", '"\\', "[1]"])


@pytest.mark.parametrize("seed", range(4))
def test_only_some_parts_are_looked_at(seed: int) -> None:
    """What is refused for the sake of another part still is."""
    chance = random.Random(seed)
    schema = {name: kind for name, (kind, _) in PARTS.items()}
    parts = tuple(each for _, each in PARTS.values())
    whole = row(tuple(schema), tuple(schema.values()))
    good = [json.dumps(tidy(chance, whole, 0)).encode() for _ in range(200)]
    lines = [json.dumps(tidy(chance, whole, 0.04) or {}).encode() for _ in range(200)]
    lines = [line.replace(b'"key-1"', b'"a"') for line in lines]  # twice in one object, now and then
    lines = [*good, *(mutated(chance, line) if chance.random() < 0.05 else line for line in lines)]
    data, ignoring = b"\n".join(lines) + b"\n", {"ignore_parse_errors": "true"}
    narrow = decoder_of("json", schema, parts=parts, **ignoring)
    exact = [
        each for line in lines for each in rows(decoder_of("json", schema, **ignoring).decode(line + b"\n"))
    ]

    def shown(found: list[Any]) -> str:
        cells = (zip(each[1:], PARTS.values(), strict=True) for each in found)
        return repr([[looked_at(value, *of) for value, of in each] for each in cells])

    assert shown(rows(narrow.decode(data))) == shown(exact)
    assert not len(narrow.decoder._columns.read(narrow._framing.split(b"\n".join(good) + b"\n")[0]).odd)


@pytest.mark.parametrize("key", ["a\0b", "", '"', "'", "a.b", "ß"])
def test_keys_of_all_kinds(key: str) -> None:
    lines = [json.dumps({"m": {"b": "1", key: "2"}}, ensure_ascii=n % 2 == 0).encode() for n in range(100)]
    decoder = decoder_of("json", {"m": map_of(STRING, STRING)}, parts=(((key,), ("b",)),))
    for _, entries in rows(decoder.decode(b"\n".join(lines) + b"\n")):
        assert sorted(entries) == sorted([(key, "2"), ("b", "1")])


def test_what_nobody_looks_at_is_not_read() -> None:
    decoder = decoder_of("json", {"m": map_of(STRING, STRING)}, parts=((("a",),),))
    table = decoder.decode(b'{"m": {"b": "1", "a": "2"}}\n{"m": {"b": "3"}}\n{"m": null}\n' * 40)
    assert rows(table)[:3] == [("+I", [("a", "2")]), ("+I", []), ("+I", None)]


def test_fields_of_a_row_that_nobody_looks_at_are_not_read() -> None:
    data = b'{"r": {"a": "1", "b": {}, "n": 2}}\n{"r": {"b": "3"}}\n{"r": null}\n' * 40

    def first(part: tuple[str, ...], *names: str) -> list[Any]:
        kind = row(names, tuple(INT if name == "n" else STRING for name in names))
        found = rows(decoder_of("json", {"r": kind}, parts=((part,),)).decode(data))[:3]
        return [each and tuple(each.values()) for _, each in found]

    assert first(("a",), "a", "b", "n") == [("1", None, None), (None, None, None), None]
    assert first((), "a", "b", "n") == [("1", "{}", 2), (None, "3", None), None]
    assert first(("c",), "a", "b") == [(None, None), (None, None), None]


@pytest.mark.parametrize("there", [1, 3])
def test_a_number_that_nobody_looks_at_may_be_wrong(there: int) -> None:
    kind = row(("a", "n", "r"), (STRING, INT, row(("z",), (DOUBLE,))))
    lines = [b'{"r": {"a": "1", "n": 2, "r": {"z": 1}}}'] * there + [b'{"r": null}'] * (4 - there)
    data = b"\n".join(lines * 40) + b"\n"
    for wrong in (b'{"a": "1", "n": "x"}', b'{"a": "1", "r": {"z": "x"}}', b'{"a": "1", "n": 99999999999}'):
        decoder = decoder_of("json", {"r": kind}, parts=((("a",),),))
        assert len(rows(decoder.decode(data))) == 160
        with pytest.raises((MessageError, JobError)):
            decoder.decode(data + b'{"r": ' + wrong + b"}\n")


@pytest.mark.parametrize("every", [2, 4, 5, 50])
def test_rows_that_seldom_exist(every: int) -> None:
    chance = random.Random(every)
    kind = row(("a", "l", "m"), (SCHEMA["r"], SCHEMA["l"], SCHEMA["m"]))
    schema = {"id": BIGINT, "often": INT, "seldom": kind}
    lines = []
    for number in range(200):
        found = {"id": number, "often": None if number % 7 else 1}
        if number % every == 1:
            found["seldom"] = nested(chance, kind)
        elif number % 3:
            found["seldom"] = None
        lines.append(json.dumps(found).encode() + b"\n")
    together, apart = (decoder_of("json", schema, ignore_parse_errors="true") for _ in range(2))
    expected = [each for line in lines for each in rows(apart.decode(line))]
    assert repr(rows(together.decode(b"".join(lines)))) == repr(expected)
    assert len(expected) > 180


def test_a_text_that_nobody_looks_at_may_not_be_missing() -> None:
    decoder = decoder_of(
        "json", {"r": row(("a", "b"), (STRING, STRING))}, parts=((("a",),),), fail_on_missing_field="true"
    )
    with pytest.raises(MessageError, match="Some field is missing"):
        decoder.decode(b'{"r": {"a": "1", "b": "2"}}\n{"r": {"a": "1"}}\n' * 40)
