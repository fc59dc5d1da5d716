"""Translate the windows of a physical plan to specs."""

from __future__ import annotations

from firesteel.errors import InternalError
from firesteel.job.lower.aggregate import OperatorOptions, aggregate_of, mode_of, types_of
from firesteel.job.lower.group_window import (
    columns_of,
    session_aggregate,
    session_table_function,
    window_time,
)
from firesteel.plan.nodes.physical import Exchange
from firesteel.plan.nodes.window import physical as physical_windows
from firesteel.plan.windowing import Windowing
from firesteel.runtime.spec.operators import OperatorSpec
from firesteel.runtime.spec.window import (
    LocalWindowAggregateSpec,
    WindowAggregateSpec,
    WindowsSpec,
    WindowTableFunctionSpec,
    WindowTime,
)


def window_table_function(
    node: physical_windows.WindowTableFunction, options: OperatorOptions
) -> OperatorSpec:
    if node.windowing.window.function == "SESSION":
        return session_table_function(node, options)
    return WindowTableFunctionSpec(_windows(node.windowing), time_of(node.windowing, options))


def window_aggregate(node: physical_windows.WindowAggregate, options: OperatorOptions) -> OperatorSpec:
    if node.windowing.window.function == "SESSION":
        return session_aggregate(node, options)
    aggregate = aggregate_of(
        node.keys, node.calls, node.retract or (False,) * len(node.calls), types_of(node.input),
        mode_of(node.input).has_retraction, 0,
    )  # fmt: skip
    return WindowAggregateSpec(
        aggregate.stateful(0, options.state_id("window-aggregate")),
        _windows(node.windowing),
        time_of(node.windowing, options),
        columns_of(node.properties),
        len(node.calls),
        node.windowing.column("win_end"),
    )


def local_window_aggregate(
    node: physical_windows.LocalWindowAggregate, options: OperatorOptions
) -> LocalWindowAggregateSpec:
    aggregate = aggregate_of(
        node.keys, node.calls, node.retract, types_of(node.input), mode_of(node.input).has_retraction, 0
    )
    return LocalWindowAggregateSpec(
        aggregate,
        _windows(node.windowing),
        time_of(node.windowing, options),
        node.windowing.column("win_end"),
    )


def global_window_aggregate(
    node: physical_windows.GlobalWindowAggregate, options: OperatorOptions
) -> WindowAggregateSpec:
    """Return the spec of a global window aggregate, which merges the accumulators of the local phase.

    A row of the local phase has the keys, the accumulators of one slice, and the end of this slice.
    """
    local = node.input.input if isinstance(node.input, Exchange) else node.input
    if not isinstance(local, physical_windows.LocalWindowAggregate):
        raise InternalError("a global aggregate of windows is not over a local one")
    below = local_window_aggregate(local, options)
    return WindowAggregateSpec(
        below.aggregate.stateful(0, options.state_id("window-aggregate")),
        below.windows,
        below.time,
        columns_of(node.properties),
        node.results,
        below.window_end,
        is_global=True,
    )


def time_of(windowing: Windowing, options: OperatorOptions) -> WindowTime:
    """Return the time attribute of the windows."""
    column = windowing.column("time_col") if windowing.is_rowtime else None
    return window_time(column, windowing.time_type, options)


def _windows(windowing: Windowing) -> WindowsSpec:
    window = windowing.window
    return WindowsSpec(window.function, window.size, window.step or window.size, window.offset or 0)
