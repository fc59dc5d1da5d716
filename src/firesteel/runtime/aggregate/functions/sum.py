"""SUM, with and without retraction, and $SUM0."""

from __future__ import annotations

from firesteel.runtime.aggregate.functions.declaration import (
    NULL,
    AccumulatorField,
    Aggregate,
    Argument,
    Arithmetic,
    Compare,
    Constant,
    Declared,
    Expression,
    Field,
    Form,
    If,
    IsNull,
    Other,
)
from firesteel.runtime.spec.operators import AggregateSpec
from firesteel.types.sql import APPROXIMATE, BIGINT, SqlType, TypeRoot

_SUM = Field("sum")
_COUNT = Field("count")
_ONE = Constant(1)


def zero(kind: SqlType) -> int | float:
    """Return 0 in the internal form of a numeric type."""
    return 0.0 if kind.root in APPROXIMATE else 0


def from_zero(kind: SqlType) -> tuple[Expression, Expression, Expression]:
    """Return the new value of a field `sum`, whose initial value is 0, after accumulate, retract and merge.

    A DECIMAL sum that has overflowed stays NULL.
    """

    def step(operator: str, operand: Expression) -> Expression:
        changed = Arithmetic(operator, _SUM, operand, kind)
        return If(IsNull(_SUM), NULL, changed) if kind.root is TypeRoot.DECIMAL else changed

    merged = step("+", Other("sum"))
    if kind.root is TypeRoot.DECIMAL:
        merged = If(IsNull(Other("sum")), NULL, merged)
    return step("+", Argument()), step("-", Argument()), merged


def sum_(call: AggregateSpec) -> Aggregate:
    """Return the aggregate for the sum.

    The sum is NULL until the first value. A DECIMAL sum that overflows is NULL and starts again with the next
    value.

    Flink: SumAggFunction, SumWithRetractAggFunction.
    """
    kind = call.type
    add = If(IsNull(_SUM), Argument(), Arithmetic("+", _SUM, Argument(), kind))
    merged = If(
        IsNull(Other("sum")),
        _SUM,
        If(IsNull(_SUM), Other("sum"), Arithmetic("+", _SUM, Other("sum"), kind)),
    )
    total = AccumulatorField("sum", kind, None)
    if not call.retract:
        return Declared(
            state_id="sum.v1",
            fields=(total,),
            accumulate={"sum": add},
            merge={"sum": merged},
            value=_SUM,
            form=Form.LINEAR,
            contributions={"sum": Argument()},
        )
    nothing = Constant(zero(kind))
    subtract = If(
        IsNull(_SUM),
        Arithmetic("-", nothing, Argument(), kind),
        Arithmetic("-", _SUM, Argument(), kind),
    )
    return Declared(
        state_id="sum-retract.v1",
        fields=(total, AccumulatorField("count", BIGINT, 0)),
        accumulate={"sum": add, "count": Arithmetic("+", _COUNT, _ONE)},
        retract={"sum": subtract, "count": Arithmetic("-", _COUNT, _ONE)},
        merge={"sum": merged, "count": Arithmetic("+", _COUNT, Other("count"))},
        value=If(Compare("==", _COUNT, Constant(0)), NULL, _SUM),
        form=Form.LINEAR,
        contributions={"sum": Argument(), "count": _ONE},
    )


def sum0(call: AggregateSpec) -> Aggregate:
    """Return the aggregate for the sum, which is 0 for no values. Flink: Sum0AggFunction."""
    kind = call.type
    add, subtract, merged = from_zero(kind)
    return Declared(
        state_id="sum0.v1",
        fields=(AccumulatorField("sum", kind, zero(kind)),),
        accumulate={"sum": add},
        retract={"sum": subtract},
        merge={"sum": merged},
        value=_SUM,
        form=Form.LINEAR,
        contributions={"sum": Argument()},
    )
