"""Which columns of a node carry event time or processing time, before and after planning.

Flink: the time indicator types *ROWTIME* and *PROCTIME*. A projection hands them on; what is computed
from them is a plain timestamp.
"""

from __future__ import annotations

from collections.abc import Callable

from firesteel.expr.deep import remembered
from firesteel.expr.nodes import Call, Expr, InputRef
from firesteel.plan import logical, physical, physical_windows
from firesteel.plan.tree import Node
from firesteel.plan.windows import AUXILIARIES

Positions = frozenset[int]
NONE: Positions = frozenset()


@remembered
def event_times(node: Node) -> Positions:
    """The columns that carry event time."""
    if isinstance(node, (physical.WatermarkAssigner, logical.WatermarkAssigner)):
        return event_times(node.input) | {node.rowtime}
    return _attributes(node, event_times, rowtime=True)


@remembered
def processing_times(node: Node) -> Positions:
    """The columns that carry processing time."""
    return _attributes(node, processing_times, rowtime=False)


def _attributes(node: Node, below: Callable[[Node], Positions], rowtime: bool) -> Positions:
    if isinstance(node, (physical.Calc, logical.Project)):
        times = below(node.input)
        return frozenset(i for i, e in enumerate(node.exprs) if is_time(e, times, rowtime))
    if isinstance(node, (physical.Union, logical.Union)):
        return frozenset.intersection(*map(below, node.inputs))
    if isinstance(node, logical.Aggregate):
        times = below(node.input)
        return frozenset(i for i, key in enumerate(node.keys) if key in times)
    if isinstance(node, logical.WindowTableFunction):
        return below(node.input) | _last(node, node.is_rowtime is rowtime)
    if isinstance(node, physical_windows.WindowTableFunction):
        return below(node.input) | _last(node, node.windowing.is_rowtime is rowtime)
    if isinstance(node, (physical_windows.WindowAggregate, physical_windows.GlobalWindowAggregate)):
        return _of_window_aggregate(node, rowtime)
    if isinstance(node, physical_windows.GroupWindowAggregate):
        name = "w$rowtime" if rowtime else "w$proctime"
        return frozenset(i for i, f in enumerate(node.schema) if f.name == name)
    if isinstance(node, physical.GroupAggregate) or not node.children:
        return NONE
    return below(node.children[0])


def _last(node: Node, wanted: bool) -> Positions:
    """window_time, the last column of a window function."""
    return frozenset({len(node.schema) - 1}) if wanted else NONE


def _of_window_aggregate(
    node: physical_windows.WindowAggregate | physical_windows.GlobalWindowAggregate, rowtime: bool
) -> Positions:
    if node.windowing.is_rowtime is not rowtime or "window_time" not in node.properties:
        return NONE
    first = len(node.schema) - len(node.properties)
    return frozenset({first + node.properties.index("window_time")})


def is_time(expr: Expr, times: Positions, rowtime: bool) -> bool:
    """Whether an expression over an input with these time attributes is one: of event time if rowtime, else
    of processing time."""
    if isinstance(expr, InputRef):
        return expr.index in times
    if not isinstance(expr, Call):
        return False
    if expr.function == "CAST" and expr.options:
        return expr.options == ("ROWTIME" if rowtime else "PROCTIME",)
    if expr.function in AUXILIARIES:
        return expr.function.endswith("_ROWTIME" if rowtime else "_PROCTIME")
    return not rowtime and expr.function == "PROCTIME"
