"""JSON_ARRAYAGG and JSON_OBJECTAGG. Their values are JSON texts, created by JSON_STRING before."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from firesteel.errors import JobError
from firesteel.runtime.aggregate.functions.declaration import (
    AccumulatorField,
    Aggregate,
    HandWritten,
    MapView,
)
from firesteel.runtime.aggregate.functions.statements import statements
from firesteel.runtime.spec.operators import AggregateSpec
from firesteel.types.json_text import quoted
from firesteel.types.sql import STRING, array


def _append(x: str | None, list: list[str]) -> None:
    item = "null" if x is None else x
    list.append(item)


def _remove(x: str | None, list: list[str]) -> None:
    item = "null" if x is None else x
    if item in list:
        list.remove(item)


def json_array_agg(call: AggregateSpec) -> Aggregate:
    """Return the aggregate for JSON_ARRAYAGG: a JSON array of the values, in arrival order.

    Flink: JsonArrayAggFunction, which has no merge.
    """
    return HandWritten(
        state_id="json-array-agg.v1",
        fields=(AccumulatorField("list", array(STRING), []),),
        views=(),
        accumulate=statements(_append),
        retract=statements(_remove),
        merge="{list} = {list} + {other_list}",
        value='("[" + ",".join({list}) + "]")',
        takes_nulls="NULL ON NULL" in call.options,
    )


def _put(x: str, k: Any, map: Any, only: Callable[..., None], is_kept: bool, value: str | None) -> None:
    only(x, x in map)
    if is_kept:
        map[k] = value


def _drop(x: str, k: Any, map: Any, only: Callable[..., None]) -> None:
    only(x, False)
    map.pop(k, None)


def _merge(map: Any, other_map: Any, only: Callable[..., None]) -> None:
    for key, value in other_map.items():
        only(key, key in map)
        map[key] = value


def json_object_agg(call: AggregateSpec) -> Aggregate:
    """Return the aggregate for JSON_OBJECTAGG: a JSON object with each row's key and value, sorted by key.

    Two rows with the same key are an error.
    A retraction removes its key, whatever the value is. Flink: JsonObjectAggFunction.
    """
    value = f"x{call.args[1]}"
    kept = "True" if "NULL ON NULL" in call.options else f"({value} is not None)"
    return HandWritten(
        state_id="json-object-agg.v1",
        fields=(),
        views=(MapView("map", STRING, STRING, whole=True),),
        accumulate=statements(_put, is_kept=kept, value=value),
        retract=statements(_drop),
        merge=statements(_merge),
        value="{object}({map}.items())",
        takes_nulls=True,
        functions=(("only", _only), ("object", _object)),
    )


def _only(key: str | None, there: bool) -> None:
    if key is None:
        raise JobError("Map views don't support null keys.")
    if there:
        raise JobError(
            f"Key '{key}' is already present. Duplicate keys are not allowed in JSON_OBJECTAGG. "
            "Please ensure that keys are unique."
        )


def _object(pairs: Iterable[tuple[str, str | None]]) -> str:
    ordered = sorted(pairs, key=lambda pair: pair[0].encode("utf-16-be", "surrogatepass"))
    return "{" + ",".join(f"{quoted(key)}:{value or 'null'}" for key, value in ordered) + "}"
