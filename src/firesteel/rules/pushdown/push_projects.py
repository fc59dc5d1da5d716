"""Push projections down through other nodes to the scans, which then read fewer columns.

    Project(a)  UNION ALL(x, y)   ->   UNION ALL(Project(a) x, Project(a) y)

Calcite: ProjectSetOpTransposeRule, ProjectFilterTransposeRule, ProjectRemoveRule; Flink:
ProjectWatermarkAssignerTransposeRule, PushProjectIntoTableSourceScanRule. The columns of a scan have the
order in which the projection first reads them. With a filter between, they have the table's order.
"""

from __future__ import annotations

from dataclasses import replace

from firesteel.functions.expression.nodes import Call, Expr, InputRef, Literal
from firesteel.functions.expression.recursion import from_below
from firesteel.plan.expressions.operations import (
    cast_to,
    identity,
    input_refs,
    is_identity,
    renumber,
    substitute,
)
from firesteel.plan.metadata import unique_keys
from firesteel.plan.nodes.correlate.logical import Correlate
from firesteel.plan.nodes.join.join_type import JoinType, equal_columns
from firesteel.plan.nodes.join.logical import Join
from firesteel.plan.nodes.logical import (
    Aggregate,
    Filter,
    Project,
    Scan,
    Union,
    WatermarkAssigner,
    scanned_columns,
)
from firesteel.plan.nodes.temporal.logical import Snapshot
from firesteel.plan.nodes.window.logical import GroupWindowAggregate, WindowTableFunction
from firesteel.plan.simplify import simplify_value
from firesteel.plan.tree import Node
from firesteel.plan.windowing import WINDOW_COLUMNS
from firesteel.rules.correlate.drop_renaming import drop_renaming
from firesteel.rules.normalize.group_window_projects import pick
from firesteel.rules.normalize.merge_projects import merge_projects
from firesteel.types.sql import INT


@from_below
def push_projects(node: Node) -> Node:
    """Return the tree with its projections pushed down."""
    if isinstance(node, Project):
        merged = merge_projects(node)
        assert isinstance(merged, Project)
        return _push(merged)
    if isinstance(node, Filter):
        return _push(Project(node, identity(f.type for f in node.schema), tuple(f.name for f in node.schema)))
    if isinstance(node, Aggregate) and not node.keys and not _reads(node) and len(node.input.schema) > 1:
        return replace(node, input=_constant(node.input))
    return node.with_children(tuple(push_projects(child) for child in node.children))


def _reads(aggregate: Aggregate) -> bool:
    return any(call.args or call.filter is not None for call in aggregate.calls)


def _constant(node: Node) -> Node:
    """Return one constant column, for a node that needs no columns but counts rows.

    Calcite: RelFieldTrimmer.dummyProject.
    """
    return push_projects(Project(node, (Literal(0, INT.with_nullable(False)),), ("$f0",)))


def _push(node: Project) -> Node:
    below = node.input
    if isinstance(below, Union) and not is_identity(node.exprs, len(below.schema)):
        return Union(tuple(_push_into(child, node) for child in below.inputs))
    if isinstance(below, Filter):
        wanted = sorted({i for e in (*node.exprs, below.condition) for i in input_refs(e)})
        read = {e.index for e in node.exprs if isinstance(e, InputRef)}
        picks = len(read) == len(node.exprs) == len(wanted)
        narrowed, position = _narrow(below.input, wanted, picks)
        narrowed = drop_renaming(narrowed)
        if isinstance(narrowed, (Correlate, GroupWindowAggregate)):
            narrowed, position = pick(narrowed, wanted)
        filtered = Filter(narrowed, renumber(below.condition, position))
        if is_identity(node.exprs, len(below.schema)) and narrowed is below.input:
            return filtered
        return _over(node, filtered, position)
    wanted = list(dict.fromkeys(i for e in node.exprs for i in input_refs(e)))
    narrowed, position = _narrow(below, wanted, all(isinstance(e, InputRef) for e in node.exprs))
    return _over(node, narrowed, position)


