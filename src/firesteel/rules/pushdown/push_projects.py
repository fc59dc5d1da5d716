"""Push projections down through other nodes to the scans, which then read fewer columns.

    Project(a)  UNION ALL(x, y)   ->   UNION ALL(Project(a) x, Project(a) y)

Calcite: ProjectSetOpTransposeRule, ProjectFilterTransposeRule, ProjectRemoveRule; Flink:
PushProjectIntoTableSourceScanRule. Each node says which columns it needs: plan/properties/column_pruning.py.
The columns of a scan have the order in which the projection first reads them. With a filter between, they
have the table's order.
"""

from __future__ import annotations

from dataclasses import replace

from firesteel.functions.expression.nodes import Call, Expr, InputRef, Literal
from firesteel.functions.expression.recursion import from_below
from firesteel.plan.expressions.operations import cast_to, identity, is_identity, substitute
from firesteel.plan.metadata import column_pruning, projection_place
from firesteel.plan.nodes.logical import Project
from firesteel.plan.properties.column_pruning import (
    Need,
    Positions,
    ProjectionPlace,
    Surplus,
    positions_of,
    unmoved,
)
from firesteel.plan.simplify import simplify_value
from firesteel.plan.tree import Node
from firesteel.rules.correlate.drop_renaming import drop_renaming
from firesteel.rules.join.remove_join import remove_join
from firesteel.rules.normalize.merge_projects import merge_projects
from firesteel.types.sql import INT


@from_below
def push_projects(node: Node) -> Node:
    """Return the tree with its projections pushed down."""
    return _pruned(node, tuple(range(len(node.schema))))[0]


def _pruned(node: Node, wanted: tuple[int, ...], picked: int = 0) -> tuple[Node, Positions]:
    """Return a node whose inputs have lost columns that nobody reads.

    Args:
        node: The node.
        wanted: Positions of the columns that are read above, without duplicates.
        picked: Number of columns of the projection above if it only picks columns, 0 otherwise.

    Returns:
        The node with the wanted columns, and other columns that it cannot drop. Then the new position of each
        column that is left, by its old position.
    """
    if isinstance(node, Project):
        node = _merged(node)
        if _goes_to_inputs(node):
            return _in_inputs(node), unmoved(len(node.exprs))
    pruned = column_pruning(node, wanted, picked)
    inputs = [_input(need) for need in pruned.needs]
    return pruned.over([below for below, _ in inputs], [position for _, position in inputs])


def _merged(node: Project) -> Project:
    """Return the projection merged with the projections below it. Unneeded joins between them are removed."""
    merged = merge_projects(node)
    assert isinstance(merged, Project)
    removed = remove_join(merged)
    return merged if removed is merged else _merged(removed)


def _input(need: Need) -> tuple[Node, Positions]:
    """Return an input of a node, with the columns that the node needs (`need`), and perhaps other columns.

    Also return the new position of each column that is left, by its old position.
    """
    if need.surplus is Surplus.CUT:
        return _cut(need.node, need.columns), positions_of(need.columns)
    below, position = _pruned(need.node, need.columns, need.picked)
    if need.surplus is Surplus.CUT_BELOW_FILTER:
        below = drop_renaming(below)
        is_wide = len(need.columns) < len(below.schema)
        if is_wide and projection_place(below) is ProjectionPlace.BELOW_FILTERS:
            return _picked([position[i] for i in need.columns], below), positions_of(need.columns)
    return below, position


def _cut(node: Node, columns: tuple[int, ...]) -> Node:
    """Return a projection to these columns of an input, pushed down.

    If no column is needed, the projection has one constant: a plan cannot have rows without columns, and
    their number may matter (RelFieldTrimmer.dummyProject).
    """
    if len(columns) == len(node.schema) or (not columns and len(node.schema) < 2):
        return push_projects(node)
    if not columns:
        return push_projects(Project(node, (Literal(0, INT.with_nullable(False)),), ("$f0",)))
    return push_projects(_picked(columns, node))


def _picked(columns: list[int] | tuple[int, ...], node: Node) -> Project:
    """Return a projection that only picks these columns."""
    fields = [node.schema[i] for i in columns]
    exprs = tuple(InputRef(i, field.type) for i, field in zip(columns, fields, strict=True))
    return Project(node, exprs, tuple(field.name for field in fields))


def _goes_to_inputs(node: Project) -> bool:
    """Return whether a projection is to move below the node under it, such as a UNION ALL, to each input.

    False if the projection only renames columns.
    """
    below = node.input
    is_renaming = is_identity(node.exprs, len(below.schema))
    return not is_renaming and projection_place(below) is ProjectionPlace.IN_INPUTS


def _in_inputs(node: Project) -> Node:
    """Return the node below a projection, with the projection above each of its inputs."""
    return node.input.with_children(tuple(_pruned_above(child, node) for child in node.input.children))


def _pruned_above(child: Node, node: Project) -> Node:
    below = _uncoerced(child)
    columns = identity(f.type for f in below.schema)
    exprs = tuple(substitute(e, columns) for e in node.exprs)
    merged = merge_projects(replace(node, input=below, exprs=exprs))
    assert isinstance(merged, Project)
    fitting = zip(merged.exprs, node.exprs, strict=True)
    fitted = replace(merged, exprs=tuple(simplify_value(cast_to(e, old.type)) for e, old in fitting))
    return _pruned(fitted, tuple(range(len(fitted.exprs))))[0]


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
