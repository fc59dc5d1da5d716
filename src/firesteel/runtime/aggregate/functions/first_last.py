"""FIRST_VALUE, LAST_VALUE and SINGLE_VALUE.

Flink sorts values by the time of day at which they arrive. Here, rows are numbered by key: rows of one
millisecond keep their sequence, and a replay gives the same result.
"""

from __future__ import annotations

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
from firesteel.runtime.spec.operators import AggregateSpec
from firesteel.types.sql import BIGINT, BYTES_LIKE, array


def first_value(call: AggregateSpec) -> Aggregate:
    """Return the first value. Flink: FirstValueAggFunction, FirstValueWithRetractAggFunction."""
    value = Field("value")
    if call.retract:
        return _with_retract(call, "first", _FIRST, end="iter")
    return Declared(
        state_id="first-value.v1",
        fields=(AccumulatorField("value", call.arg_types[0], None),),
        accumulate={"value": If(IsNull(value), Argument(), value)},
        merge={"value": If(IsNull(value), Other("value"), value)},
        value=value,
    )


def last_value(call: AggregateSpec) -> Aggregate:
    """Return the last value. Flink: LastValueAggFunction, LastValueWithRetractAggFunction."""
    value = Field("value")
    if call.retract:
        return _with_retract(call, "last", _LAST, end="reversed")
    return Declared(
        state_id="last-value.v1",
        fields=(AccumulatorField("value", call.arg_types[0], None),),
        accumulate={"value": Argument()},
        merge={"value": If(IsNull(Other("value")), value, Other("value"))},
        value=value,
    )


# orders: arrival number -> value, ascending. arrivals: value -> its arrival numbers, ascending.
_ACCUMULATE = """\
{orders}[{next}] = {x}
_arrivals = {arrivals}.get({k})
if _arrivals is None:
    _arrivals = []
_arrivals.append({next})
{arrivals}[{k}] = _arrivals
{next} += 1
"""

_FIRST = """\
if {value} is None:
    {value} = {x}
"""

_LAST = """\
{value} = {x}
"""

_RETRACT = """\
_arrivals = {arrivals}.get({k})
if _arrivals:
    {orders}.pop(_arrivals.pop(0), None)
    if _arrivals:
        {arrivals}[{k}] = _arrivals
    else:
        del {arrivals}[{k}]
    if {x} == {value} or {x} != {x}:
        {value} = $current
"""

_MERGE = """\
_start = {next}
for _order, _value in {other_orders}.items():
    {orders}[_start + _order] = _value
for _key, _arrivals in {other_arrivals}.items():
    {arrivals}[_key] = [*{arrivals}.get(_key, ()), *(_start + _order for _order in _arrivals)]
{next} = _start + {other_next}
{value} = $current
"""


def _with_retract(call: AggregateSpec, name: str, accumulate: str, end: str) -> Aggregate:
    """Return an aggregate that stores every value and when it came.

    As in Flink, a retraction removes the first arrival of the value, for LAST_VALUE too. An unknown value
    changes nothing. BYTES are never found, since Flink compares them by identity.
    """
    argument = call.arg_types[0]
    current = f"next(({{orders}}[_each] for _each in {end}({{orders}})), None)"

    def text(template: str) -> str:
        return template.replace("$current", current)

    return HandWritten(
        state_id=f"{name}-value-retract.v1",
        fields=(AccumulatorField("value", argument, None), AccumulatorField("next", BIGINT, 0)),
        views=(
            MapView("orders", BIGINT, argument, ordered=True),
            MapView("arrivals", argument, array(BIGINT)),
        ),
        accumulate=_ACCUMULATE + accumulate,
        retract=None if argument.root in BYTES_LIKE else text(_RETRACT),
        merge=text(_MERGE),
        value="{value}",
    )


_SINGLE = """\
if {count} > 0:
    raise_single_value()
{value} = {x}
{count} += 1
"""

_SINGLE_RETRACT = """\
if {count} not in (0, 1):
    raise_single_value()
{value} = None
{count} -= 1
"""

_SINGLE_MERGE = """\
if {count} + {other_count} > 1:
    raise_single_value()
if {other_count} > 0:
    {value} = {other_value}
{count} += {other_count}
"""


def single_value(call: AggregateSpec) -> Aggregate:
    """Return the value of a scalar subquery. A second row is an error. Flink: SingleValueAggFunction."""
    return HandWritten(
        state_id="single-value.v1",
        fields=(AccumulatorField("value", call.arg_types[0], None), AccumulatorField("count", BIGINT, 0)),
        views=(),
        accumulate=_SINGLE,
        retract=_SINGLE_RETRACT,
        merge=_SINGLE_MERGE,
        value="{value}",
        takes_nulls=True,
    )
