"""Column pruning and filter push-down of joins (Calcite: PushProjector, ProjectJoinRemoveRule)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from firesteel.functions.expression.nodes import Expr
from firesteel.plan.expressions.operations import input_refs, renumber
from firesteel.plan.nodes.join.filter_terms import JoinTerms
from firesteel.plan.nodes.join.join_type import JoinType, equal_columns
from firesteel.plan.nodes.join.logical import Join
from firesteel.plan.nodes.join.temporal_condition import is_temporal
from firesteel.plan.properties.column_pruning import (
    Need,
    Positions,
    ProjectionPlace,
    Pruned,
    column_pruning,
    projection_place,
)
from firesteel.plan.properties.filter_pushdown import Pushed, filter_pushdown
from firesteel.plan.properties.keys import unique_keys
from firesteel.plan.tree import Node

projection_place.always(ProjectionPlace.ABOVE, Join)


@column_pruning.of(Join)
def _pruned(node: Join, wanted: tuple[int, ...], picked: int) -> Pruned:
    """Return the columns that a join needs of its inputs: the wanted ones, and those of its condition.

    It needs at least one column of each input. If `needed_side` finds that one input of an outer join has the
    same rows as the join, this input replaces the join, and the other one is dropped.
    """
    kept = needed_side(node, wanted)
    if kept is not None:
        return _without_join(node, wanted, kept)
    width = node.left_width
    read = {*wanted, *input_refs(node.condition)}
    if not wanted and not node.join_type.has_right_columns:
        read.add(0)  # Flink: ProjectSemiAntiJoinTransposeRule
    left = tuple(sorted(i for i in read if i < width)) or (0,)
    right = tuple(sorted(i - width for i in read if i >= width)) or (0,)

    def over(inputs: Sequence[Node], positions: Sequence[Positions]) -> tuple[Node, Positions]:
        position = dict(positions[0])
        position |= {width + old: len(left) + new for old, new in positions[1].items()}
        names = tuple(node.names[i] for i in sorted(position)) if node.names else ()
        condition = renumber(node.condition, position)
        return replace(node, inputs=(inputs[0], inputs[1]), condition=condition, names=names), position

    return Pruned((Need(node.inputs[0], left), Need(node.inputs[1], right)), over)


def _without_join(node: Join, wanted: tuple[int, ...], kept: int) -> Pruned:
    """Return the columns needed for a join that is replaced by one of its inputs.

    Args:
        node: The join.
        wanted: Positions of the join's columns that are read above.
        kept: The input that replaces the join, 0 or 1.
    """
    offset = node.left_width if kept else 0
    below = column_pruning(node.inputs[kept], tuple(i - offset for i in wanted), 0)

    def over(inputs: Sequence[Node], positions: Sequence[Positions]) -> tuple[Node, Positions]:
        narrowed, position = below.over(inputs, positions)
        return narrowed, {offset + old: new for old, new in position.items()}

    return Pruned(below.needs, over)


def needed_side(node: Join, wanted: tuple[int, ...]) -> int | None:
    """Return the input (0 or 1) of an outer join that alone gives the same rows as the join, or None.

    Each row of this input must have at most one partner, and no column of the partner may be read (Calcite:
    ProjectJoinRemoveRule).
    """
    if node.becomes_multi_join:
        return None
    equal = equal_columns(node.condition, node.left_width)
    if equal.rest or node.join_type not in (JoinType.LEFT, JoinType.RIGHT):
        return None
    kept = 0 if node.join_type is JoinType.LEFT else 1
    columns = equal.right if kept == 0 else equal.left
    is_read = any((i < node.left_width) != (kept == 0) for i in wanted)
    is_unique = any(key <= set(columns) for key in unique_keys(node.inputs[1 - kept]))
    return None if is_read or not is_unique else kept


@filter_pushdown.of(Join)
def _to_inputs(node: Join, condition: Expr | None) -> Pushed | None:
    """Return the push-down of the terms of a join, and of a condition above it, to both inputs.

    None for a temporal join. If a filter dropped a version, the version before it would seem to be valid for
    longer.
    """
    return None if is_temporal(node) else JoinTerms.of(node, condition).pushed()
