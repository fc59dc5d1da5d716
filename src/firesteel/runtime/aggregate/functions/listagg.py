"""LISTAGG."""

from __future__ import annotations

from firesteel.runtime.aggregate.functions.array_agg import MERGE, RETRACT
from firesteel.runtime.aggregate.functions.declaration import AccumulatorField, Aggregate, HandWritten
from firesteel.runtime.spec.operators import AggregateSpec
from firesteel.types.sql import STRING, array

_ACCUMULATE = """\
{separator} = $separator
{text} = {x} if {text} is None else {text} + {separator} + {x}
"""

_MERGE = """\
if {other_text} is not None:
    {separator} = {other_separator}
    {text} = {other_text} if {text} is None else {text} + {separator} + {other_text}
"""

_ACCUMULATE_RETRACT = """\
{separator} = $separator
{list}.append({x})
"""

_MERGE_RETRACT = f"""\
if {{other_separator}} is not None:
    {{separator}} = {{other_separator}}
{MERGE}"""


def listagg(call: AggregateSpec) -> Aggregate:
    """Join the texts in arrival order with a separator. NULL if there is none.

    A retraction removes the first equal text. Flink: ListAggFunction, ListAggWsWithRetractAggFunction.
    """
    separator = f"x{call.args[1]}" if len(call.args) > 1 else "','"
    between = AccumulatorField("separator", STRING, None)
    if not call.retract:
        return HandWritten(
            state_id="listagg.v1",
            fields=(AccumulatorField("text", STRING, None), between),
            views=(),
            accumulate=_ACCUMULATE.replace("$separator", separator),
            retract=None,
            merge=_MERGE,
            value="{text}",
            constants=("separator",) if len(call.args) > 1 else (),
            in_order=True,
        )
    texts = array(STRING)
    return HandWritten(
        state_id="listagg-retract.v1",
        fields=(AccumulatorField("list", texts, []), AccumulatorField("retracted", texts, []), between),
        views=(),
        accumulate=_ACCUMULATE_RETRACT.replace("$separator", separator),
        retract=RETRACT.replace("$value", "{x}"),
        merge=_MERGE_RETRACT,
        value="({separator}.join({list}) if {list} else None)",
        constants=("separator",) if len(call.args) > 1 else (),
        in_order=True,
    )
