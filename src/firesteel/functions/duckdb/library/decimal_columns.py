"""Decimal arithmetic beyond DuckDB's 38 digits, over whole columns. Arrow computes with 76 digits.

If exact results may have more than 76 digits, the column is computed row by row with Python's decimals.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from firesteel.functions.duckdb.registry import columnar, with_result

RowForm = Callable[[pa.DataType, Decimal, Decimal], "Decimal | None"]

_DIGITS = 76
"""Number of digits of Arrow's largest decimal type."""


def in_columns(compute: Callable[[pa.Array, pa.Array], pa.Array], by_row: RowForm) -> Callable[..., pa.Array]:
    """Return a function of two columns of decimals, which calls `compute`, or `by_row` if `compute` fails.

    Args:
        compute: Function of two columns of decimal256 that returns exact results. It raises pa.ArrowInvalid
            if it cannot compute them.
        by_row: Function from the type of the result and two values to the result, rounded to this type.
    """

    @columnar
    @with_result
    def run(result: pa.Decimal128Type, left: pa.Array, right: pa.Array) -> pa.Array:
        try:
            return _fitted(compute(_wide(left), _wide(right)), result)
        except pa.ArrowInvalid:
            pairs = zip(left.to_pylist(), right.to_pylist(), strict=True)
            return pa.array([None if None in pair else by_row(result, *pair) for pair in pairs], result)

    return run


def product(left: pa.Array, right: pa.Array) -> pa.Array:
    """Return the exact products of two columns."""
    spare = _DIGITS - 1 - right.type.precision
    # Arrow needs types whose product has at most 76 digits. If a value does not fit the shorter type, the
    # cast fails, and `in_columns` computes the products row by row.
    if left.type.precision > spare:
        left = left.cast(pa.decimal256(spare, left.type.scale))
    return pc.multiply(left, right)


@columnar
def compare(left: pa.Array, right: pa.Array) -> pa.Array:
    """Return -1, 0 or 1 for each pair of values."""
    common = pa.decimal256(_DIGITS, max(left.type.scale, right.type.scale))
    one, other = left.cast(common), right.cast(common)
    above, below = (test(one, other).cast(pa.int32()) for test in (pc.greater, pc.less))
    return pc.subtract(above, below)


def _wide(column: Any) -> pa.Array:
    return column.cast(pa.decimal256(column.type.precision, column.type.scale))


def _fitted(values: pa.Array, kind: pa.Decimal128Type) -> pa.Array:
    """Round values HALF_UP to the type's scale. A value with too many digits becomes NULL."""
    if kind.scale < values.type.scale:
        values = pc.round(values, kind.scale, "half_towards_infinity")
    limit = Decimal(10) ** (kind.precision - kind.scale)
    fits = pc.less(pc.abs(values), pa.scalar(limit, pa.decimal256(_DIGITS - kind.scale, 0)))
    return pc.if_else(fits, values, pa.scalar(None, values.type)).cast(kind)
