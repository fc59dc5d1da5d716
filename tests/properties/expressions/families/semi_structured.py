"""VARIANT, BITMAP and structured types: documents and their parts, sets of integers, objects of a class."""

from __future__ import annotations

import random

from tests.properties.expressions.family import Family

COLUMNS = {
    "js": "STRING",
    "o": "STRING",
    "arr": "STRING",
    "i": "INT",
    "j": "INT NOT NULL",
    "ti": "TINYINT",
    "s": "STRING",
    "d": "DOUBLE",
    "b": "BOOLEAN",
    "y": "BYTES",
    "a": "ARRAY<INT>",
    "a2": "ARRAY<INT>",
}
_DOCUMENTS = [
    '{"a": 1, "b": {"c": [1, 2.50, "x", null, true]}, "n": null, "s": "str"}',
    '[1, 2, 3.0, -4e2, "5"]',
    '{"b": 1, "a": 2}',
    '{"a": 2, "b": 1}',
    '{"a": 1, "a": 2}',
    '"text"',
    " 12.50 ",
    "1",
    "1.0",
    "1e0",
    "true",
    "null",
    "",
    "{bad",
    "1 2",
    "01",
    "1x",
    "truex",
    "[1,2] x",
    "12345678901234567890.50",
    "123456789012345678901234567890123456789012",
    "0.000001",
    "1E-7",
    "-0.0",
    "1e999",
    '"\\u00e9\\ud83d\\ude00 \\ud800 \\/ \\n"',
    '{"é": "日本", "x.y": 5, "": 7, "z": {"z": {"z": []}}}',
    "9223372036854775807",
    "-9223372036854775809",
    "[[[]], {}, [{}]]",
    '"0123456789012345678901234567890123456789012345678901234567890123456789"',
]
_OBJECTS = [
    '{"a": 1, "b": [1, 2], "c": {"d": "x"}}',
    '{"b": 1, "a": 1}',
    '{"a": null}',
    "{}",
    '{"c": {"a": 2.50, "d": 1e1}, "a": "1", "b": [[1], {"a": 3}]}',
]
_ARRAYS = ["[1, 1, 2]", "[]", '["x", null, {"a": 1}]', "[[1, 2], [3]]", "[1.0, 1, 1e0]"]
_INTEGERS = [
    [],
    [1, 2, 3],
    [3, 4, 5, 6, 7, 8],
    [0, -1, 2147483647, -2147483648],
    [1, None, 1],
    [65535, 65536, 65537, 131072],
    list(range(40)),
    None,
]
ROWS = [
    {
        "js": document,
        "o": _OBJECTS[n % 5],
        "arr": _ARRAYS[n * 3 % 5],
        "i": (None, 1, 2, -1, 5, 0)[n % 6],
        "j": (1, 2, 7)[n % 3],
        "ti": (1, None, -3)[n % 3],
        "s": ("x", None, "", "a b")[n % 4],
        "d": (0.5, None, -2.0, 1e10)[n % 4],
        "b": (True, None, False)[n % 3],
        "y": ("OjAAAAAAAAA=", None)[n % 2],
        "a": _INTEGERS[n % 8],
        "a2": _INTEGERS[n * 5 % 7],
    }
    for n, document in enumerate(_DOCUMENTS)
]


def _variant(rng: random.Random, depth: int = 2) -> str:
    kind = rng.randrange(7)
    if depth and kind == 0:
        return f"{_object(rng)}['{rng.choice('abcdz')}']"
    if depth and kind == 1:
        return f"{_array(rng)}[{rng.choice(['1', '2', '3', '9', 'i', 'j', 'ti'])}]"
    if kind == 2:
        return rng.choice(
            ["PARSE_JSON('1')", "TRY_PARSE_JSON('1.0')", "TRY_PARSE_JSON('x')", "PARSE_JSON(o)"]
        )
    if kind == 3:
        return f"TRY_PARSE_JSON(js, {rng.choice(['TRUE', 'FALSE'])})"
    if depth and kind == 4:
        a = _variant(rng, depth - 1)
        return rng.choice([f"COALESCE({a}, {_variant(rng, 0)})", f"IFNULL({a}, {_variant(rng, 0)})"])
    if depth and kind == 5:
        return f"CASE WHEN i > 1 THEN {_variant(rng, depth - 1)} ELSE {_variant(rng, 0)} END"
    return rng.choice(["TRY_PARSE_JSON(js)", "TRY_PARSE_JSON(o)", "TRY_PARSE_JSON(arr)", "PARSE_JSON(arr)"])


