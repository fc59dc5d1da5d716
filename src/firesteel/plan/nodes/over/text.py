"""Text of OVER aggregates and sorts in physical plans.

Flink: RelExplainUtil.windowRangeToString, overAggregationToString, collationToString.
"""

from __future__ import annotations

from firesteel.functions.expression.nodes import AggregateCall, Literal
from firesteel.plan.expressions.literal_text import literal_text
from firesteel.plan.expressions.over import Bound
from firesteel.plan.expressions.over_text import sort_text
from firesteel.plan.nodes.accumulators import function_name
from firesteel.plan.nodes.over.physical import OverAggregate, TemporalSort

Attributes = list[tuple[str, str]]


def over_aggregate(node: OverAggregate) -> Attributes:
    names = [f.name for f in node.input.schema]
    window = node.window
    found = [("partitionBy", ", ".join(names[k] for k in window.partition))] if window.partition else []
    order = sort_text([names[k] for k in window.order], [d.descending for d in window.directions])
    unit = "ROWS" if window.rows else "RANGE"
    frame = f" {unit} BETWEEN {_bound(window.lower)} AND {_bound(window.upper)}"
    arguments = [*names, *map(literal_text, node.constants)]
    calls = [f"{_call(call, arguments)} AS {call.name}" for call in node.calls]
    return [*found, ("orderBy", order), ("window", frame), ("select", ", ".join([*names, *calls]))]


def temporal_sort(node: TemporalSort) -> Attributes:
    names = [f.name for f in node.schema]
    return [("orderBy", sort_text([names[k] for k in node.keys], [d.descending for d in node.directions]))]


def _call(call: AggregateCall, arguments: list[str]) -> str:
    args = ", ".join(arguments[i] for i in call.args) or "*"
    return f"{function_name(call)}({'DISTINCT ' if call.distinct else ''}{args})"


def _bound(bound: Bound) -> str:
    if not isinstance(bound.offset, Literal):
        return bound.side
    return f"{bound.offset.value!s} {bound.side}"
