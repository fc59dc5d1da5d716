"""The aggregate functions COUNT(*) and COUNT(x)."""

from __future__ import annotations

from firesteel.runtime.aggregate.functions.declaration import (
    AccumulatorField,
    Aggregate,
    Arithmetic,
    Constant,
    Declared,
    Field,
    Form,
    Other,
)
from firesteel.runtime.spec.operators import AggregateSpec
from firesteel.types.sql import BIGINT

_COUNT = Field("count")
_ONE = Constant(1)


def count(call: AggregateSpec) -> Aggregate:
    """Return the aggregate that counts rows, or rows whose argument is not NULL.

    Flink: Count1AggFunction, CountAggFunction.
    """
    return Declared(
        state_id="count.v1",
        fields=(AccumulatorField("count", BIGINT, 0),),
        accumulate={"count": Arithmetic("+", _COUNT, _ONE)},
        retract={"count": Arithmetic("-", _COUNT, _ONE)},
        merge={"count": Arithmetic("+", _COUNT, Other("count"))},
        value=_COUNT,
        form=Form.LINEAR,
        contributions={"count": _ONE},
    )
