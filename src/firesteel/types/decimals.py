"""Precision and scale of decimal arithmetic. Flink: LogicalTypeMerging (findAdditionDecimalType etc.)."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Context

from firesteel.types.sql import SqlType, TypeRoot, decimal

MAX_PRECISION = 38
EXACT = Context(prec=80, rounding=ROUND_HALF_UP)
"""Context of operations on DECIMALs, because Python's own context rounds all results to 28 digits."""
MIN_ADJUSTED_SCALE = 6

_DIGITS = {TypeRoot.TINYINT: 3, TypeRoot.SMALLINT: 5, TypeRoot.INTEGER: 10, TypeRoot.BIGINT: 19}


def digits(kind: SqlType) -> tuple[int, int]:
    """Return precision and scale of an exact numeric type; those of DECIMAL(n, 0) for an integer type."""
    if kind.root is TypeRoot.DECIMAL:
        return kind.precision or 0, kind.scale or 0
    return _DIGITS[kind.root], 0


def adjusted(precision: int, scale: int) -> SqlType:
    """Return DECIMAL(precision, scale), limited to 38 digits.

    If `precision` is above 38, the digits after the point are reduced first, down to 6. A scale below 6 stays
    as it is. If the type still has more than 38 digits, those before the point are reduced.

        (40, 10) -> (38, 8)        (50, 10) -> (38, 6)        (42, 4) -> (38, 4)
    """
    if precision <= MAX_PRECISION:
        return decimal(precision, scale)
    whole = precision - scale
    return decimal(MAX_PRECISION, max(MAX_PRECISION - whole, min(scale, MIN_ADJUSTED_SCALE)))


def addition(left: SqlType, right: SqlType) -> SqlType:
    """Return the type of a sum or difference."""
    (p1, s1), (p2, s2) = digits(left), digits(right)
    scale = max(s1, s2)
    return adjusted(max(p1 - s1, p2 - s2) + scale + 1, scale)


def multiplication(left: SqlType, right: SqlType) -> SqlType:
    """Return the type of a product."""
    (p1, s1), (p2, s2) = digits(left), digits(right)
    return adjusted(p1 + p2 + 1, s1 + s2)


def division(left: SqlType, right: SqlType) -> SqlType:
    """Return the type of a quotient."""
    (p1, s1), (p2, s2) = digits(left), digits(right)
    scale = max(MIN_ADJUSTED_SCALE, s1 + p2 + 1)
    return adjusted(p1 - s1 + s2 + scale, scale)


def modulus(left: SqlType, right: SqlType) -> SqlType:
    """Return the type of a remainder (Calcite: DECIMAL_MOD_NULLABLE).

    If both operands have scale 0, it is the type of the divisor.
    """
    (p1, s1), (p2, s2) = digits(left), digits(right)
    if s1 == s2 == 0:
        return right
    scale = max(s1, s2)
    return adjusted(min(p1 - s1, p2 - s2) + scale, scale)


def rounding(kind: SqlType, to: int) -> SqlType:
    """Return the type of ROUND(DECIMAL, to), where `to` is a literal."""
    precision, scale = digits(kind)
    if to >= scale:
        return decimal(precision, scale)
    if to < 0:
        return decimal(min(MAX_PRECISION, 1 + precision - scale), 0)
    return decimal(1 + precision - scale + to, to)
