"""Arithmetic, mathematical functions, rounding, decimals."""

from __future__ import annotations

import random

from tests.properties.expressions.family import Draw, Family, call, one_of, up_to

COLUMNS = {
    "ti": "TINYINT",
    "si": "SMALLINT",
    "i": "INT",
    "l": "BIGINT",
    "f": "FLOAT",
    "d": "DOUBLE",
    "m": "DECIMAL(10, 2)",
    "w": "DECIMAL(38, 10)",
    "k": "DECIMAL(5, 5)",
    "n": "DECIMAL(20, 0)",
    "p": "INT",
}
_VALUES = {
    "ti": [127, -128, 0, 1, -1, 7, 100, None],
    "si": [32767, -32768, 0, 255, -3, None, 10, 2],
    "i": [2147483647, -2147483648, 0, 46341, -1, 2, None, 360],
    "l": [9223372036854775807, -9223372036854775808, 0, 1, -7, 4294967296, None, 90],
    "f": [3.4028235e38, -0.0, 0.1, 2.5, -1.5, 1e-30, None, 0.75],
    "d": [
        1.7976931348623157e308,
        2.2250738585072014e-308,
        -0.0,
        0.3,
        -2.5,
        1.0,
        1e21,
        None,
        3.141592653589793,
    ],
    "m": ["99999999.99", "-99999999.99", "0.00", "0.15", "-2.50", "3.50", None, "12345.67"],
    "w": [
        *("9999999999999999999999999999.9999999999", "-9999999999999999999999999999.9999999999", "0", "2.5"),
        *("-3.3333333333", "123456789.123456789", None, "0.0000000001"),
    ],
    "k": ["0.99999", "-0.99999", "0", "0.5", "0.00001", None, "-0.12345", "0.25"],
    "n": ["99999999999999999999", "-1", "0", "9223372036854775808", None, "2", "-5", "1000"],
    "p": [0, 1, 2, -1, -2, 3, None, 10],
}
ROWS = [{name: values[i % len(values)] for name, values in _VALUES.items()} for i in range(10)] + [{}]

_INTEGERS = ["0", "1", "2", "-1", "3", "7", "10", "-5", "100", "2147483647", "9223372036854775807"]
_OTHERS = [
    "0.5",
    "1.5",
    "-2.50",
    "0.125",
    "1e0",
    "2.5e0",
    "-1e-1",
    "99.999",
    "1e10",
    "0.0",
    "12345678901234567890",
]

_integer = one_of("ti", "si", "i", "l", "p", *_INTEGERS)
_leaf = one_of("ti", "si", "i", "l", "f", "d", "m", "w", "k", "n", *_INTEGERS[:6], *_OTHERS)
_exact = one_of("ti", "i", "l", "m", "w", "k", "n", *_INTEGERS[:6], *_OTHERS[:4])
_digits = one_of(*map(str, range(-3, 5)), "p", "0")
_TYPES = [
    "TINYINT",
    "SMALLINT",
    "INT",
    "BIGINT",
    "FLOAT",
    "DOUBLE",
    "DECIMAL(10, 2)",
    "DECIMAL(38, 18)",
    "DECIMAL(5, 4)",
]
_OF_DOUBLES = [
    *(
        "SQRT",
        "EXP",
        "LN",
        "LOG10",
        "LOG2",
        "LOG",
        "SIN",
        "COS",
        "TAN",
        "COT",
        "SINH",
        "COSH",
        "TANH",
        "ASIN",
    ),
    *("ACOS", "ATAN", "DEGREES", "RADIANS"),
]


def _deeper(inner: Draw) -> Draw:
    small = one_of(inner, _leaf)
    return one_of(
        *(lambda r, op=op: f"({inner(r)} {op} {small(r)})" for op in "+-*/"),
        *(lambda r, op=op: f"({inner(r)} {op} {small(r)})" for op in "+-*"),
        call("MOD", inner, small),
        lambda r: f"({inner(r)} % {small(r)})",
        lambda r: f"-({inner(r)})",
        *(call(name, inner) for name in ("ABS", "SIGN", "FLOOR", "CEIL", "CEILING")),
        *(call(name, inner) for name in ("ROUND", "TRUNCATE")),
        *(call(name, inner, _digits) for name in ("ROUND", "ROUND", "TRUNCATE", "TRUNCATE")),
        *(lambda r, name=name: f"{name}({inner(r)})" for name in _OF_DOUBLES),
        call("POWER", inner, small),
        call("ATAN2", inner, small),
        call("LOG", small, inner),
        call("GREATEST", inner, small),
        call("LEAST", inner, small),
        call("COALESCE", inner, small),
        lambda r: f"CAST({inner(r)} AS {r.choice(_TYPES)})",
    )


_number = up_to(2, _leaf, _deeper, share=0.8)
_decimal = up_to(
    2,
    _exact,
    lambda inner: one_of(
        *(lambda r, op=op: f"({inner(r)} {op} {_exact(r)})" for op in "+-*/"),
        call("ROUND", inner, _digits),
        call("TRUNCATE", inner, _digits),
        call("ABS", inner),
        call("MOD", inner, _exact),
    ),
    share=0.8,
)


def draw(rng: random.Random) -> str:
    """A number, or what is asked of one."""
    return one_of(
        *[_number] * 5,
        *[_decimal] * 3,
        call("BIN", _integer),
        call("HEX", _integer),
        call("TYPEOF", _number),
        lambda r: f"{_number(r)} {r.choice(['=', '<>', '<', '>='])} {_number(r)}",
        lambda r: f"CAST({_number(r)} AS STRING)",
    )(rng)


FAMILY = Family(COLUMNS, ROWS, draw)
