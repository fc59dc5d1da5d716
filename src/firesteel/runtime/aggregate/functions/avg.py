"""AVG: integers sum in BIGINT, FLOAT in DOUBLE, DECIMAL in 38 digits."""

from __future__ import annotations

from firesteel.runtime.aggregate.functions.declaration import (
    NULL,
    AccumulatorField,
    Aggregate,
    Argument,
    Arithmetic,
    Compare,
    Constant,
    Convert,
    Declared,
    Expression,
    Field,
    Form,
    If,
    Other,
)
from firesteel.runtime.aggregate.functions.sum import from_zero, zero
from firesteel.runtime.spec.operators import AggregateSpec
from firesteel.types.sql import BIGINT, DOUBLE, SqlType, TypeRoot, decimal

_SUM = Field("sum")
_COUNT = Field("count")
_ONE = Constant(1)

BITS = {TypeRoot.TINYINT: 8, TypeRoot.SMALLINT: 16, TypeRoot.INTEGER: 32, TypeRoot.BIGINT: 64}
"""Number of bits of each integer type."""


def avg(call: AggregateSpec) -> Aggregate:
    """Return the aggregate for the average.

    Integers truncate towards zero, DECIMAL rounds HALF_UP. Flink: AvgAggFunction.
    """
    kind = _sum_type(call.arg_types[0])
    add, subtract, merged = from_zero(kind)
    return Declared(
        state_id="avg.v1",
        fields=(AccumulatorField("sum", kind, zero(kind)), AccumulatorField("count", BIGINT, 0)),
        accumulate={"sum": add, "count": Arithmetic("+", _COUNT, _ONE)},
        retract={"sum": subtract, "count": Arithmetic("-", _COUNT, _ONE)},
        merge={"sum": merged, "count": Arithmetic("+", _COUNT, Other("count"))},
        value=If(Compare("==", _COUNT, Constant(0)), NULL, _quotient(kind, call.type)),
        form=Form.LINEAR,
        contributions={"sum": Argument(), "count": _ONE},
    )


def _sum_type(argument: SqlType) -> SqlType:
    if argument.is_integer:
        return BIGINT
    if argument.root is TypeRoot.DECIMAL:
        return decimal(38, argument.scale or 0)
    return DOUBLE


def _quotient(kind: SqlType, result: SqlType) -> Expression:
    """Return the expression for sum / count in type `result`. The count is not 0."""
    if kind.root is TypeRoot.BIGINT:
        whole = Arithmetic("/", _SUM, _COUNT, BIGINT)
        return whole if result.root is TypeRoot.BIGINT else Convert("wrap", (whole,), (BITS[result.root],))
    if kind.root is TypeRoot.DECIMAL:
        shift = (result.scale or 0) - (kind.scale or 0)
        return Convert("decimal_average", (_SUM, _COUNT), (shift, result.precision or 38))
    mean = Arithmetic("/", _SUM, _COUNT, DOUBLE)
    return Convert("float32", (mean,)) if result.root is TypeRoot.FLOAT else mean
