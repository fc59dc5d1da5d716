"""Column pruning and filter push-down of tables as of a point in time.

Flink: ProjectSnapshotTransposeRule. A filter moves below a Snapshot only if a lookup join reads it. A join
with versions needs all of them: without one, the version before it would seem to be valid for longer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from firesteel.functions.expression.nodes import Expr
from firesteel.plan.nodes.temporal.logical import Snapshot
from firesteel.plan.properties.column_pruning import (
    Need,
    Positions,
    ProjectionPlace,
    Pruned,
    column_pruning,
    projection_place,
)
from firesteel.plan.properties.filter_pushdown import Pushed, filter_pushdown, to_all_inputs
from firesteel.plan.tree import Node

projection_place.always(ProjectionPlace.ABOVE, Snapshot)


@column_pruning.of(Snapshot)
def _pruned(node: Snapshot, wanted: tuple[int, ...], picked: int) -> Pruned:
    def over(inputs: Sequence[Node], positions: Sequence[Positions]) -> tuple[Node, Positions]:
        return replace(node, input=inputs[0]), positions[0]

    return Pruned((Need(node.input, tuple(sorted(wanted))),), over)


@filter_pushdown.of(Snapshot)
def _looked_up(node: Snapshot, condition: Expr | None) -> Pushed | None:
    return to_all_inputs(node, condition) if node.lookup else None
