"""LAG over a window without a bound."""

from __future__ import annotations

from firesteel.runtime.aggregate.functions.declaration import AccumulatorField, Aggregate, HandWritten
from firesteel.runtime.spec.operators import AggregateSpec
from firesteel.types.sql import array

_ACCUMULATE = """\
{values}.append({x})
del {values}[:-$kept]
{default} = $default
"""


def lag(call: AggregateSpec) -> Aggregate:
    """The value so many rows before, at first the default: the last values are kept.

    The call's option is the offset, its second argument the default. It is never merged. Flink:
    LagAggFunction, which counts accumulated rows: of peers each has the value of the last one.
    """
    argument = call.arg_types[0]
    kept = int(call.options[0]) + 1
    default = f"x{call.args[1]}" if len(call.args) > 1 else "None"
    return HandWritten(
        state_id="lag.v1",
        fields=(
            AccumulatorField("values", array(argument.with_nullable(True)), []),
            AccumulatorField("default", argument.with_nullable(True), None),
        ),
        views=(),
        accumulate=_ACCUMULATE.replace("$kept", str(kept)).replace("$default", default),
        retract=None,
        merge="{values} = ({values} + {other_values})[-" + str(kept) + ":]\n{default} = {other_default}",
        value="({values}[0] if len({values}) == " + str(kept) + " else {default})",
        takes_nulls=True,
        in_order=True,
    )
