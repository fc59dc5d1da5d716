"""LAG, as an aggregate over the window from the first row to the current one."""

from __future__ import annotations

from typing import Any

from firesteel.runtime.aggregate.functions.declaration import AccumulatorField, Aggregate, HandWritten
from firesteel.runtime.aggregate.functions.statements import statements
from firesteel.runtime.spec.operators import AggregateSpec
from firesteel.types.sql import array


def _accumulate(values: list[Any], x: Any, kept: int, default: Any, next_default: Any) -> Any:
    values.append(x)
    del values[:-kept]
    default = next_default
    return default  # noqa: RET504  # statements.py


def lag(call: AggregateSpec) -> Aggregate:
    """Return the aggregate for the argument of an earlier row, or the default if there is no such row.

    The call's option is the offset: how many rows earlier. Its second argument is the default. The
    accumulator has the last offset + 1 values. Flink: LagAggFunction, which counts accumulated rows: all
    peers (rows with equal sort keys) get the result of the last of them.
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
        accumulate=statements(_accumulate, kept=str(kept), next_default=default),
        retract=None,
        merge="{values} = ({values} + {other_values})[-" + str(kept) + ":]\n{default} = {other_default}",
        value="({values}[0] if len({values}) == " + str(kept) + " else {default})",
        takes_nulls=True,
        in_order=True,
    )
