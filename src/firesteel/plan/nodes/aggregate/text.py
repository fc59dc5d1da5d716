"""Text of aggregates of all phases in plans (Flink: RelExplainUtil.streamGroupAggregationToString).

One phase: `SUM(DISTINCT x) AS s`. Local: `SUM(distinct$0 x) AS sum$0, DISTINCT(x) AS distinct$0`. Global
reads the local's columns: `SUM(distinct$0 sum$0) AS s`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from firesteel.functions.expression.nodes import AggregateCall
from firesteel.plan.nodes import physical
from firesteel.plan.nodes.accumulators import distinct_arguments, function_name, split_columns
from firesteel.plan.tree import Node

Attributes = list[tuple[str, str]]


def group_aggregate(node: physical.GroupAggregate) -> Attributes:
    names = _names(node.input)
    keys = [names[k] for k in node.keys]
    outputs = _names(node)[len(keys) :]
    calls = one_phase_calls(node.calls, node.retract, names)
    named = [f"{call} AS {output}" for call, output in zip(calls, outputs, strict=True)]
    return _attributes(keys, node.partial_final, named)


def local_group_aggregate(node: physical.LocalGroupAggregate) -> Attributes:
    names = _names(node.input)
    keys = [names[k] for k in node.keys]
    calls = local_calls(node.calls, node.retract, names, _names(node)[len(keys) :])
    return _attributes(keys, node.partial_final, calls)


def global_group_aggregate(node: physical.GlobalGroupAggregate) -> Attributes:
    names = _names(node.input)
    keys = [names[k] for k in node.keys]
    texts = merged_calls(node.calls, node.retract, names[len(keys) :])
    outputs = _names(node)[len(keys) :]
    # If the planner has added a COUNT(*) after the query's calls, `texts` is longer than `outputs` by one.
    # This count is no output column, so zip drops its text.
    calls = [f"{text} AS {output}" for text, output in zip(texts, outputs, strict=False)]
    found = _attributes(keys, node.partial_final, calls)
    if node.index_of_count_star is not None:
        found.append(("indexOfCountStar", str(node.index_of_count_star)))
    return found


def incremental_group_aggregate(node: physical.IncrementalGroupAggregate) -> Attributes:
    names = _names(node.input)
    keys = [names[k] for k in node.final_keys]
    merged = _merged(node.calls, node.retract, names[len(node.keys) :])
    calls = [f"{text} AS {columns}" for text, columns in merged]
    return [
        ("partialAggGrouping", ", ".join(names[k] for k in node.keys)),
        ("finalAggGrouping", ", ".join(keys)),
        ("select", ", ".join([*keys, *calls])),
    ]


def one_phase_calls(
    calls: Sequence[AggregateCall], retract: Sequence[bool], names: Sequence[str]
) -> list[str]:
    """Return the texts of one-phase calls, such as `SUM_RETRACT(DISTINCT qty) FILTER $f2`.

    Args:
        calls: The calls.
        retract: For each call, whether it also takes rows back, printed as `_RETRACT`. Empty if no call does.
        names: Names of the input's columns.
    """
    kinds = retract or (False,) * len(calls)
    return [_one_phase(call, names, retracts) for call, retracts in zip(calls, kinds, strict=True)]


def local_calls(
    calls: Sequence[AggregateCall], retract: Sequence[bool], names: Sequence[str], accumulators: Sequence[str]
) -> list[str]:
    """Return the texts of local calls, such as `SUM(distinct$0 x) AS sum$0`. DISTINCT(...) are last.

    Args:
        calls: The calls.
        retract: For each call, whether it also takes rows back.
        names: Names of the input's columns.
        accumulators: Names of the output's accumulator columns, printed after AS.
    """
    distinct = distinct_arguments(calls)
    outputs = split_columns(calls, retract, accumulators)
    found = []
    for call, retracts, columns in zip(calls, retract, outputs, strict=True):
        args = _arguments(call, names)
        condition = "" if call.filter is None else f" FILTER {names[call.filter]}"
        found.append(f"{_call(call, retracts, distinct, args)}{condition} AS {_tuple(columns)}")
    for position, arguments in enumerate(distinct):
        found.append(f"DISTINCT({', '.join(names[i] for i in arguments)}) AS distinct${position}")
    return found


def merged_calls(calls: Sequence[AggregateCall], retract: Sequence[bool], names: Sequence[str]) -> list[str]:
    """Return the texts of calls over accumulator columns, such as `AVG((sum$0, count$1))`."""
    return [text for text, _ in _merged(calls, retract, names)]


def _merged(
    calls: Sequence[AggregateCall], retract: Sequence[bool], names: Sequence[str]
) -> Iterator[tuple[str, str]]:
    """Yield two texts for each call: the call over its accumulator columns, and these columns alone.

    For AVG, the texts are `AVG((sum$0, count$1))` and `(sum$0, count$1)`.
    """
    distinct = distinct_arguments(calls)
    for call, retracts, columns in zip(calls, retract, split_columns(calls, retract, names), strict=True):
        yield _call(call, retracts, distinct, _tuple(columns)), _tuple(columns)


def _attributes(keys: list[str], partial_final: str | None, calls: list[str]) -> Attributes:
    found = [("groupBy", ", ".join(keys))] if keys else []
    if partial_final:
        found.append(("partialFinalType", partial_final))
    return [*found, ("select", ", ".join([*keys, *calls]))]


def _one_phase(call: AggregateCall, names: Sequence[str], retracts: bool) -> str:
    distinct = "DISTINCT " if call.distinct else ""
    condition = "" if call.filter is None else f" FILTER {names[call.filter]}"
    return f"{_function(call, retracts)}({distinct}{_arguments(call, names)}){condition}"


def _call(call: AggregateCall, retracts: bool, distinct: Sequence[tuple[int, ...]], args: str) -> str:
    values = f"distinct${distinct.index(call.args)} " if call.distinct else ""
    return f"{_function(call, retracts)}({values}{args})"


def _function(call: AggregateCall, retracts: bool) -> str:
    return f"{function_name(call)}{'_RETRACT' if retracts else ''}"


def _arguments(call: AggregateCall, names: Sequence[str]) -> str:
    return ", ".join(names[i] for i in call.args) or "*"


def _tuple(columns: Sequence[str]) -> str:
    return columns[0] if len(columns) == 1 else f"({', '.join(columns)})"


def _names(node: Node) -> list[str]:
    return [f.name for f in node.schema]
