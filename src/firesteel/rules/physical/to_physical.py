"""Convert logical nodes to physical ones. A projection and a filter together become one Calc.

    Project(a)  Filter(a > 1)  Scan   ->   Calc(select=[a], where=[a > 1])  TableSourceScan

Flink: FlinkCalcMergeRule and the StreamPhysical...Rule converters. An operator that needs its rows by key
gets an Exchange below.
"""

from __future__ import annotations

from dataclasses import replace

from firesteel.errors import InternalError, NotSupportedError, ValidationError
from firesteel.functions.expression.nodes import Call, Expr
from firesteel.functions.expression.recursion import from_below
from firesteel.plan.expressions.operations import identity, walk
from firesteel.plan.expressions.sub_query import CORRELATED
from firesteel.plan.metadata import event_times, processing_times
from firesteel.plan.nodes import logical, physical
from firesteel.plan.nodes.correlate import logical as logical_correlate
from firesteel.plan.nodes.correlate.physical import Correlate
from firesteel.plan.nodes.join import logical as logical_join
from firesteel.plan.nodes.join import physical as physical_join
from firesteel.plan.nodes.join.equal_windows import joined_windows
from firesteel.plan.nodes.join.join_type import JoinType, equal_columns
from firesteel.plan.nodes.join.temporal_condition import is_temporal
from firesteel.plan.nodes.over import logical as logical_over
from firesteel.plan.nodes.over import physical as physical_over
from firesteel.plan.nodes.rank import logical as logical_rank
from firesteel.plan.nodes.rank import physical as physical_rank
from firesteel.plan.nodes.temporal.logical import Snapshot
from firesteel.plan.nodes.window import logical as logical_windows
from firesteel.plan.nodes.window import physical as physical_windows
from firesteel.plan.tree import Node
from firesteel.plan.windowing import Windowing
from firesteel.rules.join.interval_join import interval_join
from firesteel.rules.physical.window_joins import window_join
from firesteel.rules.physical.window_ranks import ranked_windows, window_rank
from firesteel.rules.temporal.to_lookup_join import is_lookup, to_lookup_join
from firesteel.rules.temporal.to_temporal_join import to_temporal_join


@from_below
def to_physical(node: Node) -> Node:
    """Return the tree of physical nodes."""
    if isinstance(node, logical.Scan):
        return _scan(node)
    if isinstance(node, logical.Project):
        return _calc(node)
    if isinstance(node, logical.Filter):
        names = tuple(f.name for f in node.schema)
        exprs = identity(f.type for f in node.schema)
        return physical.Calc(to_physical(node.input), exprs, names, node.condition)
    if isinstance(node, logical.Aggregate):
        exchange = physical.Exchange(to_physical(node.input), node.keys)
        outputs = node.schema[len(node.keys) :]
        calls = tuple(replace(c, name=f.name) for c, f in zip(node.calls, outputs, strict=True))
        return physical.GroupAggregate(
            exchange, node.keys, calls, partial_final=node.partial_final, state_ttl=node.state_ttl
        )
    if isinstance(node, logical.Union):
        return physical.Union(tuple(to_physical(child) for child in node.inputs))
    if is_lookup(node):
        return to_lookup_join(node, to_physical)
    if isinstance(node, logical_join.Join):
        return to_temporal_join(node, to_physical) if is_temporal(node) else _join(node)
    if isinstance(node, Snapshot) and not node.lookup:  # a lookup join reads the Snapshot itself
        return to_physical(node.input)
    if isinstance(node, logical_correlate.Correlate):
        return _correlate(node)
    if isinstance(node, logical_correlate.TableFunctionScan):
        no_columns = physical.Values((), ((),))
        return Correlate(no_columns, node.call, node.fields, JoinType.INNER)
    if isinstance(node, logical.Values):
        return physical.Values(node.fields, node.rows, node.event_times, node.processing_times)
    if isinstance(node, logical.WatermarkAssigner):
        return physical.WatermarkAssigner(to_physical(node.input), node.rowtime, node.expression)
    if isinstance(node, logical_windows.WindowTableFunction):
        return _window_function(node)
    if isinstance(node, logical_windows.WindowAggregate):
        return _window_aggregate(node)
    if isinstance(node, logical_windows.GroupWindowAggregate):
        return _group_window_aggregate(node)
    if isinstance(node, logical.Sink):
        below = to_physical(node.input)
        return physical.Sink(below, node.table, target_columns=node.target_columns, conflict=node.conflict)
    if isinstance(node, logical_over.OverAggregate):
        return _over_aggregate(node)
    if isinstance(node, logical_rank.Rank):
        return _rank(node)
    if isinstance(node, logical_over.Sort):
        return _sort(node)
    if isinstance(node, logical.Expand):
        return physical.Expand(to_physical(node.input), node.projects)
    raise InternalError(f"no physical form of {type(node).__name__}")


