"""Which columns of a node are the borders and the time of windows (Flink: FlinkRelMdWindowProperties).

A projection that hands a column on keeps it what it is; whatever is computed from one is a plain value.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from firesteel.expr.deep import remembered
from firesteel.expr.nodes import Expr, InputRef
from firesteel.plan.logical import Aggregate, Filter, Project, Union, WatermarkAssigner, WindowTableFunction
from firesteel.plan.physical import Exchange, Expand
from firesteel.plan.physical_windows import WindowAggregate
from firesteel.plan.tree import Node
from firesteel.plan.windows import Window
from firesteel.types.sql import SqlType

Positions = frozenset[int]


@dataclass(frozen=True)
class WindowProperties:
    """The columns that are window_start, window_end and window_time of these windows."""

    starts: Positions
    ends: Positions
    times: Positions
    window: Window
    time_type: SqlType
    is_rowtime: bool

    @property
    def columns(self) -> Positions:
        return self.starts | self.ends | self.times

    def grouped(self, keys: Sequence[int]) -> bool:
        """Whether these keys hold both borders, so that groups are (parts of) windows."""
        return bool(self.starts & set(keys)) and bool(self.ends & set(keys))


@remembered
def window_properties(node: Node) -> WindowProperties | None:
    """The windows of a logical node's rows; None where they are in none, or no longer known by columns."""
    if isinstance(node, WindowTableFunction):
        return _of_columns(len(node.schema) - 3, node.window, node.schema[-1].type, node.is_rowtime)
    if isinstance(node, Project):
        below = window_properties(node.input)
        return None if below is None else _projected(below, node.exprs)
    if isinstance(node, Aggregate):
        return _aggregated(window_properties(node.input), node.keys)
    if isinstance(node, WindowAggregate):
        first = len(node.schema) - len(node.properties)
        windowing = node.windowing
        found = _of_columns(first, windowing.window, windowing.time_type, windowing.is_rowtime)
        return found if len(node.properties) > 2 else replace(found, times=frozenset())
    if isinstance(node, Union):
        return _united([window_properties(child) for child in node.inputs])
    if isinstance(node, Expand):
        return _expanded(window_properties(node.input), node)
    if isinstance(node, (Filter, WatermarkAssigner, Exchange)):
        return window_properties(node.input)
    return None


def _of_columns(first: int, window: Window, time_type: SqlType, is_rowtime: bool) -> WindowProperties:
    start, end, time = (frozenset({first + i}) for i in range(3))
    return WindowProperties(start, end, time, window, time_type, is_rowtime)


def _projected(below: WindowProperties, exprs: Sequence[Expr]) -> WindowProperties | None:
    places: dict[int, list[int]] = {}
    for i, expr in enumerate(exprs):
        if isinstance(expr, InputRef):
            places.setdefault(expr.index, []).append(i)
    if not places or any(key not in places for key in below.window.partition):
        return None
    window = below.window.moved({column: found[0] for column, found in places.items()})
    starts, ends, times = (
        frozenset(i for column in columns for i in places.get(column, []))
        for columns in (below.starts, below.ends, below.times)
    )
    return WindowProperties(starts, ends, times, window, below.time_type, below.is_rowtime)


def _aggregated(below: WindowProperties | None, keys: Sequence[int]) -> WindowProperties | None:
    if below is None or not below.grouped(keys):
        return None
    starts, ends, times = (
        frozenset(i for i, key in enumerate(keys) if key in columns)
        for columns in (below.starts, below.ends, below.times)
    )
    return replace(below, starts=starts, ends=ends, times=times)


def _united(inputs: Sequence[WindowProperties | None]) -> WindowProperties | None:
    known = [found for found in inputs if found is not None]
    first = known[0] if known else None
    if first is None or len(known) < len(inputs):
        return None
    if any((p.window, p.is_rowtime) != (first.window, first.is_rowtime) for p in known):
        return None
    starts, ends, times = (
        frozenset.intersection(*sets)
        for sets in ([p.starts for p in known], [p.ends for p in known], [p.times for p in known])
    )
    return replace(first, starts=starts, ends=ends, times=times)


def _expanded(below: WindowProperties | None, node: Expand) -> WindowProperties | None:
    if below is None:
        return None

    def kept(columns: Positions) -> Positions:
        return frozenset(i for i in columns if all(isinstance(row[i], InputRef) for row in node.projects))

    return replace(below, starts=kept(below.starts), ends=kept(below.ends), times=kept(below.times))
