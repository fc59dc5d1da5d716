"""Compute the results of aggregates at each row, in columns.

The declaration of an aggregate gives its result as an expression tree over the fields of its accumulator,
such as sum / count. Here each field is a column with one value for each row, such as the running sum.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from firesteel.runtime.aggregate.functions.declaration import (
    Arithmetic,
    Compare,
    Constant,
    Convert,
    Expression,
    Field,
    If,
    IsNull,
)
from firesteel.runtime.aggregate.scan.column import Column, Mask, NoPrefixScan
from firesteel.runtime.aggregate.scan.segments import Index, wrapped
from firesteel.types.sql import INTEGER_BITS, TypeRoot

_SAFE = 1 << 62


def evaluate(node: Expression, fields: Mapping[str, Column]) -> Column:
    """Return the value of an expression at each row.

    Args:
        node: Expression over the fields of an accumulator.
        fields: Values of each field at each row, by the field's name.

    Raises:
        NoPrefixScan: The expression has no columnar form, or values might exceed 64 bits.
    """
    if isinstance(node, Field):
        return fields[node.name]
    if isinstance(node, If):
        return _choose(node, fields)
    if isinstance(node, Arithmetic) and node.operator == "/" and node.type is not None:
        return _divide(node, fields)
    if isinstance(node, Convert):
        operands = [evaluate(each, fields) for each in node.operands]
        if node.function == "wrap":
            return _wrap(operands[0], node.constants[0])
        if node.function == "float32":
            with np.errstate(over="ignore"):
                return Column(operands[0].values.astype(np.float32), operands[0].null)
        if node.function == "decimal_average":
            return _decimal_average(operands[0], operands[1].values, *node.constants)
    raise NoPrefixScan


def _choose(node: If, fields: Mapping[str, Column]) -> Column:
    condition = _test(node.condition, fields)
    if node.then == Constant(None):
        other = evaluate(node.otherwise, fields)
        return Column(other.values, condition if other.null is None else other.null | condition)
    then, other = evaluate(node.then, fields), evaluate(node.otherwise, fields)
    return Column(
        np.where(condition, then.values, other.values), np.where(condition, then.is_null, other.is_null)
    )


def _test(node: Expression, fields: Mapping[str, Column]) -> Mask:
    if isinstance(node, IsNull):
        return evaluate(node.operand, fields).is_null
    if isinstance(node, Compare) and node.operator == "==" and isinstance(node.right, Constant):
        same: Mask = evaluate(node.left, fields).values == node.right.value
        return same
    raise NoPrefixScan


def _divide(node: Arithmetic, fields: Mapping[str, Column]) -> Column:
    left, right = evaluate(node.left, fields), evaluate(node.right, fields)
    assert node.type is not None
    with np.errstate(all="ignore"):
        if node.type.root is TypeRoot.DOUBLE:
            return Column(left.values / right.values, left.null)
        bits = INTEGER_BITS.get(node.type.root)
        if bits is None:
            raise NoPrefixScan
        return _wrap(Column(truncated(left.values, right.values), left.null), bits)


def truncated(dividend: Index, divisor: Index) -> Index:
    """Return integer quotients, truncated towards zero. A quotient by 0 is arbitrary."""
    divisor = np.where(divisor == 0, 1, divisor)
    quotient = dividend // divisor
    quotient += (quotient < 0) & (quotient * divisor != dividend)
    return quotient


def _wrap(column: Column, bits: int) -> Column:
    return Column(wrapped(column.values, bits), column.null)


def _decimal_average(total: Column, count: Index, shift: int, precision: int) -> Column:
    """Return averages of DECIMALs, rounded HALF_UP like numbers.decimal_average.

    Args:
        total: Sums as unscaled integers.
        count: Number of values of each sum.
        shift: Scale of the averages minus scale of the sums: 4 if a sum has 2 digits after the point and an
            average 6.
        precision: Number of digits of the result type.
    """
    largest = int(np.abs(total.values).max(initial=0)) * 10**shift
    if 2 * largest >= _SAFE or largest >= 10**precision:
        raise NoPrefixScan
    divisor = np.where(count == 0, 1, count)
    half = np.abs(divisor)
    quotient = (2 * np.abs(total.values * 10**shift) + half) // (2 * half)
    negative = (total.values < 0) != (divisor < 0)
    return Column(np.where(negative, -quotient, quotient), total.null)
