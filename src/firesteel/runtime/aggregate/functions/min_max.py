"""MIN and MAX, plain and with retraction."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from firesteel.runtime.aggregate.functions.declaration import (
    AccumulatorField,
    Aggregate,
    Argument,
    Compare,
    Declared,
    Expression,
    Field,
    Form,
    HandWritten,
    If,
    IsNull,
    MapView,
    Other,
)
from firesteel.runtime.aggregate.functions.statements import statements
from firesteel.runtime.spec.operators import AggregateSpec
from firesteel.types.sql import APPROXIMATE, BIGINT, BOOLEAN


def min_(call: AggregateSpec) -> Aggregate:
    """Return the aggregate for the least value."""
    return _with_retract(call, "min") if call.retract else _plain("min", "<", call)


def max_(call: AggregateSpec) -> Aggregate:
    """Return the aggregate for the greatest value."""
    return _with_retract(call, "max") if call.retract else _plain("max", ">", call)


def _plain(name: str, beats: str, call: AggregateSpec) -> Aggregate:
    """Return MIN (`beats` is "<") or MAX (">") without retraction.

    The first value stays until a later value strictly beats it. So NaN is the result only if it is the first
    value. Flink: MinAggFunction, MaxAggFunction.
    """
    best = Field(name)

    def better(candidate: Expression) -> Expression:
        return If(IsNull(best), candidate, If(Compare(beats, candidate, best), candidate, best))

    return Declared(
        state_id=f"{name}.v1",
        fields=(AccumulatorField(name, call.arg_types[0], None),),
        accumulate={name: better(Argument())},
        merge={name: If(IsNull(Other(name)), best, better(Other(name)))},
        value=best,
        form=Form.EXTREME,
        least=beats == "<",
    )


def _accumulate(map: Any, k: Any, best: Any, size: int, is_max: bool) -> tuple[Any, int]:
    if size == 0 or best is None or (best < k if is_max else best > k):
        best = k
    count = map.get(k, 0) + 1
    if count == 0:
        del map[k]
    else:
        map[k] = count
        if count == 1:
            size += 1
            if type(map) is not dict:
                map.added(k)
    return best, size


def _retract(
    map: Any, k: Any, best: Any, size: int, unmatched: bool, extreme: Callable[[Any], tuple[Any, Any]]
) -> tuple[Any, Any, int, bool]:
    count = map.get(k, 0) - 1
    if count == 0:
        del map[k]
        size -= 1
        if size == 0:
            best = None
        elif k == best:
            map, best = extreme(map)
    else:
        map[k] = count
        if count < 0:
            unmatched = True
            if type(map) is not dict:
                map.added(k)
    return map, best, size, unmatched


def _merge(
    map: Any, other_map: Any, best: Any, size: int, unmatched: bool, is_max: bool,
    extreme: Callable[[Any], tuple[Any, Any]],
) -> tuple[Any, Any, int, bool]:  # fmt: skip
    # A key whose count becomes positive adds 1 to `size` and may become `best`. A key whose count ceases to
    # be positive takes 1 from `size`. If it was `best`, the new `best` is the least (for MIN) or greatest
    # (for MAX) key that is left in the map.
    for key, other in other_map.items():
        before = map.get(key, 0)
        count = before + other
        if count == 0:
            if before:
                del map[key]
        else:
            map[key] = count
            if not before and type(map) is not dict:
                map.added(key)
            if count < 0:
                unmatched = True
        if before <= 0 < count:
            size += 1
            if best is None or (best < key if is_max else best > key):
                best = key
        elif count <= 0 < before:
            size -= 1
            if size == 0:
                best = None
            elif key == best:
                map, best = extreme(map)
    return map, best, size, unmatched


def _with_retract(call: AggregateSpec, name: str) -> Aggregate:
    """Return MIN or MAX with retraction, which counts the occurrences of each value.

    Values are compared as by Java's compareTo. Flink: MinWithRetractAggFunction, MaxWithRetractAggFunction.

    `best` is the result, and `unmatched` records that a retraction came without a row to take back. Only then
    can the count of a value be negative, or `best` be a value without rows. As in Flink, there are two cases:
    - The value 5 is retracted before it is added. Its count becomes -1, then 0. When it is added, 5 becomes
      `best` if it is less (for MIN) or greater (for MAX) than `best`.
    - The last row with the value `best` is retracted. The least (for MIN) or greatest (for MAX) value in
      the map then becomes `best`, even if its count is negative.
    """
    argument = call.arg_types[0]
    approximate = argument.root in APPROXIMATE
    # FLOAT and DOUBLE are stored in sortable form, in which < is Java's compareTo.
    kept = BIGINT if approximate else argument

    is_max, extreme = str(name == "max"), f"{name}_key"
    return HandWritten(
        state_id=f"{name}-retract.v2",
        fields=(
            AccumulatorField("best", kept, None),
            AccumulatorField("size", BIGINT, 0),
            AccumulatorField("unmatched", BOOLEAN, False),
        ),
        views=(MapView("map", argument, BIGINT, sorted=True),),
        accumulate=statements(_accumulate, is_max=is_max),
        retract=statements(_retract, extreme=extreme),
        merge=statements(_merge, is_max=is_max, extreme=extreme),
        value=_value(approximate),
    )


def _value(approximate: bool) -> str:
    if approximate:
        return "(from_sortable({best}) if {size} > 0 and {best} is not None else None)"
    return "({best} if {size} > 0 else None)"
