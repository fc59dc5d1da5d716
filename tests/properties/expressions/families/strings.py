"""Strings: the functions that take them apart and put them together."""

from __future__ import annotations

import random

from tests.properties.expressions.family import Draw, Family, call, one_of, quoted, up_to

COLUMNS = {
    "s": "STRING",
    "s2": "STRING",
    "vc": "VARCHAR(5)",
    "c": "CHAR(3)",
    "i": "INT",
    "p": "INT",
    "l": "BIGINT",
    "y": "BYTES",
    "b": "BOOLEAN",
}
_TEXTS = [
    "Flink SQL",
    "",
    "  padded ",
    "日本語テキスト",
    "a😀b",
    "éclair ß",
    "aXbXc",
    "x1y22",
    "a,b,,c",
    "\t-_%",
]
ROWS = [
    {
        "s": text,
        "s2": _TEXTS[(i * 3 + 1) % 10][:2],
        "vc": ["hello", "A", "", "日本", None][i % 5],
        "c": ["abc", "   ", "a  ", "éß ", None][i * 2 % 5],
        "i": [0, 1, -1, 2, 5, -3, 2147483647, -2147483648, None, 100][i],
        "p": [1, 2, 3, 0, -1, -2, 4, 7, 2, None][i],
        "l": [0, 72, 233, -1, 65536, 9223372036854775807, 256, None, 8364, 97][i],
        "y": ["aGVsbG8=", "", "AAF/gP8=", None, "5pel"][i % 5],
        "b": [True, False, None][i % 3],
    }
    for i, text in enumerate(_TEXTS)
] + [{}]

_WORDS = ["", "a", "X", "ab", " ", "日", "😀", "ß", "l", "Fl", "aXb", "é", "%", "L", "abc", ","]


def _word(rng: random.Random) -> str:
    return quoted(rng.choice(_WORDS))


def _small(rng: random.Random) -> str:
    return str(rng.randint(-3, 6))


_leaf = one_of("s", "s", "s2", "vc", "c", _word, _word)
_count = one_of(_small, _small, "p", "i")
_short = one_of(_small, _small, "p")


def _deeper(inner: Draw) -> Draw:
    pair = one_of(inner, _leaf)
    return one_of(
        *(
            call(name, inner)
            for name in ("UPPER", "LOWER", "INITCAP", "REVERSE", "TRIM", "LTRIM", "RTRIM", "BTRIM")
        ),
        *(call(name, inner, pair) for name in ("LTRIM", "RTRIM", "BTRIM", "CONCAT", "CONCAT_WS")),
        call("SUBSTRING", inner, _count),
        call("SUBSTRING", inner, _count, _count),
        call("SUBSTR", inner, _count),
        call("SUBSTR", inner, _count, _count),
        call("LEFT", inner, _count),
        call("RIGHT", inner, _count),
        call("REPLACE", inner, pair, _leaf),
        call("TRANSLATE", inner, _leaf, _leaf),
        call("LPAD", inner, _short, pair),
        call("RPAD", inner, _short, pair),
        call("REPEAT", inner, _short),
        call("SPLIT_INDEX", inner, _word, _short),
        call("ELT", _short, inner, pair),
        call("CONCAT", inner, pair, _leaf),
        call("CONCAT_WS", _word, inner, pair, _leaf),
        lambda r: f"{inner(r)} || {pair(r)}",
        lambda r: f"TRIM({r.choice(['LEADING', 'TRAILING', 'BOTH'])} {pair(r)} FROM {inner(r)})",
        lambda r: f"OVERLAY({inner(r)} PLACING {pair(r)} FROM {_count(r)} FOR {_count(r)})",
        lambda r: f"OVERLAY({inner(r)} PLACING {pair(r)} FROM {_count(r)})",
        call("TRANSLATE", inner, one_of("s2", _word), one_of("s", _word)),
        lambda r: f"CASE WHEN b THEN {inner(r)} ELSE {pair(r)} END",
        lambda r: f"COALESCE({inner(r)}, {pair(r)})",
        lambda r: f"CHR({r.choice(['l', 'i', '65', '233', '321'])})",
        lambda r: f"DECODE(ENCODE({inner(r)}, 'UTF-16'), 'UTF-8')",
        lambda r: f"DECODE(y, {quoted(r.choice(['UTF-8', 'US-ASCII', 'ISO-8859-1']))})",
        lambda r: f"HEX({inner(r)})",
        lambda r: f"PRINTF('%s|%5s|%-4s', {inner(r)}, {pair(r)}, {_leaf(r)})",
    )


_string = up_to(2, _leaf, _deeper, share=0.75)


def draw(rng: random.Random) -> str:
    """A string, or what is asked of one."""
    return one_of(
        _string,
        _string,
        _string,
        *(
            call(n, _string)
            for n in ("CHAR_LENGTH", "ASCII", "IS_ALPHA", "IS_DIGIT", "IS_DECIMAL", "UNHEX", "MD5")
        ),
        call("LOCATE", _leaf, _string),
        call("LOCATE", _leaf, _string, _short),
        call("INSTR", _string, _leaf),
        call("INSTR", _string, _leaf, _short),
        call("INSTR", _string, _leaf, _short, _short),
        call("STARTSWITH", _string, _leaf),
        call("ENDSWITH", _string, _leaf),
        call("SPLIT", _string, _word),
        call("STR_TO_MAP", _string),
        call("STR_TO_MAP", _string, _word, _word),
        call("TYPEOF", _string),
        lambda r: f"POSITION({_leaf(r)} IN {_string(r)})",
        lambda r: f"{_string(r)} {r.choice(['=', '<>', '<', '>='])} {_string(r)}",
    )(rng)


FAMILY = Family(COLUMNS, ROWS, draw)