def _push_into(child: Node, node: Project) -> Node:
    """Return the projection over one input of a union.

    Its columns may be NOT NULL where the union's are not.
    """
    below = _uncoerced(child)
    columns = identity(f.type for f in below.schema)
    exprs = tuple(substitute(e, columns) for e in node.exprs)
    merged = merge_projects(replace(node, input=below, exprs=exprs))
    assert isinstance(merged, Project)
    fitting = zip(merged.exprs, node.exprs, strict=True)
    return _push(replace(merged, exprs=tuple(simplify_value(cast_to(e, old.type)) for e, old in fitting)))


def _uncoerced(node: Node) -> Node:
    """Return an input of a union without the casts that only make its columns nullable."""
    if not isinstance(node, Project):
        return node
    return replace(node, exprs=tuple(_without_null_cast(e) for e in node.exprs))


def _without_null_cast(expr: Expr) -> Expr:
    if not isinstance(expr, Call) or expr.function != "CAST" or expr.options:
        return expr
    (operand,) = expr.args
    return operand if operand.type.with_nullable(True) == expr.type else expr


def _over(node: Project, below: Node, position: dict[int, int]) -> Node:
    """Return the projection over the narrowed input. A projection that changes only names is dropped."""
    exprs = tuple(renumber(e, position) for e in node.exprs)
    if is_identity(exprs, len(below.schema)):
        return below
    return Project(below, exprs, node.names)


def _narrow(node: Node, wanted: list[int], picks: bool = False) -> tuple[Node, dict[int, int]]:
    """Return the node with only the wanted columns, and their new positions.

    Args:
        node: The node.
        wanted: Columns that the node above needs.
        picks: Whether the node above is a projection that only picks these columns.
    """
    if isinstance(node, Scan):
        return _narrow_scan(node, wanted)
    if isinstance(node, WatermarkAssigner):
        return _narrow_watermark(node, wanted, picks)
    if isinstance(node, WindowTableFunction):
        return _narrow_window(node, wanted)
    if isinstance(node, Join):
        return _narrow_join(node, wanted)
    if isinstance(node, Snapshot):
        return _narrow_snapshot(node, wanted)
    return push_projects(node), {i: i for i in range(len(node.schema))}


def _narrow_scan(scan: Scan, wanted: list[int]) -> tuple[Node, dict[int, int]]:
    """Return the scan with only the wanted columns, and their new positions.

    The scan also reads the columns of its pushed condition, and, if changes are normalized, the key.
    """
    key = scan.primary_key if scan.normalized else ()
    asked = (i for e in scan.filter for i in input_refs(e))
    columns = list(dict.fromkeys([*wanted, *key, *asked])) or [0]
    physical = sum(column.metadata is None for column in scanned_columns(scan.table))
    columns.sort(key=lambda i: max(i - physical, -1))  # metadata last, in the source's order
    if len(columns) == len(scan.schema) or not _takes_projection(scan):
        return scan, {i: i for i in range(len(scan.schema))}
    position = {old: new for new, old in enumerate(columns)}
    pushed = tuple(renumber(e, position) for e in scan.filter)
    return replace(scan, project=tuple(columns), filter=pushed), position


def _takes_projection(node: Node) -> bool:
    """Return whether a node is a scan that may read fewer columns."""
    traits = node.table.traits if isinstance(node, Scan) else None
    return traits is None or traits.pushes_projection


def _narrow_watermark(node: WatermarkAssigner, wanted: list[int], picks: bool) -> tuple[Node, dict[int, int]]:
    needed = list(dict.fromkeys([*wanted, node.rowtime, *input_refs(node.expression)]))
    spares_projection = picks and len(needed) == len(wanted)
    spares = _takes_projection(node.input) and (spares_projection or _spares_work(node, needed))
    if len(needed) == len(node.schema) or not spares:
        return push_projects(node), {i: i for i in range(len(node.schema))}
    columns = tuple(identity(f.type for f in node.schema)[i] for i in needed)
    names = tuple(node.schema[i].name for i in needed)
    below = push_projects(Project(node.input, columns, names))
    position = {old: new for new, old in enumerate(needed)}
    assigner = WatermarkAssigner(below, position[node.rowtime], renumber(node.expression, position))
    return assigner, position


