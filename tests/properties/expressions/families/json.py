"""SQL/JSON: paths over documents, whole and broken, with their clauses; texts built of values."""

from __future__ import annotations

import random
import re

from tests.properties.expressions.family import Draw, Family, one_of, quoted

COLUMNS = {
    "js": "STRING",
    "jn": "STRING NOT NULL",
    "s": "STRING",
    "c": "CHAR(3)",
    "i": "INT",
    "l": "BIGINT",
    "d": "DOUBLE",
    "f": "FLOAT",
    "m": "DECIMAL(10, 2)",
    "b": "BOOLEAN",
    "ts": "TIMESTAMP(6)",
    "lz": "TIMESTAMP_LTZ(3)",
    "y": "BYTES",
    "a": "ARRAY<INT>",
    "sa": "ARRAY<STRING>",
    "mp": "MAP<STRING, INT>",
    "r": "ROW<z INT, b STRING>",
    "path": "STRING",
}
_DOCUMENTS = [
    '{"a": 1, "b": {"c": [1, 2.50, "x", null, true]}, "n": null, "s": "str"}',
    '{"a": {"b": {"c": [{"d": 1}, {"d": "two"}, {"e": -3}]}}, "b": [3, 1, 2]}',
    '[1, 2, 3.0, -4e2, "5"]',
    '[{"a": 1, "b": "x"}, {"a": 2, "b": "y"}, {"a": "1", "c": 7}, {"a": null}, 5, [6, 7]]',
    '{"b": 1, "a": 2, "b": 3, "é": "日本", "x.y": 5, "a b": 6, "": 7, "it\'s": 8}',
    '"text"',
    " 12.50 ",
    "true",
    "null",
    "",
    "  ",
    "{}",
    "[]",
    '{"a": 1',
    '{"a": 1}}',
    '{"a": 1} {"a": 2}',
    "{a: 1}",
    "{'a': 1}",
    '{"a": 01}',
    '{"a": .5}',
    '{"a": NaN}',
    "[1, 2,]",
    '{"a": "\\u00e9\\ud83d\\ude00\\n\\t\\"\\\\\\/", "s": "a\\u0001b", "b": "<&>"}',
    '{"a": 12345678901, "b": 123456789012345678901234567890, "c": 1e400, "d": -0.0, "e": 1E-10, "n": -0}',
    '{"a": [[1, [2, [3, {"a": 4}]]], [], [[]]], "b": [{"w": [1, 2]}, {"w": []}, {"w": {"a": 0}}]}',
    '{"a": true, "b": [true, false, null], "s": "TRUE", "c": {"b": "", "a": " "}}',
    '{"a": "abc", "b": [{"s": "abc", "a": 10}, {"s": "ABD", "a": 9.5}, {"s": "b1", "a": 11}, {"a": 1e1}]}',
    "1 2",
    "nul",
    '"a" "b"',
]
_PATHS = ["$.a", "lax $.b", "strict $.b[0]", None, "$..a", "", "lax $.zz", "$.[", "$", "b.c"]
_VALUES = {
    "s": ["x", 'q"\\/', "", None, "日😀", "\x01\n\t", "null", '"j"', '{"k":1}'],
    "c": ["abc", "a", None, "12 "],
    "i": [1, -7, None, 0, 2147483647],
    "l": [1, -9223372036854775808, None, 12345678901],
    "d": [1.5, -0.0, 1e20, None, 1e-7, 100.0, 0.1],
    "f": [1.5, 0.1, None, 1e10],
    "m": [1.5, -12.34, None, 0, 100],
    "b": [True, None, False],
    "ts": ["2024-02-29 12:34:56.123456", "1969-12-31 23:59:00", None, "2024-01-01 00:00:00.5"],
    "lz": ["2024-02-29 12:34:56.123Z", None, "1970-01-01 00:00:00Z"],
    "y": ["aGVsbG8=", "", None, "AAF/gP8="],
    "a": [[1, None, 3], [], None],
    "sa": [["a", None, 'b"'], None, []],
    "mp": [{"z": 1, "a": None}, {}, None],
    "r": [{"z": 1, "b": "x"}, {"z": None}, None],
    "path": _PATHS,
}
ROWS = [
    {
        "js": text,
        "jn": _DOCUMENTS[-1 - i],
        **{name: values[i % len(values)] for name, values in _VALUES.items()},
    }
    for i, text in enumerate(_DOCUMENTS)
] + [{"jn": "{}"}]

_name = one_of("a", "a", "b", "b", "c", "d", "s", "n", "zz", "e")
_numbers = one_of("0", "1", "2", "-1", "-2", "9")
_text = one_of("js", "js", "js", "js", "js", "jn", "jn", "s", "c", "JSON_QUERY(js, '$.b')", "m")


