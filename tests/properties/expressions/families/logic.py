"""Conditions: CASE and its relatives, comparisons, three-valued logic."""

from __future__ import annotations

import random

from tests.properties.expressions.family import Draw, Family, call, one_of, up_to

COLUMNS = {
    "b": "BOOLEAN",
    "b2": "BOOLEAN",
    "ti": "TINYINT",
    "i": "INT",
    "j": "INT",
    "l": "BIGINT",
    "f": "FLOAT",
    "d": "DOUBLE",
    "m": "DECIMAL(10, 2)",
    "s": "STRING",
    "s2": "STRING",
    "vc": "VARCHAR(5)",
    "c": "CHAR(3)",
    "dt": "DATE",
    "ts": "TIMESTAMP(3)",
    "a": "ARRAY<INT>",
    "r": "ROW<a INT, b STRING>",
    "mp": "MAP<STRING, INT>",
}
_VALUES = {
    "b": [True, False, None, True, False],
    "b2": [True, True, True, None, False, None, False],
    "ti": [1, 2, None, -128, 0],
    "i": [1, 2, 3, None, 0, -1, 2147483647],
    "j": [1, 1, None, 3, 2, 0],
    "l": [1, None, 3, 2147483648, 0],
    "f": [1.0, 0.1, None, -0.0, 2.5],
    "d": [1.0, 0.1, 0.0, None, -0.0, 2.5],
    "m": ["1.00", "0.10", None, "2.50", "-1.00"],
    "s": ["a", "b", "", None, "B", "10"],
    "s2": ["a", "A", None, "", "b", "ab"],
    "vc": ["a", "hello", None, "", "9"],
    "c": ["a  ", "abc", None, "b  "],
    "dt": ["2024-02-29", "1970-01-01", None],
    "ts": ["2024-02-29 00:00:00", "1970-01-01 00:00:01", None],
    "a": [[1], [1, 2], None, []],
    "r": [{"a": 1, "b": "a"}, None, {"a": None, "b": None}],
    "mp": [{"a": 1}, {}, None],
}
ROWS = [{name: values[i % len(values)] for name, values in _VALUES.items()} for i in range(14)] + [{}]

_number = one_of("ti", "i", "i", "j", "l", "f", "d", "m", "1", "0", "2", "1.0", "1e0", "-1", "0.1")
_text = one_of("s", "s", "s2", "vc", "c", "'a'", "'b'", "''", "'abc'")
_moment = one_of("dt", "ts", "DATE '2024-02-29'", "TIMESTAMP '1970-01-01 00:00:01'")
_odd = one_of(
    "a", "r", "mp", "ARRAY[1]", "ARRAY[s]", "ROW(1, 'a')", "MAP['a', 1]", "b", "dt", "NULL", "x'61'"
)
_COMPARE = ["=", "<>", "<", "<=", ">", ">="]


def _compared(rng: random.Random) -> str:
    kind = rng.choice([_number, _number, _text, _text, _moment])
    return one_of(
        lambda r: f"{kind(r)} {r.choice(_COMPARE)} {kind(r)}",
        lambda r: f"{kind(r)} {r.choice(_COMPARE)} {kind(r)}",
        lambda r: (
            f"{kind(r)} {r.choice(['', 'NOT '])}BETWEEN {r.choice(['', 'SYMMETRIC '])}{kind(r)} AND {kind(r)}"
        ),
        lambda r: f"{kind(r)} {r.choice(['', 'NOT '])}IN ({kind(r)}, {kind(r)}, {kind(r)})",
        lambda r: f"{kind(r)} IS {r.choice(['', 'NOT '])}DISTINCT FROM {kind(r)}",
        lambda r: f"{kind(r)} IS {r.choice(['', 'NOT '])}NULL",
    )(rng)


def _deeper(inner: Draw) -> Draw:
    return one_of(
        lambda r: f"({inner(r)} AND {inner(r)})",
        lambda r: f"({inner(r)} OR {inner(r)})",
        lambda r: f"NOT ({inner(r)})",
        lambda r: f"({inner(r)}) IS {r.choice(['', 'NOT '])}{r.choice(['TRUE', 'FALSE', 'UNKNOWN', 'NULL'])}",
        lambda r: f"({inner(r)} = {inner(r)})",
        lambda r: f"CASE WHEN {inner(r)} THEN {inner(r)} ELSE {inner(r)} END",
    )


_condition = up_to(
    3, one_of("b", "b2", _compared, _compared, "TRUE", "CAST(NULL AS BOOLEAN)"), _deeper, share=0.6
)


def _chosen(kind: Draw) -> Draw:
    return one_of(
        lambda r: (
            f"CASE WHEN {_condition(r)} THEN {kind(r)} WHEN {_condition(r)} THEN {kind(r)} ELSE {kind(r)} END"
        ),
        lambda r: f"CASE WHEN {_condition(r)} THEN {kind(r)} END",
        lambda r: f"CASE {kind(r)} WHEN {kind(r)} THEN {kind(r)} ELSE {kind(r)} END",
        lambda r: f"IF({_condition(r)}, {kind(r)}, {kind(r)})",
        call("COALESCE", kind, kind, kind),
        call("COALESCE", kind, kind),
        call("NULLIF", kind, kind),
        call("IFNULL", kind, kind),
        call("GREATEST", kind, kind),
        call("LEAST", kind, kind, kind),
        lambda r: f"TYPEOF(COALESCE({kind(r)}, {kind(r)}))",
    )


def draw(rng: random.Random) -> str:
    """A condition, or a value that conditions choose; now and then of types that do not fit."""
    nested = one_of(_number, _chosen(_number))
    mixed = one_of(_number, _text, _moment, _odd, _odd)
    return one_of(
        _condition,
        _condition,
        _chosen(nested),
        _chosen(_number),
        _chosen(_text),
        _chosen(_moment),
        _chosen(one_of("a", "ARRAY[1, i]", "CAST(NULL AS ARRAY<INT>)")),
        _chosen(mixed),
        lambda r: f"{mixed(r)} {r.choice(_COMPARE)} {mixed(r)}",
    )(rng)


FAMILY = Family(COLUMNS, ROWS, draw)
