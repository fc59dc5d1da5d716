"""Mathematical functions of doubles as Java's Math has them: never an error, NaN or Infinity instead."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal

Number = int | float | Decimal


def _java(function: Callable[..., float], overflow: float = math.inf) -> Callable[..., float]:
    def run(*values: Number) -> float:
        numbers = [float(v) for v in values]
        try:
            return function(*numbers)
        except OverflowError:
            return overflow
        except ValueError:
            return math.nan

    return run


def _root(value: float) -> float:
    return _power(value, 0.5)  # as Flink plans it: the root of -0.0 is 0.0


def _logarithm(value: float) -> float:
    if value == 0:
        return -math.inf
    return math.log(value)


def _log10(value: float) -> float:
    return -math.inf if value == 0 else math.log10(value)


def _log2(value: float) -> float:
    return -math.inf if value == 0 else math.log(value) / math.log(2)


def _power(base: float, exponent: float) -> float:
    if base == 0 and exponent < 0:
        odd = exponent % 2 == 1
        return math.copysign(math.inf, base) if odd else math.inf
    if abs(base) == 1 and (math.isnan(exponent) or math.isinf(exponent)):
        return math.nan
    try:
        return math.pow(base, exponent)
    except OverflowError:
        return -math.inf if base < 0 and exponent % 2 == 1 else math.inf


def _cotangent(value: float) -> float:
    tangent = math.tan(value)
    return math.copysign(math.inf, tangent) if tangent == 0 else 1 / tangent


def _log(base: float, value: float) -> float:
    numerator, denominator = _logarithm(value), _logarithm(base)
    if denominator == 0:
        return math.nan if numerator == 0 else math.copysign(math.inf, numerator)
    return numerator / denominator


def _hyperbolic_sine(value: float) -> float:
    try:
        return math.sinh(value)
    except OverflowError:
        return math.copysign(math.inf, value)


sqrt, exp, ln = _java(_root), _java(math.exp), _java(_logarithm)
log10, log2, log, power = _java(_log10), _java(_log2), _java(_log), _java(_power)
sin, cos, tan, cot = _java(math.sin), _java(math.cos), _java(math.tan), _java(_cotangent)
sinh, cosh, tanh = _java(_hyperbolic_sine), _java(math.cosh), _java(math.tanh)
asin, acos, atan, atan2 = _java(math.asin), _java(math.acos), _java(math.atan), _java(math.atan2)
degrees, radians = _java(math.degrees), _java(math.radians)
