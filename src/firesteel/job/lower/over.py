"""Translate OVER aggregates and sorts by time to specs."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal

from firesteel.errors import NotSupportedError
from firesteel.functions.expression.nodes import AggregateCall, Literal
from firesteel.job.lower.aggregate import OperatorOptions, Types, types_of
from firesteel.plan.expressions.over import RANKS, Direction
from firesteel.plan.nodes.over.physical import OverAggregate, TemporalSort
from firesteel.runtime.spec.operators import AggregateSpec, GroupAggregateSpec
from firesteel.runtime.spec.over import (
    OverAggregateSpec,
    OverFrame,
    OverTime,
    SortedOverSpec,
    TemporalSortSpec,
)
from firesteel.runtime.state.order_codes import SortOrder
from firesteel.types.sql import APPROXIMATE, BIGINT, SqlType

_TIMES = {"rowtime": OverTime.ROWTIME, "proctime": OverTime.PROCTIME}


def over_aggregate(node: OverAggregate, options: OperatorOptions) -> OverAggregateSpec | SortedOverSpec:
    """Return the spec of an OVER aggregate.

    With a bounded frame by row time, a partition gets new accumulators in each epoch. So the number of the
    epoch is a further key of the accumulators.
    """
    if node.time not in _TIMES:
        return _sorted_over(node, options)
    window, columns = node.window, types_of(node.input)
    if window.preceding is not None and window.preceding < 0:
        raise NotSupportedError("OVER RANGE of a negative interval", range=node.calls[0].range)
    bounded, order = window.preceding is not None, _TIMES[node.time]
    types = columns + tuple(literal.type for literal in node.constants)
    calls = tuple(_call(call, types, node, bounded) for call in node.calls)
    epochs = bounded and order is OverTime.ROWTIME
    aggregate = GroupAggregateSpec(
        keys=(*window.partition, len(types)) if epochs else window.partition,
        calls=calls,
        input_types=(*types, BIGINT) if epochs else types,
        input_retracts=bounded,
        emit_update_before=False,
        every_row=True,
        state_id=options.state_id("over-aggregate/results"),
    )
    return OverAggregateSpec(
        aggregate=aggregate,
        width=len(columns),
        constants=_constants(node),
        frame=OverFrame(window.rows, window.preceding),
        order=order,
        time=window.order[0],
        state_id=options.state_id("over-aggregate"),
    )


def _sorted_over(node: OverAggregate, options: OperatorOptions) -> SortedOverSpec:
    """Return the spec of an OVER aggregate by a column that is no time attribute.

    A row that is added between others, or removed, may change the results of all rows behind it in the sort
    order. So after each such change, the operator aggregates all rows of the partition again, with new
    accumulators. The rows that the partition has then are called its version. The number of the version is
    the key of the accumulators.
    """
    window, columns = node.window, types_of(node.input)
    types = columns + tuple(literal.type for literal in node.constants)
    aggregate = GroupAggregateSpec(
        keys=(len(types),),
        calls=tuple(_call(call, types, node, bounded=False) for call in node.calls),
        input_types=(*types, BIGINT),
        input_retracts=False,
        emit_update_before=False,
        every_row=True,
        state_id="results",
    )
    return SortedOverSpec(
        aggregate=aggregate,
        partition=window.partition,
        width=len(columns),
        constants=_constants(node),
        rows=window.rows,
        sort=window.order[0],
        state_id=options.state_id("sorted-over"),
    )


def _constants(node: OverAggregate) -> tuple[tuple[object, SqlType], ...]:
    return tuple((_value(literal), literal.type) for literal in node.constants)


def temporal_sort(node: TemporalSort, options: OperatorOptions) -> TemporalSortSpec:
    return TemporalSortSpec(
        input_types=types_of(node.input),
        order=OverTime.ROWTIME if node.is_rowtime else OverTime.PROCTIME,
        time=node.keys[0],
        keys=node.keys[1:],
        directions=sort_orders(node.directions[1:]),
        state_id=options.state_id("temporal-sort"),
    )


def sort_orders(directions: Iterable[Direction]) -> tuple[SortOrder, ...]:
    """Return the directions of ORDER BY in the form that operators take: whether DESC, whether NULLS LAST."""
    return tuple(SortOrder(one.descending, not one.nulls_first) for one in directions)


def _call(call: AggregateCall, types: Types, node: OverAggregate, bounded: bool) -> AggregateSpec:
    """Return the spec of one aggregate call.

    RANK and DENSE_RANK become a COUNT of rows, like ROW_NUMBER: rows with equal sort keys get different
    numbers. Flink's streaming mode does the same, because it passes the functions no sort columns to compare
    (RankLikeAggFunctionBase).
    """
    args, options = call.args, call.options
    if call.function == "LAG":
        args, options = _lag(call, node)
    return AggregateSpec(
        "COUNT" if call.function in RANKS else call.function,
        args,
        tuple(types[i] for i in args),
        call.type,
        bounded,
        call.distinct,
        None,
        options,
        None if call.user is None else call.user.function,
    )


def _lag(call: AggregateCall, node: OverAggregate) -> tuple[tuple[int, ...], tuple[str, ...]]:
    """Return the arguments (the value and the default, if given) and the options (the offset) of LAG."""
    value, *more = call.args
    width = len(types_of(node.input))
    offset = node.constants[more[0] - width].value if more else 1
    default = more[1:]
    if default and default[0] >= width and node.constants[default[0] - width].value is None:
        default = []
    return (value, *default), (str(offset),)


def _value(literal: Literal) -> object:
    value = literal.value
    if literal.type.root in APPROXIMATE and isinstance(value, (int, float, Decimal)):
        return float(value)  # FLOAT and DOUBLE defaults may be Decimal
    return value
