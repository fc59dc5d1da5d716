"""MIN and MAX, plain and with retraction."""

from __future__ import annotations

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
from firesteel.runtime.spec.operators import AggregateSpec
from firesteel.types.sql import APPROXIMATE, BIGINT, BOOLEAN


def min_(call: AggregateSpec) -> Aggregate:
    """Return the least value."""
    return _with_retract(call, "min", ">") if call.retract else _plain("min", "<", call)


def max_(call: AggregateSpec) -> Aggregate:
    """Return the greatest value."""
    return _with_retract(call, "max", "<") if call.retract else _plain("max", ">", call)


def _plain(name: str, beats: str, call: AggregateSpec) -> Aggregate:
    """The first value stays unless one strictly beats it, so NaN stays only where it is first.

    Flink: MinAggFunction, MaxAggFunction.
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


_ACCUMULATE = """\
if {size} == 0 or {best} is None or {best} $behind {k}:
    {best} = {k}
_count = {map}.get({k}, 0) + 1
if _count == 0:
    del {map}[{k}]
else:
    {map}[{k}] = _count
    if _count == 1:
        {size} += 1
        if type({map}) is not dict:
            {map}.added({k})
"""

_RETRACT = """\
_count = {map}.get({k}, 0) - 1
if _count == 0:
    del {map}[{k}]
    {size} -= 1
    if {size} == 0:
        {best} = None
    elif {k} == {best}:
        {map}, {best} = $extreme({map})
else:
    {map}[{k}] = _count
    if _count < 0:
        {unmatched} = True
        if type({map}) is not dict:
            {map}.added({k})
"""

# A count that crosses into the positive adds to size and may raise the best, one that crosses out of it
# takes from size, and where it was the best's, looks for the next at that end of the keys.
_MERGE = """\
for _key, _other in {other_map}.items():
    _before = {map}.get(_key, 0)
    _count = _before + _other
    if _count == 0:
        if _before:
            del {map}[_key]
    else:
        {map}[_key] = _count
        if not _before and type({map}) is not dict:
            {map}.added(_key)
        if _count < 0:
            {unmatched} = True
    if _before <= 0 < _count:
        {size} += 1
        if {best} is None or {best} $behind _key:
            {best} = _key
    elif _count <= 0 < _before:
        {size} -= 1
        if {size} == 0:
            {best} = None
        elif _key == {best}:
            {map}, {best} = $extreme({map})
"""


def _with_retract(call: AggregateSpec, extreme: str, behind: str) -> Aggregate:
    """Keeps how often each value is there; values are compared as Java's compareTo does. `unmatched` says
    that there has been a retraction without its row: only then can a count be negative, or the best be none
    of the values.

    Two things are as in Flink though one would not expect them: a value that cancels an earlier
    retraction of itself may become the result, and the search for the next result sees values whose
    count is negative. Flink: MinWithRetractAggFunction, MaxWithRetractAggFunction.
    """
    argument = call.arg_types[0]
    approximate = argument.root in APPROXIMATE
    # FLOAT and DOUBLE are kept in sortable form, in which < is compareTo.
    kept = BIGINT if approximate else argument

    def text(template: str) -> str:
        return template.replace("$behind", behind).replace("$extreme", f"{extreme}_key")

    return HandWritten(
        state_id=f"{extreme}-retract.v2",
        fields=(
            AccumulatorField("best", kept, None),
            AccumulatorField("size", BIGINT, 0),
            AccumulatorField("unmatched", BOOLEAN, False),
        ),
        views=(MapView("map", argument, BIGINT, sorted=True),),
        accumulate=text(_ACCUMULATE),
        retract=text(_RETRACT),
        merge=text(_MERGE),
        value=_value(approximate),
    )


def _value(approximate: bool) -> str:
    if approximate:
        return "(from_sortable({best}) if {size} > 0 and {best} is not None else None)"
    return "({best} if {size} > 0 else None)"
