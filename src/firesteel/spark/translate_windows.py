"""The windows of a physical plan as specs."""

from __future__ import annotations

from collections.abc import Sequence

from firesteel.errors import InternalError, NotSupportedError
from firesteel.plan import physical_windows
from firesteel.plan.physical import Exchange
from firesteel.plan.windows import Windowing
from firesteel.runtime.window_spec import (
    LocalWindowAggregateSpec,
    WindowAggregateSpec,
    WindowColumn,
    WindowsSpec,
    WindowTableFunctionSpec,
    WindowTime,
)
from firesteel.spark.translate_aggregates import OperatorOptions, aggregate_of, mode_of, types_of
from firesteel.types.sql import TypeRoot


def window_table_function(
    node: physical_windows.WindowTableFunction, options: OperatorOptions
) -> WindowTableFunctionSpec:
    return WindowTableFunctionSpec(_windows(node.windowing), time_of(node.windowing, options))


def window_aggregate(node: physical_windows.WindowAggregate, options: OperatorOptions) -> WindowAggregateSpec:
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
    """Its calls are over the rows of the local phase; the slice's end comes behind the keys."""
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
    """The time of rows; windows over TIMESTAMP_LTZ are cut by the session's clock."""
    is_instant = windowing.time_type.root is TypeRoot.TIMESTAMP_LTZ
    zone = options.time_zone if is_instant else "UTC"
    return WindowTime(
        windowing.column("time_col") if windowing.is_rowtime else None, windowing.time_type, zone
    )


def columns_of(properties: Sequence[str]) -> tuple[WindowColumn, ...]:
    """What an aggregate says of its windows."""
    return tuple(_COLUMNS[name] for name in properties)


def _windows(windowing: Windowing) -> WindowsSpec:
    """Raises NotSupportedError for windows that the rows decide."""
    window = windowing.window
    if window.function == "SESSION":
        raise NotSupportedError("SESSION windows cannot run yet", hint="EXPLAIN shows the plan of the query")
    return WindowsSpec(window.function, window.size, window.step or window.size, window.offset or 0)


_COLUMNS = {
    "window_start": WindowColumn.START,
    "window_end": WindowColumn.END,
    "window_time": WindowColumn.TIME,
}