def _window_function(node: logical_windows.WindowTableFunction) -> Node:
    below = to_physical(node.input)
    if node.window.function == "SESSION":
        below = physical.Exchange(below, node.window.partition)
    time_type = node.schema[-1].type
    return physical_windows.WindowTableFunction(
        below, Windowing(node.window, (("time_col", node.time),), time_type, node.is_rowtime)
    )


def _scan(node: logical.Scan) -> Node:
    scan = physical.TableSourceScan(node.table, node.project, node.filter, node.limit)
    if not node.normalized:
        return scan
    return physical.ChangelogNormalize(physical.Exchange(scan, node.primary_key), node.primary_key)


def _join(node: logical_join.Join) -> Node:
    left, right = map(to_physical, node.inputs)
    windows = None if node.becomes_multi_join else joined_windows(node)
    if windows is not None:
        return window_join(node, windows, (left, right))
    by_time = interval_join(node, left, right)
    if by_time is not None:
        return by_time
    equal = equal_columns(node.condition, node.left_width)
    exchanges = physical.Exchange(left, equal.left), physical.Exchange(right, equal.right)
    return physical_join.Join(exchanges, node.join_type, node.condition, hints=node.hints, names=node.names)


def _correlate(node: logical_correlate.Correlate) -> Node:
    """Return the physical Correlate. Its right input is a call, possibly below a filter.

    Flink: StreamPhysicalCorrelateRule.
    """
    left, right = node.inputs
    condition = right.condition if isinstance(right, logical.Filter) else None
    scan = right.input if isinstance(right, logical.Filter) else right
    if not isinstance(scan, logical_correlate.TableFunctionScan):
        raise NotSupportedError(
            "LATERAL of a query that does not read a table function row by row is not supported yet"
        )
    if condition is not None and any(_is_outer(part) for part in walk(condition)):
        raise NotSupportedError(
            "A condition on a table function that reads columns of another table is not supported in LATERAL",
            hint="put it into the WHERE of the query around it",
        )
    return Correlate(to_physical(left), scan.call, scan.fields, node.join_type, condition)


def _is_outer(part: Expr) -> bool:
    return isinstance(part, Call) and part.function == CORRELATED


def _window_aggregate(node: logical_windows.WindowAggregate) -> Node:
    below = physical.Exchange(to_physical(node.input), node.keys)
    return physical_windows.WindowAggregate(
        below, node.keys, node.calls, node.windowing, node.properties, outputs=node.outputs
    )


def _group_window_aggregate(node: logical_windows.GroupWindowAggregate) -> Node:
    return physical_windows.GroupWindowAggregate(
        physical.Exchange(to_physical(node.input), node.keys),
        node.keys,
        node.calls,
        node.window,
        node.time,
        node.time_name,
        node.time_type,
        node.is_rowtime,
        node.properties,
    )


def _over_aggregate(node: logical_over.OverAggregate) -> Node:
    below = physical.Exchange(to_physical(node.input), node.window.partition)
    time = _time(below, node.window.order)
    return physical_over.OverAggregate(below, node.window, node.calls, node.constants, time)


def _time(node: Node, order: tuple[int, ...]) -> str:
    """Return the kind of the first sort column: rowtime, proctime or none."""
    if order and order[0] in event_times(node):
        return "rowtime"
    return "proctime" if order and order[0] in processing_times(node) else "none"


def _rank(node: logical_rank.Rank) -> Node:
    windows = ranked_windows(node)
    if windows is not None:
        return window_rank(node, windows, to_physical(node.input))
    below = physical.Exchange(to_physical(node.input), node.partition)
    return physical_rank.Rank(below, node.partition, node.order, node.directions, node.ranks, node.number)


def _sort(node: logical_over.Sort) -> Node:
    """Return the physical node of a sort (Flink: StreamPhysicalTemporalSortRule, StreamExecSort).

    Raises:
        ValidationError: There is no limit, and the first sort column is no time attribute or is descending.
    """
    below = physical.Exchange(to_physical(node.input), ())
    if node.fetch is not None and not node.keys:
        return physical_rank.Limit(below, node.offset, node.fetch)
    if node.fetch is not None:
        return physical_rank.SortLimit(below, node.keys, node.directions, node.offset, node.fetch)
    time = _time(below, node.keys)
    if time == "none" or node.directions[0].descending:
        raise ValidationError("Sort on a non-time-attribute field is not supported.")
    return physical_over.TemporalSort(below, node.keys, node.directions, time == "rowtime")


def _calc(node: logical.Project) -> Node:
    if isinstance(node.input, logical.Filter):
        below = to_physical(node.input.input)
        return physical.Calc(below, node.exprs, node.names, node.input.condition)
    return physical.Calc(to_physical(node.input), node.exprs, node.names)