def _narrow_window(node: WindowTableFunction, wanted: list[int]) -> tuple[Node, dict[int, int]]:
    """Return the window function with fewer columns of its input. Its own columns stay."""
    width = len(node.input.schema)
    needed = sorted({*(i for i in wanted if i < width), node.time, *node.window.partition})
    if not _spares_work(node.input, needed):
        needed = list(range(width))
    columns = tuple(identity(f.type for f in node.input.schema)[i] for i in needed)
    names = tuple(node.input.schema[i].name for i in needed)
    below = push_projects(Project(node.input, columns, names))
    position = {old: new for new, old in enumerate(needed)}
    moved = replace(node, input=below, window=node.window.moved(position), time=position[node.time])
    return moved, position | {width + i: len(needed) + i for i in range(len(WINDOW_COLUMNS))}


def _narrow_snapshot(node: Snapshot, wanted: list[int]) -> tuple[Node, dict[int, int]]:
    """Return the Snapshot with fewer columns (Flink: ProjectSnapshotTransposeRule)."""
    columns = sorted(wanted)
    narrowed = replace(node, input=_picked(node.input, columns))
    return narrowed, {old: new for new, old in enumerate(columns)}


def _narrow_join(node: Join, wanted: list[int]) -> tuple[Node, dict[int, int]]:
    """Return the join with fewer columns, at least one of each input (Calcite: PushProjector)."""
    width = node.left_width
    kept = _needed_side(node, wanted)
    if kept is not None:
        offset = 0 if kept == 0 else width
        narrowed, position = _narrow(node.inputs[kept], [i - offset for i in wanted], False)
        return narrowed, {offset + old: new for old, new in position.items()}
    read = {*wanted, *input_refs(node.condition)}
    left = sorted(i for i in read if i < width) or [0]
    right = sorted(i - width for i in read if i >= width) or [0]
    inputs = (_picked(node.inputs[0], left), _picked(node.inputs[1], right))
    position = {old: new for new, old in enumerate(left)}
    position |= {width + old: len(left) + new for new, old in enumerate(right)}
    names = tuple(node.names[i] for i in sorted(position)) if node.names else ()
    return replace(node, inputs=inputs, condition=renumber(node.condition, position), names=names), position


def _needed_side(node: Join, wanted: list[int]) -> int | None:
    """Return the side of an outer join that gives the same rows without the other side, or None.

    Each row must have one partner at most, whose columns are not read (Calcite: ProjectJoinRemoveRule).
    """
    equal = equal_columns(node.condition, node.left_width)
    if equal.rest or node.join_type not in (JoinType.LEFT, JoinType.RIGHT):
        return None
    kept = 0 if node.join_type is JoinType.LEFT else 1
    columns = equal.right if kept == 0 else equal.left
    is_read = any((i < node.left_width) != (kept == 0) for i in wanted)
    if isinstance(node.inputs[1 - kept], Snapshot):
        return None  # Flink does not know its keys
    is_unique = any(key <= set(columns) for key in unique_keys(node.inputs[1 - kept]))
    return None if is_read or not is_unique else kept


def _picked(node: Node, columns: list[int]) -> Node:
    """Return a projection to these columns of an input."""
    if len(columns) == len(node.schema):
        return push_projects(node)
    exprs = identity(f.type for f in node.schema)
    return push_projects(
        Project(node, tuple(exprs[i] for i in columns), tuple(node.schema[i].name for i in columns))
    )


def _spares_work(below: Node, needed: list[int]) -> bool:
    """Return whether fewer columns would be read or computed for these columns alone.

    Below a watermark, a column that another expression reads anyway does not count.
    """
    assigner = below.input if isinstance(below, Project) and _hands_all_on(below) else below
    if not isinstance(assigner, WatermarkAssigner) or not isinstance(assigner.input, Project):
        return True
    exprs, narrows = assigner.input.exprs, _takes_projection(assigner.input.input)
    kept = {*needed, assigner.rowtime, *input_refs(assigner.expression)}
    read = {i for k in kept for i in input_refs(exprs[k])}
    return any(
        not isinstance(e, InputRef) or (narrows and e.index not in read)
        for i, e in enumerate(exprs)
        if i not in kept
    )


def _hands_all_on(project: Project) -> bool:
    return is_identity(project.exprs, len(project.input.schema))