def _bracket(rng: random.Random) -> str:
    name, other = _name(rng), _name(rng)
    number, more = _numbers(rng), _numbers(rng)
    return rng.choice(
        [
            *(f"[{number}]", f"[{number}]", f"[ {number} ]", f"[{number},{more}]", f"[{number}:]"),
            *(f"[:{number}]", f"[{number}:{more}]", "[*]", "[*]", "[ * ]"),
            *(f"['{name}']", f'["{name}"]', f"['{name}','{other}']", f"[ '{name}' ]"),
            *('["x.y"]', "['a b']", "['']", '["it\'s"]', "['é']", "['it\\'s']", '["\\u0061"]'),
        ]
    )


def _operand(rng: random.Random) -> str:
    return rng.choice(
        [
            *("@.a", "@.a", "@.a", "@.s", "@.d", "@['a']", "@.zz", "@.c", "@.b.length()"),
            *("1", "2", "10", "-1", "1.0", "'x'", '"x"', "'1'", "'abc'", "true", "false", "null", "'A'"),
        ]
    )


_FAILING = ["@.a", "!@.b", "@.a in [1, 2]", "@ == 1", "@.b == $.b", "@.w == {}"]
"""Flink lacks the library for these."""


def _comparison(rng: random.Random) -> str:
    sign = rng.choice(["==", "==", "!=", "<", "<=", ">", ">=", "===", "!=="])
    space = rng.choice([" ", " ", ""])
    return rng.choice(
        [
            *[f"{_operand(rng)}{space}{sign}{space}{_operand(rng)}"] * 6,
            f"@.s =~ /{rng.choice(['a.*', 'A.*', '.*1', 'abc', '(a', '[a-z]+'])}/{rng.choice(['', 'i'])}",
            f"@.{rng.choice('sab')} size {rng.choice(['3', '1', '0'])}",
            f"@.{rng.choice('sab')} empty {rng.choice(['true', 'false'])}",
            f"@.{rng.choice('sab')} contains {_operand(rng)}",
            f"@.a {rng.choice(['=', 'is', '~', '<>', 'in'])} {_operand(rng)}",
            *([rng.choice(_FAILING)] if rng.random() < 0.05 else []),
        ]
    )


def _filter(rng: random.Random) -> str:
    first = _comparison(rng)
    return rng.choice(
        [
            *[f"[?({first})]"] * 4,
            f"[?({first} && {_comparison(rng)})]",
            f"[?({first} || {_comparison(rng)})]",
            f"[?(!({first}))]",
            f"[?( ({first}) )]",
            f"[ ?({first} )]",
            f"[?({first}]",
        ]
    )


_function = one_of(
    *(".length()", ".size()", ".sum()", ".avg()", ".min()", ".max()", ".stddev()", ".keys()", ".first()"),
    *(".last()", ".index(0)", ".index(-1)", ".append(1)", '.concat("x")', ".foo()", ".sum($.a)", ".length"),
    *(".concat($.s, $.a)", ".max(1, 2.5)", ".append($.a)", ".length(", ".first().a"),
)


def _step(rng: random.Random) -> str:
    name = _name(rng)
    return rng.choice([*[f".{name}"] * 8, *[_bracket(rng)] * 5, ".*", f"..{name}", "..*", _filter(rng)])


_REMEMBERED = re.compile(r"\.\.\s*(\[[^\]]*\]|\*).")
"""Flink's answer depends on the rows and queries before (docs/compatibility.md)."""


def _path(rng: random.Random) -> str:
    """A path, whole or broken."""
    steps = [_step(rng) for _ in range(rng.choice([0, 1, 1, 1, 2, 2, 3, 4]))]
    if rng.random() < 0.12:
        steps.append(_function(rng))
    if rng.random() < 0.03:
        steps.append(rng.choice(["..[0]", "..[*]", "..[-1]", "..[?(@.a == 1)]", "..length()"]))
    body = "".join(steps)
    if rng.random() < 0.05:
        place = rng.randrange(len(body) + 1)
        body = body[:place] + rng.choice([*"[] '(?@,", "", ".", ".."]) + body[place:]
    if _REMEMBERED.search(body):
        body = f".{_name(rng)}"
    root = rng.choice([*["$"] * 12, "@", "", " $"])
    return rng.choice([*[""] * 4, *["lax "] * 3, "strict ", " LAX  "]) + root + body


def _literal_path(rng: random.Random) -> str:
    return quoted(_path(rng))


_any_path = one_of(*[_literal_path] * 30, "path", "'lax $.' || 'a'", "CAST(NULL AS STRING)")
_default = one_of(
    *("'d'", "'d'", "'d'", "7", "-1", "1.50", "1e2", "TRUE", "DATE '2020-01-02'", "CAST(NULL AS STRING)"),
    *("TIMESTAMP '2020-01-02 03:04:00'", "TIME '12:00:00'", "CAST(5 AS BIGINT)"),
)


def _clause(rng: random.Random, words: Draw) -> str:
    empty, error = words(rng), words(rng)
    return rng.choice(
        [
            *[""] * 6,
            *[f" {empty} ON EMPTY"] * 2,
            *[f" {error} ON ERROR"] * 2,
            f" {empty} ON EMPTY {error} ON ERROR",
            f" {error} ON ERROR {empty} ON EMPTY",
        ]
    )


