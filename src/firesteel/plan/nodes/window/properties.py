"""Properties of window table functions and of window aggregates."""

from __future__ import annotations

from firesteel.plan.nodes.window import logical as logical_windows
from firesteel.plan.nodes.window import physical as physical_windows
from firesteel.plan.properties.changelog_modes import (
    INSERTS,
    Kinds,
    keeps_account_of_rows,
    kinds_sent,
    sends_what_it_gets,
)
from firesteel.plan.properties.keys import NO_KEYS, Keys, key_of, unique_keys, upsert_keys
from firesteel.plan.properties.mini_batch import (
    BY_EVENT_TIME,
    NOT_IN_BUNDLES,
    NOTHING_ASKED,
    Interval,
    interval_asked,
)
from firesteel.plan.properties.time_attributes import (
    NOTHING_READ,
    Positions,
    TimeAttributes,
    aggregated,
    time_attributes,
    values_read,
)
from firesteel.plan.properties.value_ranges import UNBOUNDED, monotonicity, value_range
from firesteel.plan.properties.window_properties import WindowProperties, of_columns, window_properties

_Function = logical_windows.WindowTableFunction | physical_windows.WindowTableFunction
_FUNCTIONS = (logical_windows.WindowTableFunction, physical_windows.WindowTableFunction)
_Aggregate = logical_windows.WindowAggregate | physical_windows.WindowAggregate
_AGGREGATES = (logical_windows.WindowAggregate, physical_windows.WindowAggregate)
_GroupWindow = logical_windows.GroupWindowAggregate | physical_windows.GroupWindowAggregate
_GROUP_WINDOWS = (logical_windows.GroupWindowAggregate, physical_windows.GroupWindowAggregate)

for _of_windows in (
    physical_windows.WindowTableFunction,
    physical_windows.WindowAggregate,
    physical_windows.GroupWindowAggregate,
):
    monotonicity.always(None, _of_windows)
    value_range.always(UNBOUNDED, _of_windows)


# --- window table functions ----------------------------------------------------------------------
upsert_keys.always(NO_KEYS, *_FUNCTIONS)
unique_keys.always(NO_KEYS, *_FUNCTIONS)
sends_what_it_gets(physical_windows.WindowTableFunction)
values_read.always((NOTHING_READ,), physical_windows.WindowTableFunction)


@time_attributes.of(*_FUNCTIONS)
def _times(node: _Function) -> TimeAttributes:
    """Return the time attributes of the input, and window_time, the last column."""
    windowing = node if isinstance(node, logical_windows.WindowTableFunction) else node.windowing
    is_rowtime = windowing.is_rowtime
    added = {len(node.schema) - 1}
    below = time_attributes(node.input)
    return below.mapped(lambda times, rowtime: times | added if rowtime is is_rowtime else times)


@window_properties.of(logical_windows.WindowTableFunction)
def _windows(node: logical_windows.WindowTableFunction) -> WindowProperties:
    return of_columns(len(node.schema) - 3, node.window, node.schema[-1].type, node.is_rowtime)


@interval_asked.of(physical_windows.WindowTableFunction, physical_windows.WindowAggregate)
def _interval(node: physical_windows.WindowTableFunction | physical_windows.WindowAggregate) -> Interval:
    """Return the mini-batch interval that windows require of their input.

    Windows of event time require BY_EVENT_TIME: mini-batches below them end with watermarks. Windows of
    processing time require nothing.
    """
    return BY_EVENT_TIME if node.windowing.is_rowtime else NOTHING_ASKED


# --- aggregates over window table functions ------------------------------------------------------
kinds_sent.always(INSERTS, physical_windows.WindowAggregate)
keeps_account_of_rows(physical_windows.WindowAggregate)


@values_read.of(physical_windows.WindowAggregate, physical_windows.GroupWindowAggregate)
def _read(node: physical_windows.WindowAggregate | physical_windows.GroupWindowAggregate) -> tuple[Positions]:
    return (aggregated(node.keys, node.calls),)


def _first_property(node: _Aggregate | _GroupWindow | physical_windows.GlobalWindowAggregate) -> int:
    return len(node.schema) - len(node.properties)


unique_keys.always(NO_KEYS, physical_windows.LocalWindowAggregate)
upsert_keys.always(NO_KEYS, physical_windows.LocalWindowAggregate)


@upsert_keys.of(*_AGGREGATES, physical_windows.GlobalWindowAggregate)
@unique_keys.of(*_AGGREGATES, physical_windows.GlobalWindowAggregate)
def _key(node: _Aggregate | physical_windows.GlobalWindowAggregate) -> Keys:
    """Return the key: the grouping columns with window_start and window_end."""
    first = _first_property(node)
    return key_of(*range(len(node.keys)), first, first + 1)


@time_attributes.of(*_AGGREGATES)
def _result_times(node: _Aggregate) -> TimeAttributes:
    if "window_time" not in node.properties:
        return TimeAttributes()
    time = frozenset({_first_property(node) + node.properties.index("window_time")})
    return TimeAttributes(event=time) if node.windowing.is_rowtime else TimeAttributes(processing=time)


@window_properties.of(logical_windows.WindowAggregate)
def _result_windows(node: logical_windows.WindowAggregate) -> WindowProperties:
    windowing = node.windowing
    found = of_columns(_first_property(node), windowing.window, windowing.time_type, windowing.is_rowtime)
    return found if len(node.properties) > 2 else found.without_times()


# --- aggregates of windows in GROUP BY -----------------------------------------------------------
window_properties.always(None, logical_windows.GroupWindowAggregate)
interval_asked.always(NOT_IN_BUNDLES, physical_windows.GroupWindowAggregate)
keeps_account_of_rows(physical_windows.GroupWindowAggregate)


@upsert_keys.of(*_GROUP_WINDOWS)
@unique_keys.of(*_GROUP_WINDOWS)
def _group_keys(node: _GroupWindow) -> Keys:
    """Return up to two keys: the grouping columns with the window's start, and those with its end.

    A key needs its column of the window in the output. If the query reads neither start nor end, there is no
    key.
    """
    group, first = range(len(node.keys)), _first_property(node)
    return NO_KEYS.union(*(key_of(*group, first + i) for i in range(min(2, len(node.properties)))))


@kinds_sent.of(physical_windows.GroupWindowAggregate)
def _kinds(node: physical_windows.GroupWindowAggregate) -> Kinds:
    return INSERTS | {"update"} if node.updates else INSERTS


@time_attributes.of(*_GROUP_WINDOWS)
def _group_times(node: _GroupWindow) -> TimeAttributes:
    names = {True: "w$rowtime", False: "w$proctime"}
    return TimeAttributes().mapped(
        lambda _, rowtime: (i for i, f in enumerate(node.schema) if f.name == names[rowtime])
    )
