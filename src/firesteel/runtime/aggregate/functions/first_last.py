"""FIRST_VALUE, LAST_VALUE and SINGLE_VALUE.

Flink sorts values by the time of day at which they arrive. Here, the rows of each key are numbered. So rows
that arrive in the same millisecond keep their order, and a replay gives the same result.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from firesteel.runtime.aggregate.functions.declaration import (
    AccumulatorField,
    Aggregate,
    Argument,
    Declared,
    Field,
    HandWritten,
    If,
    IsNull,
    MapView,
    Other,
)
from firesteel.runtime.aggregate.functions.statements import statements
from firesteel.runtime.spec.operators import AggregateSpec
from firesteel.types.sql import BIGINT, BYTES_LIKE, array


def first_value(call: AggregateSpec) -> Aggregate:
    """Return the aggregate for the first value that is not NULL.

    Flink: FirstValueAggFunction, FirstValueWithRetractAggFunction.
    """
    value = Field("value")
    if call.retract:
        return _with_retract(call, "first", _keep_first, end="iter")
    return Declared(
        state_id="first-value.v1",
        fields=(AccumulatorField("value", call.arg_types[0], None),),
        accumulate={"value": If(IsNull(value), Argument(), value)},
        merge={"value": If(IsNull(value), Other("value"), value)},
        value=value,
    )


def last_value(call: AggregateSpec) -> Aggregate:
    """Return the aggregate for the last value that is not NULL.

    Flink: LastValueAggFunction, LastValueWithRetractAggFunction.
    """
    value = Field("value")
    if call.retract:
        return _with_retract(call, "last", _keep_last, end="reversed")
    return Declared(
        state_id="last-value.v1",
        fields=(AccumulatorField("value", call.arg_types[0], None),),
        accumulate={"value": Argument()},
        merge={"value": If(IsNull(Other("value")), value, Other("value"))},
        value=value,
    )


# `orders` maps arrival numbers to values, ascending. `arrivals` maps values to their ascending arrival
# numbers.
def _accumulate(orders: Any, arrivals: Any, x: Any, k: Any, next: int) -> int:
    orders[next] = x
    known = arrivals.get(k)
    if known is None:
        known = []
    known.append(next)
    arrivals[k] = known
    next += 1
    return next


def _keep_first(value: Any, x: Any) -> Any:
    if value is None:
        value = x
    return value


def _keep_last(value: Any, x: Any) -> Any:
    value = x
    return value  # noqa: RET504  # statements.py


def _retract(orders: Any, arrivals: Any, x: Any, k: Any, value: Any, end: Callable[[Any], Any]) -> Any:
    known = arrivals.get(k)
    if known:
        orders.pop(known.pop(0), None)
        if known:
            arrivals[k] = known
        else:
            del arrivals[k]
        if x == value or x != x:
            value = next((orders[each] for each in end(orders)), None)
    return value


def _merge(
    orders: Any, other_orders: Any, arrivals: Any, other_arrivals: Any, following: int, other_next: int,
    value: Any, end: Callable[[Any], Any],
) -> tuple[int, Any]:  # fmt: skip
    start = following
    for order, each in other_orders.items():
        orders[start + order] = each
    for key, numbers in other_arrivals.items():
        arrivals[key] = [*arrivals.get(key, ()), *(start + number for number in numbers)]
    following = start + other_next
    value = next((orders[each] for each in end(orders)), None)
    return following, value


def _with_retract(call: AggregateSpec, name: str, keep: Callable[..., Any], end: str) -> Aggregate:
    """Return FIRST_VALUE or LAST_VALUE with retraction, which stores every value with its arrival numbers.

    `keep` is the function that computes the new result when a row is added. `end` is the Python text of a
    function that iterates over the arrival numbers: ascending for FIRST_VALUE, descending for LAST_VALUE.

    As in Flink, a retraction removes the first arrival of the value, for LAST_VALUE too. A retraction of an
    unknown value, or of BYTES (which Flink compares by identity), changes nothing.
    """
    argument = call.arg_types[0]
    return HandWritten(
        state_id=f"{name}-value-retract.v1",
        fields=(AccumulatorField("value", argument, None), AccumulatorField("next", BIGINT, 0)),
        views=(
            MapView("orders", BIGINT, argument, ordered=True),
            MapView("arrivals", argument, array(BIGINT)),
        ),
        accumulate=f"{statements(_accumulate)}\n{statements(keep)}",
        retract=None if argument.root in BYTES_LIKE else statements(_retract, end=end),
        merge=statements(_merge, following="{next}", end=end),
        value="{value}",
    )


def _single(value: Any, count: int, x: Any, fail: Callable[[], None]) -> tuple[Any, int]:
    if count > 0:
        fail()
    value = x
    count += 1
    return value, count


# The count 0 is no error: in a local phase, an accumulator has only the changes of a bundle. A `-U` that
# comes first finds the count 0 and makes it -1. The `+U` after it makes it 0, so the next `-U` finds 0 again.
def _retract_single(value: Any, count: int, x: Any, fail: Callable[[], None]) -> tuple[Any, int]:
    if count not in (0, 1):
        fail()
    if count == 0 or x == value or x != x:
        value = None
    count -= 1
    return value, count


def _merge_single(
    value: Any, count: int, other_value: Any, other_count: int, fail: Callable[[], None]
) -> tuple[Any, int]:
    if count + other_count > 1:
        fail()
    value = other_value
    count += other_count
    return value, count


_FAIL = "raise_single_value"


def single_value(call: AggregateSpec) -> Aggregate:
    """Return the aggregate for the value of a scalar subquery. A second row is an error.

    A merge takes the value of the later accumulator, so that an update within one bundle of mini-batches is
    not lost. Flink: SingleValueAggFunction.
    """
    return HandWritten(
        state_id="single-value.v1",
        fields=(AccumulatorField("value", call.arg_types[0], None), AccumulatorField("count", BIGINT, 0)),
        views=(),
        accumulate=statements(_single, fail=_FAIL),
        retract=statements(_retract_single, fail=_FAIL),
        merge=statements(_merge_single, fail=_FAIL),
        value="{value}",
        takes_nulls=True,
    )
