"""CAST and TRY_CAST between all types that a JSON file can hold, and the coercions that nobody writes."""

from __future__ import annotations

import random

from tests.properties.expressions.family import Family, call, one_of, quoted

COLUMNS = {
    "b": "BOOLEAN",
    "ti": "TINYINT",
    "i": "INT",
    "l": "BIGINT",
    "f": "FLOAT",
    "d": "DOUBLE",
    "m": "DECIMAL(10, 2)",
    "w": "DECIMAL(38, 10)",
    "s": "STRING",
    "vc": "VARCHAR(5)",
    "c": "CHAR(3)",
    "y": "BYTES",
    "dt": "DATE",
    "tm": "TIME(0)",
    "ts": "TIMESTAMP(3)",
    "lz": "TIMESTAMP_LTZ(3)",
    "a": "ARRAY<INT>",
    "sa": "ARRAY<STRING>",
    "mp": "MAP<STRING, INT>",
    "r": "ROW<a INT, b STRING>",
}
_TEXTS = [
    *(
        "1",
        "-1.5",
        " 12 ",
        "1e3",
        "true",
        "F",
        "2024-02-29",
        "12:34:56",
        "2024-02-29 12:34:56.789",
        "",
        "abc",
    ),
    *(
        "99999999999999999999999999999999999999",
        "1e400",
        "NaN",
        "0x1p3",
        "+7",
        "1.",
        ".5",
        "-0",
        "3000000000",
    ),
    *(
        "2024-02-30",
        "1970-01-01T00:00:00",
        "24:00:00",
        "1e-7",
        "127",
        "１２",
        "Infinity",
        "12d",
        "1 2",
        "t",
        "no",
    ),
]
_VALUES = {
    "b": [True, False, None],
    "ti": [127, -128, 0, 1, None],
    "i": [2147483647, -2147483648, 0, 65, None, 1],
    "l": [9223372036854775807, -9223372036854775808, 0, None, 1700000000, 128],
    "f": [3.4028235e38, -0.0, 0.1, None, 1e10, -1.5],
    "d": [1.7976931348623157e308, -0.0, 1e7, 0.001, None, 12345.678, 1e-4, 9007199254740993.0],
    "m": ["99999999.99", "-0.50", "0.00", None, "127.99"],
    "w": ["9999999999999999999999999999.9999999999", "-1.0000000000", "0", None, "2147483648.5"],
    "s": _TEXTS,
    "vc": ["12", "true", "-3.5", None, "éßa", ""],
    "c": ["abc", "1  ", "   ", None, "-7 "],
    "y": ["aGVsbG8=", "", None, "AAF/gP8=", "MTI="],
    "dt": ["2024-02-29", "1970-01-01", None, "0001-01-01", "9999-12-31"],
    "tm": ["12:34:56", "00:00:00", None, "23:59:59"],
    "ts": ["2024-02-29 12:34:56.789", "1970-01-01 00:00:00", None, "1969-12-31 23:59:59.999"],
    "lz": ["2024-02-29 12:34:56.789Z", "1970-01-01 00:00:00Z", None],
    "a": [[1, None, -3], [], None, [2147483647]],
    "sa": [["1", "x", None], [], None, ["2024-01-01", "5"]],
    "mp": [{"a": 1, "b": None}, {}, None],
    "r": [{"a": 1, "b": "x"}, {"a": None, "b": "7"}, None],
}
ROWS = [{name: values[i % len(values)] for name, values in _VALUES.items()} for i in range(len(_TEXTS))] + [
    {}
]

_SIMPLE = [
    *(
        "BOOLEAN",
        "TINYINT",
        "SMALLINT",
        "INT",
        "BIGINT",
        "FLOAT",
        "DOUBLE",
        "DECIMAL(10, 2)",
        "DECIMAL(38, 0)",
    ),
    *("DECIMAL(4, 3)", "DECIMAL(20, 10)", "STRING", "CHAR(4)", "VARCHAR(3)", "CHAR(1)", "BYTES", "BINARY(2)"),
    *("VARBINARY(3)", "DATE", "TIME(0)", "TIME(3)", "TIMESTAMP(3)", "TIMESTAMP(0)", "TIMESTAMP(6)"),
    *("TIMESTAMP_LTZ(3)",),
]
_NESTED = [
    *("ARRAY<BIGINT>", "ARRAY<STRING>", "ARRAY<INT>", "MAP<STRING, STRING>", "MAP<STRING, BIGINT>"),
    *(
        "ROW<a BIGINT, b STRING>",
        "ROW<x STRING, y INT>",
        "ROW<a STRING, b VARCHAR(1)>",
        "ARRAY<DECIMAL(5, 2)>",
    ),
]
_NUMBERS = ["ti", "i", "l", "f", "d", "m", "w", "1", "-2.5", "1e0", "300", "0.1"]
_literal = one_of(*map(quoted, _TEXTS), "1", "0", "-129", "2.55", "1e10", "TRUE", "x'3132'", "99999999999")
_moment = one_of("DATE '2024-02-29'", "TIME '12:34:56'", "TIMESTAMP '2024-02-29 12:34:56.789'")
_column = one_of(*(name for name in COLUMNS if name not in ("a", "sa", "mp", "r")))
_leaf = one_of(_column, _column, "s", "vc", _literal, _literal, _moment)


def _target(rng: random.Random) -> str:
    return rng.choice(_SIMPLE)


def _cast(rng: random.Random) -> str:
    return f"{rng.choice(['CAST', 'TRY_CAST', 'TRY_CAST'])}({_leaf(rng)} AS {_target(rng)})"


def _twice(rng: random.Random) -> str:
    inner = f"TRY_CAST({_leaf(rng)} AS {_target(rng)})"
    return f"TRY_CAST({inner} AS {_target(rng)})"


def _nested(rng: random.Random) -> str:
    value = one_of(
        "a", "sa", "mp", "r", "ARRAY[i, 1]", "ARRAY[d, m]", "ROW(i, s)", "MAP['k', d]", "ARRAY[vc, '7']"
    )
    target = rng.choice([*_NESTED, "STRING", "STRING", "VARCHAR(8)"])
    return f"{rng.choice(['CAST', 'TRY_CAST', 'TRY_CAST'])}({value(rng)} AS {target})"


_any = one_of(_leaf, _cast)


def draw(rng: random.Random) -> str:
    """A cast, or values of two types where one is wanted."""
    number = one_of(*_NUMBERS)
    return one_of(
        *[_cast] * 5,
        *[_twice] * 2,
        *[_nested] * 2,
        lambda r: f"CASE WHEN b THEN {_any(r)} ELSE {_any(r)} END",
        lambda r: f"{_any(r)} {r.choice(['=', '<', '<>', '>='])} {_any(r)}",
        lambda r: f"{_leaf(r)} IN ({_leaf(r)}, {_leaf(r)})",
        lambda r: f"{_leaf(r)} BETWEEN {_leaf(r)} AND {_leaf(r)}",
        lambda r: f"{number(r)} {r.choice('+-*/')} {number(r)}",
        lambda r: f"{_leaf(r)} || {_leaf(r)}",
        call("COALESCE", _leaf, _leaf),
        call("TYPEOF", one_of(_cast, lambda r: f"COALESCE({number(r)}, {number(r)})")),
        lambda r: f"ARRAY[{_leaf(r)}, {_leaf(r)}]",
        lambda r: f"CAST({_leaf(r)} AS STRING) || '|'",
    )(rng)


FAMILY = Family(COLUMNS, ROWS, draw)
