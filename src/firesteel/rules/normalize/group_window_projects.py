"""Merge projections around an aggregate by a group window.

Flink: FlinkAggregateProjectMergeRule, and ProjectFilterTransposeRule above the aggregate. A projection that
only computes PROCTIME() is dropped, too: Flink's planner finds the plan without this projection cheaper.
"""

from __future__ import annotations

from dataclasses import replace

from firesteel.functions.expression.nodes import Call, InputRef
from firesteel.plan.expressions.operations import identity, substitute
from firesteel.plan.metadata import projection_place
from firesteel.plan.nodes.logical import Aggregate, Filter, Project, Scan, WatermarkAssigner
from firesteel.plan.nodes.window.logical import GroupWindowAggregate
from firesteel.plan.properties.column_pruning import ProjectionPlace
from firesteel.plan.tree import Node
from firesteel.rules.normalize.filtered_projects import in_input_order


def merge_group_window_project(node: GroupWindowAggregate) -> Node:
    """Drop the projection below a group window aggregate if the aggregate does not need it.

    It does not if the projection only reorders columns, outputs the row time a second time, or computes only
    PROCTIME() besides columns.
    """
    project = node.input
    if not isinstance(project, Project):
        return node
    found = in_input_order(project)
    if found is not None:
        return _sorted(node, found[0], found[1])
    columns = {i: e.index for i, e in enumerate(project.exprs) if isinstance(e, InputRef)}
    missing = [e for i, e in enumerate(project.exprs) if i not in columns]
    reorders = not missing and sorted(columns.values()) == list(range(len(project.input.schema)))
    if reorders and not (
        isinstance(project.input, Filter) and isinstance(project.input.input, WatermarkAssigner)
    ):
        return _sorted(node, project.input, columns)
    read = [i for i in columns if i != node.time]
    clock = len(missing) == 1 and isinstance(missing[0], Call) and missing[0].function == "PROCTIME"
    is_read_twice = (
        node.is_rowtime
        and not missing
        and node.time is not None
        and columns[node.time] in {columns[i] for i in read}
    )
    if (clock and node.time not in columns) or is_read_twice:
        return _moved(node, project.input, columns, None)
    return node


def _sorted(node: GroupWindowAggregate, below: Node, position: dict[int, int]) -> Node:
    """Return the aggregate over `below`, with its keys in the order of the table's columns.

    A projection above restores the order of the keys. If the order differs and `below` is not a whole table,
    the aggregate is returned unchanged.
    """
    time = None if node.time is None else position[node.time]
    keys = tuple(sorted(node.keys, key=position.__getitem__))
    if keys == node.keys:
        return _moved(node, below, position, time)
    if not reads_whole_table(below):
        return node
    return restored(node, _moved(replace(node, keys=keys), below, position, time))


def reads_whole_table(node: Node) -> bool:
    """Return whether the columns are those of a whole table, without a projection that could reorder them."""
    while isinstance(node, WatermarkAssigner):
        node = node.input
    return isinstance(node, Scan)


def restored(node: Aggregate | GroupWindowAggregate, ordered: Aggregate | GroupWindowAggregate) -> Project:
    """Return a projection with the column order of `node` over the same aggregate with sorted keys."""
    columns = identity(f.type for f in ordered.schema)
    places = sorted(range(len(node.keys)), key=lambda i: _place(node, i))
    exprs = [columns[places.index(i)] for i in range(len(node.keys))]
    return Project(ordered, (*exprs, *columns[len(node.keys) :]), tuple(f.name for f in node.schema))


def _place(node: Aggregate | GroupWindowAggregate, key: int) -> int:
    """Return the position of a key's column below a projection that only picks columns."""
    assert isinstance(node.input, Project)
    expr = node.input.exprs[node.keys[key]]
    assert isinstance(expr, InputRef)
    return expr.index


def _moved(
    node: GroupWindowAggregate, below: Node, position: dict[int, int], time: int | None
) -> GroupWindowAggregate:
    outputs = node.schema[len(node.keys) :]
    calls = tuple(
        replace(
            call,
            name=field.name,
            args=tuple(position[i] for i in call.args),
            filter=None if call.filter is None else position[call.filter],
        )
        for call, field in zip(node.calls, outputs, strict=False)
    )
    return replace(node, input=below, keys=tuple(position[k] for k in node.keys), calls=calls, time=time)


def filter_before_picking(node: Node) -> Node:
    """Move a filter below the projection under it, so that both become one Calc.

    It applies above nodes with ProjectionPlace.BELOW_FILTERS, where push_projects puts such projections.
    """
    if not isinstance(node, Filter) or not isinstance(node.input, Project):
        return node
    project = node.input
    if projection_place(project.input) is not ProjectionPlace.BELOW_FILTERS:
        return node
    return replace(project, input=Filter(project.input, substitute(node.condition, project.exprs)))