def _object(rng: random.Random) -> str:
    whole = rng.choice(["TRY_PARSE_JSON(o)", "PARSE_JSON(o)"])
    return whole if rng.random() < 0.8 else f"{whole}['c']"


def _array(rng: random.Random) -> str:
    return rng.choice(["TRY_PARSE_JSON(arr)", "PARSE_JSON(arr)", "TRY_PARSE_JSON('[1,[2,3]]')[2]"])


def _of_variant(rng: random.Random) -> str:
    v, w = _variant(rng), _variant(rng)
    return rng.choice(
        [
            v,
            f"JSON_STRING({v})",
            f"{v} IS NULL",
            f"{v} = {w}",
            f"{v} <> {w}",
            f"{v} IS NOT DISTINCT FROM {w}",
            f"{v} IN ({w}, {v})",
            f"TYPEOF({v})",
            f"ARRAY[{v}]",
            f"MAP['k', {v}]",
            f"ROW({v}, i)",
            f"CAST(ARRAY[{v}] AS STRING)",
            f"JSON_STRING(ROW({v}, i))",
            f"CAST({v} AS {rng.choice(['STRING', 'INT'])})",
            f"NULLIF({v}, {w})",
        ]
    )


_BITMAPS = (
    "BITMAP_BUILD(a)",
    "BITMAP_BUILD(a2)",
    "BITMAP_BUILD(ARRAY[i, j, 3])",
    "BITMAP_BUILD(ARRAY[j, 1])",
    "BITMAP_BUILD(ARRAY[1, 2, 3, 4])",
    "BITMAP_FROM_BYTES(y)",
)


def _bitmap(rng: random.Random, depth: int = 2) -> str:
    if depth and rng.random() < 0.6:
        name = rng.choice(["AND", "OR", "XOR", "ANDNOT"])
        return f"BITMAP_{name}({_bitmap(rng, depth - 1)}, {_bitmap(rng, depth - 1)})"
    if depth and rng.random() < 0.2:
        return f"BITMAP_FROM_BYTES(BITMAP_TO_BYTES({_bitmap(rng, depth - 1)}))"
    return rng.choice(_BITMAPS)


def _of_bitmap(rng: random.Random) -> str:
    v, w = _bitmap(rng), _bitmap(rng)
    return rng.choice(
        [
            v,
            f"BITMAP_TO_STRING({v})",
            f"BITMAP_TO_BYTES({v})",
            f"BITMAP_TO_ARRAY({v})",
            f"BITMAP_CARDINALITY({v})",
            f"{v} = {w}",
            f"{v} IS DISTINCT FROM {w}",
            f"CAST({v} AS {rng.choice(['STRING', 'BYTES', 'VARCHAR(4)', 'CHAR(9)', 'INT'])})",
            f"COALESCE({v}, {w})",
            f"CASE WHEN b THEN {v} ELSE {w} END",
            f"ARRAY[{v}]",
            f"ROW({v}, 1)",
            f"TYPEOF({v})",
            f"{v} IS NULL",
        ]
    )


_VALUES = ("i", "j", "s", "d", "b", "1", "'x'", "a", "1.50", "y", "ti")


def _thing(rng: random.Random) -> str:
    names = rng.sample(["a", "b", "c", "name", "age"], rng.randint(1, 3))
    fields = "".join(f", '{name}', {rng.choice(_VALUES)}" for name in names)
    return f"OBJECT_OF('{rng.choice(['User', 'a.b.C'])}'{fields})"


def _of_thing(rng: random.Random) -> str:
    v, w = _thing(rng), _thing(rng)
    return rng.choice(
        [
            v,
            f"{v}.{rng.choice('abc')}",
            f"OBJECT_UPDATE(OBJECT_OF('U', 'a', i, 'b', s), '{rng.choice('ab')}', {rng.choice(_VALUES)})",
            f"CAST({v} AS {rng.choice(['STRING', 'VARCHAR(9)', 'ROW<q STRING>'])})",
            f"{v} = {w}",
            f"TYPEOF({v})",
            f"JSON_STRING({v})",
            f"{v} IS NULL",
            f"ARRAY[{v}]",
            f"OBJECT_OF('Out', 'in', {v})",
        ]
    )


def draw(rng: random.Random) -> str:
    return rng.choice([_of_variant, _of_variant, _of_bitmap, _of_bitmap, _of_thing])(rng)


FAMILY = Family(COLUMNS, ROWS, draw)
