"""The aggregate function LISTAGG."""

from __future__ import annotations

from typing import Any

from firesteel.runtime.aggregate.functions.array_agg import merge_lists, retract_value
from firesteel.runtime.aggregate.functions.declaration import AccumulatorField, Aggregate, HandWritten
from firesteel.runtime.aggregate.functions.statements import statements
from firesteel.runtime.spec.operators import AggregateSpec
from firesteel.types.sql import STRING, array


def _accumulate(text: str | None, separator: str, x: str, next_separator: str) -> tuple[str, str]:
    separator = next_separator
    text = x if text is None else text + separator + x
    return text, separator


def _merge(
    text: str | None, other_text: str | None, separator: str | None, other_separator: Any
) -> tuple[str | None, str | None]:
    if other_text is not None:
        separator = other_separator
        text = other_text if text is None else text + separator + other_text
    return text, separator


def _append(list: list[str], separator: str, x: str, next_separator: str) -> str:
    separator = next_separator
    list.append(x)
    return separator


def _take_separator(separator: str | None, other_separator: str | None) -> str | None:
    if other_separator is not None:
        separator = other_separator
    return separator


def listagg(call: AggregateSpec) -> Aggregate:
    """Return the aggregate that joins the texts in arrival order with a separator, NULL for no texts.

    A retraction removes the first equal text. Flink: ListAggFunction, ListAggWsWithRetractAggFunction.
    """
    separator = f"x{call.args[1]}" if len(call.args) > 1 else "','"
    between = AccumulatorField("separator", STRING, None)
    if not call.retract:
        return HandWritten(
            state_id="listagg.v1",
            fields=(AccumulatorField("text", STRING, None), between),
            views=(),
            accumulate=statements(_accumulate, next_separator=separator),
            retract=None,
            merge=statements(_merge),
            value="{text}",
            constants=("separator",) if len(call.args) > 1 else (),
            in_order=True,
        )
    texts = array(STRING)
    return HandWritten(
        state_id="listagg-retract.v1",
        fields=(AccumulatorField("list", texts, []), AccumulatorField("retracted", texts, []), between),
        views=(),
        accumulate=statements(_append, next_separator=separator),
        retract=statements(retract_value, value="{x}"),
        merge=f"{statements(_take_separator)}\n{statements(merge_lists)}",
        value="({separator}.join({list}) if {list} else None)",
        constants=("separator",) if len(call.args) > 1 else (),
        in_order=True,
    )
