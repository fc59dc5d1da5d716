"""The aggregate function COLLECT."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from firesteel.functions.java.hash_map import ordered_keys, ordered_values
from firesteel.runtime.aggregate.functions.declaration import (
    AccumulatorField,
    Aggregate,
    HandWritten,
    MapView,
)
from firesteel.runtime.aggregate.functions.statements import statements
from firesteel.runtime.spec.operators import AggregateSpec
from firesteel.types.sql import BIGINT, array


# An entry of the map is [count, arrival number].
def _accumulate(map: Any, k: Any, size: int, most: int, next: int) -> tuple[int, int, int]:
    entry = map.get(k)
    if entry is None:
        map[k] = [1, next]
        next += 1
        size += 1
        if size > most:
            most = size
    else:
        map[k] = [entry[0] + 1, entry[1]]
    return size, most, next


def _retract(map: Any, k: Any, size: int, most: int, next: int) -> tuple[int, int, int]:
    entry = map.get(k)
    if entry is None:
        map[k] = [-1, next]
        next += 1
        size += 1
        if size > most:
            most = size
    elif entry[0] == 1:
        del map[k]
        size -= 1
        if size == 0:
            most = next = 0
    else:
        map[k] = [entry[0] - 1, entry[1]]
    return size, most, next


def _merge(
    map: Any, other_map: Any, other_most: int, keys: Callable[..., Any], size: int, most: int, next: int
) -> tuple[int, int, int]:
    for key, count in keys(other_map.items(), other_most):
        entry = map.get(key)
        if entry is not None:
            map[key] = [entry[0] + count, entry[1]]
            continue
        map[key] = [count, next]
        next += 1
        size += 1
        if size > most:
            most = size
    return size, most, next


def collect(call: AggregateSpec) -> Aggregate:
    """Return the aggregate that counts the occurrences of each value: a MULTISET in a Java HashMap's order.

    A retraction removes a value from the MULTISET if its count is 1, otherwise it lowers the count. As in
    Flink, a value that is retracted first gets the count -1. If it is then added, its count is 0, but the
    value stays in the MULTISET. Flink: CollectAggFunction.
    """
    argument = call.arg_types[0]
    return HandWritten(
        state_id="collect.v1",
        fields=tuple(AccumulatorField(name, BIGINT, 0) for name in ("size", "most", "next")),
        views=(MapView("map", argument, array(BIGINT), whole=True),),
        accumulate=statements(_accumulate),
        retract=statements(_retract),
        merge=statements(_merge),
        value="{values}({map}.items(), {most})",
        in_order=True,
        functions=(("keys", ordered_keys(argument)), ("values", ordered_values(argument))),
    )
