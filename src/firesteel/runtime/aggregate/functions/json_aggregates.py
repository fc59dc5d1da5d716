"""JSON_ARRAYAGG and JSON_OBJECTAGG. Their values are JSON texts, created by JSON_STRING before."""

from __future__ import annotations

from collections.abc import Iterable

from firesteel.errors import JobError
from firesteel.runtime.aggregate.functions.declaration import (
    AccumulatorField,
    Aggregate,
    HandWritten,
    MapView,
)
from firesteel.runtime.spec.operators import AggregateSpec
from firesteel.types.json_text import quoted
from firesteel.types.sql import STRING, array

_ITEM = '_item = "null" if {x} is None else {x}\n'

_RETRACT = (
    _ITEM
    + """\
if _item in {list}:
    {list}.remove(_item)
"""
)


def json_array_agg(call: AggregateSpec) -> Aggregate:
    """Collect the values in arrival order. Flink: JsonArrayAggFunction, which has no merge."""
    return HandWritten(
        state_id="json-array-agg.v1",
        fields=(AccumulatorField("list", array(STRING), []),),
        views=(),
        accumulate=_ITEM + "{list}.append(_item)",
        retract=_RETRACT,
        merge="{list} = {list} + {other_list}",
        value='("[" + ",".join({list}) + "]")',
        takes_nulls="NULL ON NULL" in call.options,
    )


_ACCUMULATE = """\
{only}({x}, {x} in {map})
if $kept:
    {map}[{k}] = $value
"""

_REMOVE = """\
{only}({x}, False)
{map}.pop({k}, None)
"""

_MERGE = """\
for _key, _value in {other_map}.items():
    {only}(_key, _key in {map})
    {map}[_key] = _value
"""


def json_object_agg(call: AggregateSpec) -> Aggregate:
    """Collect the pairs, sorted by key. A repeated key is an error. A retraction removes the key, whatever
    its value.

    Flink: JsonObjectAggFunction.
    """
    value = f"x{call.args[1]}"
    kept = "True" if "NULL ON NULL" in call.options else f"{value} is not None"
    return HandWritten(
        state_id="json-object-agg.v1",
        fields=(),
        views=(MapView("map", STRING, STRING, whole=True),),
        accumulate=_ACCUMULATE.replace("$kept", kept).replace("$value", value),
        retract=_REMOVE,
        merge=_MERGE,
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
