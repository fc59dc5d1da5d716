"""COLLECT."""

from __future__ import annotations

from firesteel.functions.java.hash_map import ordered_keys, ordered_values
from firesteel.runtime.aggregate.functions.declaration import (
    AccumulatorField,
    Aggregate,
    HandWritten,
    MapView,
)
from firesteel.runtime.spec.operators import AggregateSpec
from firesteel.types.sql import BIGINT, array

# An entry is [count, arrival number].
_NEW = """\
    {map}[{k}] = [$count, {next}]
    {next} += 1
    {size} += 1
    if {size} > {most}:
        {most} = {size}
"""

_ACCUMULATE = f"""\
_entry = {{map}}.get({{k}})
if _entry is None:
{_NEW.replace("$count", "1")}else:
    {{map}}[{{k}}] = [_entry[0] + 1, _entry[1]]
"""

_RETRACT = f"""\
_entry = {{map}}.get({{k}})
if _entry is None:
{_NEW.replace("$count", "-1")}elif _entry[0] == 1:
    del {{map}}[{{k}}]
    {{size}} -= 1
    if {{size}} == 0:
        {{most}} = {{next}} = 0
else:
    {{map}}[{{k}}] = [_entry[0] - 1, _entry[1]]
"""

_MERGE = f"""\
for _key, _count in {{keys}}({{other_map}}.items(), {{other_most}}):
    _entry = {{map}}.get(_key)
    if _entry is not None:
        {{map}}[_key] = [_entry[0] + _count, _entry[1]]
        continue
{_NEW.replace("$count", "_count").replace("{k}", "_key")}"""


def collect(call: AggregateSpec) -> Aggregate:
    """Return how often each value occurs, as a MULTISET in Java's order.

    As in Flink, a value retracted before it was added has the number -1, and 0 once it is added. Only from 1
    does a retraction remove it. Flink: CollectAggFunction.
    """
    argument = call.arg_types[0]
    return HandWritten(
        state_id="collect.v1",
        fields=tuple(AccumulatorField(name, BIGINT, 0) for name in ("size", "most", "next")),
        views=(MapView("map", argument, array(BIGINT), whole=True),),
        accumulate=_ACCUMULATE,
        retract=_RETRACT,
        merge=_MERGE,
        value="{values}({map}.items(), {most})",
        in_order=True,
        functions=(("keys", ordered_keys(argument)), ("values", ordered_values(argument))),
    )
