"""Mathematical functions of doubles as in Java's Math: they never fail, but return NaN or Infinity.

Most functions have the same result in Java on every machine. They are computed with Java's algorithm
(functions/java/strict_math.py). For EXP, LN, LOG10, POWER, SIN, COS and TAN, the last digit of Java's result
depends on the processor. Here they are computed with more digits than a DOUBLE has, and rounded.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal

import numpy as np
import pyarrow as pa

from firesteel.functions.duckdb.library.decimals import as_double
from firesteel.functions.duckdb.registry import columnar
from firesteel.functions.java import strict_math
from firesteel.functions.java.strict_math import Column

_TO_DEGREES, _TO_RADIANS = 57.29577951308232, 0.017453292519943295


def _over_columns(function: Callable[..., Column]) -> Callable[..., pa.Array]:
    @columnar
    def run(*columns: pa.Array) -> pa.Array:
        missing = np.logical_or.reduce([np.asarray(c.is_null()) for c in columns])
        with np.errstate(all="ignore"):
            return pa.array(function(*map(_doubles, columns)), pa.float64(), mask=missing)

    return run


def _doubles(column: pa.Array) -> Column:
    """Return a column as DOUBLEs, 0 for NULL."""
    kind = column.type
    if pa.types.is_decimal(kind):
        zero = Decimal(0)
        return np.array([as_double(v or zero, kind) for v in column.to_pylist()], np.float64)
    return np.asarray(column.fill_null(0)).astype(np.float64)


def _extended(function: Callable[..., Column]) -> Callable[..., Column]:
    return lambda *values: function(*(v.astype(np.longdouble) for v in values)).astype(np.float64)


_log, _tan, _to_the_power = _extended(np.log), _extended(np.tan), _extended(np.power)


def _power(base: Column, exponent: Column) -> Column:
    undecided = (np.abs(base) == 1) & ~np.isfinite(exponent)  # 1 ** inf: 1 in C, NaN in Java.
    found = np.where(undecided, np.nan, _to_the_power(base, exponent))
    # For the exponent 0.5, Java's pow returns the double that is nearest to the root, as sqrt does.
    root = (exponent == 0.5) & (base >= 0)
    return np.where(root, np.sqrt(np.where(root, base + 0.0, 0.0)), found)


def _square_root(value: Column) -> Column:
    """Return the result of SQRT, which Flink plans as POWER(x, 0.5).

    As in Java's pow, the root of -0.0 is 0.0, and the root of -Infinity is Infinity.
    """
    return np.where(np.isneginf(value), np.inf, np.sqrt(value) + 0.0)


sqrt, power = _over_columns(_square_root), _over_columns(_power)
exp, ln, log10 = _over_columns(_extended(np.exp)), _over_columns(_log), _over_columns(_extended(np.log10))
log2 = _over_columns(lambda value: _log(value) / np.log(2.0))
log = _over_columns(lambda base, value: _log(value) / _log(base))
sin, cos = _over_columns(_extended(np.sin)), _over_columns(_extended(np.cos))
tan, cot = _over_columns(_tan), _over_columns(lambda value: 1.0 / _tan(value))
sinh, cosh, tanh = map(_over_columns, (strict_math.sinh, strict_math.cosh, strict_math.tanh))
asin, acos, atan = map(_over_columns, (strict_math.asin, strict_math.acos, strict_math.atan))
atan2 = _over_columns(strict_math.atan2)
degrees, radians = _over_columns(lambda x: x * _TO_DEGREES), _over_columns(lambda x: x * _TO_RADIANS)
