"""Decimal arithmetic beyond DuckDB's 38 digits. Flink: DecimalDataUtils.

A result is rounded HALF_UP to its type's scale. A result with too many digits is NULL.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import ROUND_DOWN, ROUND_HALF_UP, Context, Decimal, InvalidOperation

import pyarrow as pa
import pyarrow.compute as pc

from firesteel.errors import JobError
from firesteel.functions.duckdb.library import decimal_columns
from firesteel.functions.duckdb.registry import with_result

_EXACT = Context(prec=200, rounding=ROUND_HALF_UP)
_QUOTIENT = Context(prec=38, rounding=ROUND_HALF_UP)
_UNITS = [Decimal(1).scaleb(-scale) for scale in range(39)]


def fit(value: Decimal, kind: pa.Decimal128Type) -> Decimal | None:
    """Return the value rounded to the type's scale, or None if it has too many digits."""
    if value.adjusted() > _EXACT.prec // 2:
        return None
    rounded = value.quantize(_UNITS[kind.scale], context=_EXACT)
    return None if rounded and rounded.adjusted() + 1 > kind.precision - kind.scale else rounded


def as_double(value: Decimal, kind: pa.Decimal128Type) -> float:
    """Return a DECIMAL cast to DOUBLE as in Flink.

    For types of up to 18 digits, the result is a quotient of two DOUBLEs: the unscaled value and
    10 ** scale. For types of more digits, it is the DOUBLE that is nearest to the value.
    """
    if kind.precision > 18:
        return float(value)
    return float(int(value.scaleb(kind.scale))) / float(10**kind.scale)


def _operation(compute: Callable[[Decimal, Decimal], Decimal]) -> Callable[..., Decimal | None]:
    @with_result
    def run(result: pa.DataType, left: Decimal, right: Decimal) -> Decimal | None:
        return fit(compute(left, right), result)

    return run


def _quotient(left: Decimal, right: Decimal) -> Decimal:
    if not right:
        raise JobError("Division by zero")
    return _QUOTIENT.divide(left, right)


def _remainder(left: Decimal, right: Decimal) -> Decimal:
    if not right:
        raise JobError("Division by zero")
    return _EXACT.remainder(left, right)


add = decimal_columns.in_columns(pc.add, _operation(_EXACT.add))
subtract = decimal_columns.in_columns(pc.subtract, _operation(_EXACT.subtract))
multiply = decimal_columns.in_columns(decimal_columns.product, _operation(_EXACT.multiply))
compare = decimal_columns.compare
divide = _operation(_quotient)
modulus = _operation(_remainder)


@with_result
def from_double(result: pa.DataType, value: float) -> Decimal | None:
    """Return a DOUBLE cast to DECIMAL: the digits that Java prints, rounded to the type.

    The result is NULL if it has too many digits for the type.

    Raises:
        JobError: The value is NaN or infinite.
    """
    return fit(decimal_of(value), result)


def decimal_of(value: float) -> Decimal:
    """Return the digits of a DOUBLE that Java would print.

    Raises:
        JobError: The value is NaN or infinite.
    """
    if value != value or value in (float("inf"), float("-inf")):
        letter = "N" if value != value else "I"
        raise JobError(
            f"Character {letter} is neither a decimal digit number, decimal point, nor "
            '"e" notation exponential mark.'
        )
    return Decimal(repr(value))


@with_result
def round_to(result: pa.DataType, value: Decimal, to: int) -> Decimal | None:
    """Return ROUND: the value rounded HALF_UP to `to` fractional digits.

    The result is NULL if it has too many digits for the result type.
    """
    return _rounded(value, to, ROUND_HALF_UP, result)


@with_result
def truncate_to(result: pa.DataType, value: Decimal, to: int) -> Decimal | None:
    """Return TRUNCATE: the value cut to `to` fractional digits.

    The result is NULL if it has too many digits for the result type.
    """
    return _rounded(value, to, ROUND_DOWN, result)


def _rounded(value: Decimal, to: int, rounding: str, result: pa.Decimal128Type) -> Decimal | None:
    try:
        return fit(value.quantize(Decimal(1).scaleb(-to), rounding=rounding, context=_EXACT), result)
    except InvalidOperation:
        return fit(value, result)
