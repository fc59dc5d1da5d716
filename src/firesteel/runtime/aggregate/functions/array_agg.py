"""ARRAY_AGG, and how lists of values take retractions."""

from __future__ import annotations

from typing import Any

from firesteel.runtime.aggregate.functions.declaration import AccumulatorField, Aggregate, HandWritten
from firesteel.runtime.aggregate.functions.statements import statements
from firesteel.runtime.spec.operators import AggregateSpec
from firesteel.types.numbers import from_sortable
from firesteel.types.sql import APPROXIMATE, BIGINT, BYTES_LIKE, array


def retract_value(list: list[Any], retracted: list[Any], value: Any) -> None:
    # A value that is retracted before it is added goes to `retracted`. Only `merge` matches it with an added
    # value, so that the accumulator of one local phase may retract rows of another.
    if value in list:
        list.remove(value)
    else:
        retracted.append(value)


def merge_lists(
    list: list[Any], other_list: list[Any], retracted: list[Any], other_retracted: list[Any]
) -> tuple[list[Any], list[Any]]:
    waiting = retracted + other_retracted
    list = list + other_list
    retracted = []
    for each in waiting:
        if each in list:
            list.remove(each)
        else:
            retracted.append(each)
    return list, retracted


# Flink compares values of type BYTES by identity, so a retracted value equals no value in the list. Only a
# retracted NULL equals a NULL in the list.
def _retract_null(list: list[Any], retracted: list[Any], x: Any) -> None:
    if x is None and None in list:
        list.remove(None)
    else:
        retracted.append(x)


def _merge_nulls(
    list: list[Any], other_list: list[Any], retracted: list[Any], other_retracted: list[Any]
) -> tuple[list[Any], list[Any]]:
    waiting = retracted + other_retracted
    list = list + other_list
    retracted = []
    for each in waiting:
        if each is None and None in list:
            list.remove(None)
        else:
            retracted.append(each)
    return list, retracted


def array_agg(call: AggregateSpec) -> Aggregate:
    """Return the aggregate that collects the values in arrival order.

    The result is NULL if there are no values. NULLs count unless the call has IGNORE NULLS.

    A retraction removes the first equal value. For BYTES, it removes only NULLs, since Flink compares BYTES
    by identity. Flink: ArrayAggFunction.
    """
    argument = call.arg_types[0]
    # The list has FLOAT and DOUBLE values in sortable form, as integers. So a retraction of NaN finds a NaN,
    # and a retraction of 0.0 does not find -0.0.
    approximate = argument.root in APPROXIMATE
    kept = array(BIGINT if approximate else argument)
    value = "{k}" if approximate else "{x}"
    unequal = argument.root in BYTES_LIKE
    retract = statements(_retract_null) if unequal else statements(retract_value, value=value)
    return HandWritten(
        state_id="array-agg.v1",
        fields=(AccumulatorField("list", kept, []), AccumulatorField("retracted", kept, [])),
        views=(),
        accumulate=f"{{list}}.append({value})",
        retract=retract,
        merge=statements(_merge_nulls if unequal else merge_lists),
        value="({values}({list}) if {list} else None)",
        takes_nulls="IGNORE NULLS" not in call.options,
        in_order=True,
        functions=(("values", _from_sortable if approximate else list),),
    )


def _from_sortable(keys: list[int | None]) -> list[float | None]:
    return [None if key is None else from_sortable(key) for key in keys]
