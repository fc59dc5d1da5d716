"""Rounding and formatting of numbers. Flink: SqlFunctions of Calcite, DecimalDataUtils.

A FLOAT or DOUBLE is rounded as the decimal that Java would print for the DOUBLE. An integer keeps its type
and wraps.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import ROUND_CEILING, ROUND_DOWN, ROUND_FLOOR, ROUND_HALF_UP, Context, Decimal

import pyarrow as pa

from firesteel.errors import JobError
from firesteel.functions.duckdb.library.decimals import decimal_of, fit
from firesteel.functions.duckdb.registry import with_result

Number = int | float | Decimal
_WIDE = Context(prec=700)


def wrapped(value: int, kind: pa.DataType) -> int:
    """Return the integer wrapped to the type's bits, as in Java."""
    half = 1 << (int(kind.bit_width) - 1)
    return (value + half) % (2 * half) - half


@with_result
def sign(result: pa.DataType, value: Number) -> Number | None:
    if isinstance(value, float) and (value == 0 or math.isnan(value)):
        return value
    found = (value > 0) - (value < 0)
    return fit(Decimal(found), result) if isinstance(value, Decimal) else found


def _whole(rounding: str, function: Callable[[float], int]) -> Callable[..., Number | None]:
    @with_result
    def run(result: pa.DataType, value: Number) -> Number | None:
        if isinstance(value, Decimal):
            return fit(value.quantize(Decimal(1), rounding=rounding, context=_WIDE), result)
        if isinstance(value, int):
            return value
        return math.copysign(float(function(value)), value) if math.isfinite(value) else value

    return run


floor = _whole(ROUND_FLOOR, math.floor)
ceil = _whole(ROUND_CEILING, math.ceil)


def _to_digits(rounding: str, exact: Callable[[float], Decimal]) -> Callable[..., Number | None]:
    @with_result
    def run(result: pa.DataType, value: Number, to: int = 0) -> Number | None:
        if isinstance(value, float):
            return float(_at(exact(value), to, rounding)) + 0.0
        if isinstance(value, int):
            return value if to >= 0 else wrapped(int(_at(Decimal(value), to, rounding)), result)
        return fit(_at(value, to, rounding), result)

    return run


def _at(value: Decimal, to: int, rounding: str) -> Decimal:
    if -int(value.as_tuple().exponent) <= to:
        return value
    if to < -400:
        return Decimal(0)
    return value.quantize(Decimal(1).scaleb(-to), rounding=rounding, context=_WIDE)


def _in_decimal(value: float) -> Decimal:
    """Return a DOUBLE as DECIMAL(38, 18), as TRUNCATE does.

    Raises:
        JobError: The value does not fit.
    """
    found = fit(decimal_of(value), pa.decimal128(38, 18))
    if found is None:
        raise JobError(f"TRUNCATE of {value!r}: more than 20 digits before the point")
    return found


round_to = _to_digits(ROUND_HALF_UP, decimal_of)
truncate_to = _to_digits(ROUND_DOWN, _in_decimal)


def _misread(rounding: str) -> Callable[..., Decimal]:
    """Return a function that rounds a DECIMAL to a scale that differs from the result type's scale.

    Its result is wrong by a power of 10, as in Flink: DecimalDataUtils.sround stores the digits with the new
    scale, but BinaryRowData.getDecimal reads them with the scale of the type. For example, 1.234 rounded to
    1 digit is 1.2. The digits are 12. With a type of scale 3, the result is 0.012.
    """

    @with_result
    def run(result: pa.Decimal128Type, value: Decimal, to: int) -> Decimal:
        scale = min(max(to, 0), -int(value.as_tuple().exponent))
        found = _at(value, to, rounding).scaleb(scale - result.scale, context=_WIDE)
        return found if found else Decimal(0)  # Arrow rejects zeros with some exponents.

    return run


round_misread = _misread(ROUND_HALF_UP)
truncate_misread = _misread(ROUND_DOWN)


def binary(value: int) -> str:
    """Return BIN: the bits of a BIGINT without leading zeros."""
    return format(value % (1 << 64), "b")


def hex_of(value: int) -> str:
    """Return HEX: a BIGINT in hexadecimal."""
    return format(value % (1 << 64), "X")


def unhex(text: str) -> bytes | None:
    """Return UNHEX: the bytes of hexadecimal digits; NULL if a character is no hexadecimal digit.

    As in Flink, if the number of digits is odd, the first digit gives the byte 00: `ABC` gives 00 BC.
    """
    try:
        int(text[:1] or "0", 16)
        return bytes.fromhex(("00" + text[1:]) if len(text) % 2 else text) if " " not in text else None
    except ValueError:
        return None
