"""Column pruning and filter push-down of watermark assigners.

Flink: ProjectWatermarkAssignerTransposeRule. A filter stays above the watermark assigner, since the watermark
also follows the times of rows that the filter drops.
"""

from __future__ import annotations

from collections.abc import Sequence

from firesteel.functions.expression.nodes import InputRef
from firesteel.plan.expressions.operations import input_refs, is_identity, renumber
from firesteel.plan.nodes.logical import Project, WatermarkAssigner
from firesteel.plan.nodes.scan.pushdown import takes_projection
from firesteel.plan.properties.column_pruning import (
    Need,
    Positions,
    ProjectionPlace,
    Pruned,
    column_pruning,
    projection_place,
    unpruned,
)
from firesteel.plan.properties.filter_pushdown import lets_no_filter_pass
from firesteel.plan.tree import Node

projection_place.always(ProjectionPlace.ABOVE, WatermarkAssigner)
lets_no_filter_pass(WatermarkAssigner)


@column_pruning.of(WatermarkAssigner)
def _pruned(node: WatermarkAssigner, wanted: tuple[int, ...], picked: int) -> Pruned:
    """Return the columns that a watermark assigner needs of its input, and the node over the narrower input.

    It needs the wanted columns, its row time, and the columns that the watermark expression reads. The other
    columns are left out only if the input can leave out columns, and if one of two savings follows: there is
    less work below the node (`spares_work`), or the projection above has nothing left to do.

    Args:
        node: The watermark assigner.
        wanted: Positions of the columns that are read above.
        picked: Number of columns of the projection above if it only picks columns. 0 otherwise.
    """
    needed = tuple(dict.fromkeys([*wanted, node.rowtime, *input_refs(node.expression)]))
    spares_projection = picked > 0 and len(needed) == len(wanted)
    spares = takes_projection(node.input) and (spares_projection or spares_work(node, needed))
    if len(needed) == len(node.schema) or not spares:
        return unpruned(node)

    def over(inputs: Sequence[Node], positions: Sequence[Positions]) -> tuple[Node, Positions]:
        (below,), (position,) = inputs, positions
        expression = renumber(node.expression, position)
        return WatermarkAssigner(below, position[node.rowtime], expression), position

    return Pruned((Need(node.input, needed),), over)


def spares_work(below: Node, needed: Sequence[int]) -> bool:
    """Return whether pruning `below` to the needed columns saves computing an expression or reading a column.

    Below the watermark assigner, a projection computes its columns. Pruning saves work in two cases:
    - A column that is not needed is computed, and not only passed on.
    - A column that is not needed passes on an input column that no needed expression reads. This counts only
      if the node below the projection can leave out columns (`takes_projection`).

    Args:
        below: A WatermarkAssigner, or a projection of all its columns. For other nodes the answer is True.
        needed: Positions of the columns of `below` that are needed.
    """
    assigner = below.input if isinstance(below, Project) and _hands_all_on(below) else below
    if not isinstance(assigner, WatermarkAssigner) or not isinstance(assigner.input, Project):
        return True
    exprs, narrows = assigner.input.exprs, takes_projection(assigner.input.input)
    kept = {*needed, assigner.rowtime, *input_refs(assigner.expression)}
    read = {i for k in kept for i in input_refs(exprs[k])}
    return any(
        not isinstance(e, InputRef) or (narrows and e.index not in read)
        for i, e in enumerate(exprs)
        if i not in kept
    )


def _hands_all_on(project: Project) -> bool:
    return is_identity(project.exprs, len(project.input.schema))