def _value(rng: random.Random) -> str:
    word = one_of(*["NULL"] * 8, *[lambda r: f"DEFAULT {_default(r)}"] * 8)
    returning = rng.choice([*[""] * 9, " RETURNING STRING", " RETURNING VARCHAR(3)"])
    if rng.random() < 0.05:
        paths = {"INT": ["$.a[0]", "$.a.zz"], "BOOLEAN": ["$.zz", "$.zz.b"], "DOUBLE": ["$.e"]}
        kind = rng.choice(list(paths))
        path = rng.choice(paths[kind])
        return f"JSON_VALUE(js, '{rng.choice(['', 'lax '])}{path}' RETURNING {kind})"
    return f"JSON_VALUE({_text(rng)}, {_any_path(rng)}{returning}{_clause(rng, word)})"


def _query(rng: random.Random) -> str:
    word = one_of(*["NULL"] * 6, *["EMPTY ARRAY", "EMPTY OBJECT"] * 4)
    types = ["ARRAY<STRING>", "ARRAY<STRING>", "ARRAY<STRING>", "STRING"]
    returning = rng.choice([*[""] * 8, *(f" RETURNING {kind}" for kind in types)])
    wrapper = rng.choice(
        [
            *[""] * 4,
            *(" WITH WRAPPER", " WITHOUT WRAPPER", " WITH CONDITIONAL WRAPPER"),
            *(" WITH UNCONDITIONAL ARRAY WRAPPER", " WITH CONDITIONAL ARRAY WRAPPER"),
        ]
    )
    return f"JSON_QUERY({_text(rng)}, {_any_path(rng)}{returning}{wrapper}{_clause(rng, word)})"


def _exists(rng: random.Random) -> str:
    on_error = rng.choice([*[""] * 4, *(f" {word} ON ERROR" for word in ("TRUE", "FALSE", "UNKNOWN"))])
    text = one_of("js", "js", "js", "jn", "s", "c", "JSON_QUERY(js, '$.a')")
    return f"JSON_EXISTS({text(rng)}, {_literal_path(rng)}{on_error})"


def _test(rng: random.Random) -> str:
    negated = rng.choice(["", "NOT "])
    kind = rng.choice(["", " VALUE", " OBJECT", " ARRAY", " SCALAR"])
    return f"{one_of('js', 'jn', 's', 'c', 'JSON_UNQUOTE(js)')(rng)} IS {negated}JSON{kind}"


_scalar = one_of(
    *("i", "l", "d", "f", "m", "b", "s", "c", "ts", "lz", "y", "a", "sa", "mp", "r", "js"),
    *("1", "1.50", "1e3", "TRUE", "'x'", "CAST(NULL AS INT)", "i + 1", "ARRAY[r]", "MAP['k', a]"),
    *("TIMESTAMP '2020-01-02 03:04:05.10'", "CAST(f AS DECIMAL(10, 3))", "js IS JSON"),
)


def _built(depth: int) -> Draw:
    def draw(rng: random.Random) -> str:
        values = [_member(depth)(rng) for _ in range(rng.choice([0, 1, 1, 2, 3]))]
        absent = rng.choice(["", "", " NULL ON NULL", " ABSENT ON NULL"])
        if rng.random() < 0.5:
            return f"JSON_ARRAY({', '.join(values)}{absent if values else ''})"
        key = one_of("'k'", "'a'", "'b'", "'é\"'", "jn", "'x' || 'y'")
        pairs = (f"{key(rng)} {rng.choice(['VALUE', 'VALUE', ':'])} {value}" for value in values)
        return f"JSON_OBJECT({', '.join(pairs)}{absent})"

    return draw


def _member(depth: int) -> Draw:
    def draw(rng: random.Random) -> str:
        if depth and rng.random() < 0.35:
            return _built(depth - 1)(rng)
        texts = ["'[1, 2.50]'", '\' {"b" : 1e1, "a":null}\'', "JSON_QUOTE(s)", "''", "JSON_QUERY(js, '$')"]
        others = ["JSON_QUERY(js, '$.a')", "JSON_STRING(i)", "JSON_VALUE(js, '$.a')", "IF(b, s, 'e')"]
        if rng.random() < 0.2:
            return rng.choice([f"JSON({rng.choice(texts)})", rng.choice(others)])
        return _scalar(rng)

    return draw


def draw(rng: random.Random) -> str:
    """A call of one of the functions."""
    texts = one_of("s", "js", "jn", "c", "'\"\\u00e9\\n\"'", "JSON_STRING(s)", "JSON_QUOTE(s)", "UPPER(s)")
    return one_of(
        *[_value] * 9,
        *[_query] * 9,
        *[_exists] * 5,
        *[_test] * 2,
        *[_built(2)] * 6,
        lambda r: f"JSON_STRING({_scalar(r)})",
        lambda r: f"JSON_STRING({_built(1)(r)})",
        lambda r: f"JSON_QUOTE({texts(r)})",
        lambda r: f"JSON_UNQUOTE({texts(r)})",
    )(rng)


FAMILY = Family(COLUMNS, ROWS, draw)
