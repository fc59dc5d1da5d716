"""Translate all session windows, and the TUMBLE and HOP windows that stand in a GROUP BY, to specs."""

from __future__ import annotations

from collections.abc import Sequence

from firesteel.job.lower.aggregate import OperatorOptions, aggregate_of, mode_of, types_of
from firesteel.plan.nodes.accumulators import is_mergeable
from firesteel.plan.nodes.window import physical as physical_windows
from firesteel.runtime.spec.operators import GroupAggregateSpec, OperatorSpec
from firesteel.runtime.spec.window import (
    Emit,
    GroupWindowAggregateSpec,
    SessionWindowAggregateSpec,
    SessionWindows,
    SessionWindowTableFunctionSpec,
    WindowAggregateSpec,
    WindowColumn,
    WindowsSpec,
    WindowTime,
)
from firesteel.types.sql import SqlType, TypeRoot

COLUMNS = {
    "window_start": WindowColumn.START,
    "window_end": WindowColumn.END,
    "window_time": WindowColumn.TIME,
    "w$start": WindowColumn.START,
    "w$end": WindowColumn.END,
    "w$rowtime": WindowColumn.TIME,
    "w$proctime": WindowColumn.CLOCK,
}


def columns_of(properties: Sequence[str]) -> tuple[WindowColumn, ...]:
    """Return the window columns that an aggregate adds to its result, by their names, such as `w$start`."""
    return tuple(COLUMNS[name] for name in properties)


def window_time(column: int | None, kind: SqlType, options: OperatorOptions) -> WindowTime:
    """Return the time attribute of windows. Windows over TIMESTAMP_LTZ use the session's time zone.

    `column` is None for processing time.
    """
    return WindowTime(column, kind, options.time_zone if kind.root is TypeRoot.TIMESTAMP_LTZ else "UTC")


def session_table_function(
    node: physical_windows.WindowTableFunction, options: OperatorOptions
) -> SessionWindowTableFunctionSpec:
    return SessionWindowTableFunctionSpec(
        node.windowing.window.partition,
        types_of(node.input),
        _sessions(node, options),
        options.state_id("session-window-table-function"),
    )


def session_aggregate(
    node: physical_windows.WindowAggregate, options: OperatorOptions
) -> SessionWindowAggregateSpec:
    return SessionWindowAggregateSpec(
        _aggregate(node, options), _sessions(node, options), columns_of(node.properties)
    )


def _sessions(
    node: physical_windows.WindowTableFunction | physical_windows.WindowAggregate, options: OperatorOptions
) -> SessionWindows:
    windowing = node.windowing
    start, end = windowing.column("win_start"), windowing.column("win_end")
    time = windowing.column("time_col") if windowing.is_rowtime else None
    borders = None if start is None or end is None else (start, end)
    return SessionWindows(window_time(time, windowing.time_type, options), windowing.window.size, borders)


def group_window_aggregate(
    node: physical_windows.GroupWindowAggregate, options: OperatorOptions
) -> OperatorSpec:
    """Return the spec of an aggregate over the windows of GROUP BY.

    TUMBLE and HOP use slices if four conditions hold:

    - The size is a multiple of the slide.
    - Accumulators of all calls can be merged.
    - Results are only emitted at the windows' ends.
    - No call is a MIN or MAX over an input with retractions. A retraction may have another time than its row,
      and so another window. In that window, MIN or MAX retracts a value that was never added. The result
      then depends on the order of the rows, so they must be processed one by one.
    """
    window, aggregate = node.window, _aggregate(node, options)
    time = window_time(_time_column(node), node.time_type, options)
    columns, slide = columns_of(node.properties), window.step or window.size
    if window.function == "SESSION":
        return SessionWindowAggregateSpec(aggregate, SessionWindows(time, window.size), columns)
    by_slice = not window.size % slide and all(map(is_mergeable, node.calls))
    if node.emit is None and by_slice and not aggregate.sorted_arguments:
        windows = WindowsSpec(window.function, window.size, slide, of_group_by=True)
        return WindowAggregateSpec(aggregate, windows, time, columns, len(node.calls))
    emit = Emit() if node.emit is None else Emit(node.emit.early, node.emit.late, node.emit.lateness)
    return GroupWindowAggregateSpec(aggregate, time, window.size, slide, columns, emit, node.updates)


def _time_column(node: physical_windows.GroupWindowAggregate) -> int | None:
    """Return the position of the row time among the input columns, None for processing time.

    If the query reads the row time for the window and elsewhere, the projection below the aggregate has this
    column twice. The planner rule merge_group_window_project then removes the projection and sets `node.time`
    to None. In this case, the column is found by its name, `node.time_name`.
    """
    if not node.is_rowtime or node.time is not None:
        return node.time if node.is_rowtime else None
    return [f.name for f in node.input.schema].index(node.time_name)


def _aggregate(
    node: physical_windows.WindowAggregate | physical_windows.GroupWindowAggregate, options: OperatorOptions
) -> GroupAggregateSpec:
    """Return the spec of the aggregation in windows: keys, aggregate calls, and the name of the state.

    If the input may retract rows, every call can take back values. The state has no time to live.
    """
    retracts = mode_of(node.input).has_retraction
    aggregate = aggregate_of(
        node.keys, node.calls, (retracts,) * len(node.calls), types_of(node.input), retracts, 0,
        mode_of(node).update_before,
    )  # fmt: skip
    return aggregate.stateful(0, options.state_id("window-aggregate"))
