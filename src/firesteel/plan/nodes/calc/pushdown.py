"""Column pruning and filter push-down of projections and filters.

Calcite: ProjectFilterTransposeRule, FilterProjectTransposeRule, FilterMergeRule.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from firesteel.functions.expression.nodes import Expr, InputRef
from firesteel.plan.expressions.determinism import varies_by_call
from firesteel.plan.expressions.operations import (
    conjunction,
    conjuncts,
    input_refs,
    is_identity,
    renumber,
    substitute,
)
from firesteel.plan.expressions.over import contains_over
from firesteel.plan.nodes.logical import Filter, Project
from firesteel.plan.properties.column_pruning import (
    Need,
    Positions,
    ProjectionPlace,
    Pruned,
    Surplus,
    column_pruning,
    projection_place,
    unmoved,
)
from firesteel.plan.properties.filter_pushdown import Pushed, filter_pushdown, to_all_inputs
from firesteel.plan.tree import Node

projection_place.always(ProjectionPlace.ABOVE, Project, Filter)


@column_pruning.of(Project)
def _read(node: Project, wanted: tuple[int, ...], picked: int) -> Pruned:
    """Return the columns that a projection needs of its input, and how it is rebuilt over the pruned input.

    It needs the columns that its expressions read. It keeps all its expressions, even those that no node
    above reads, so `wanted` is not used.

    Args:
        node: The projection.
        wanted: Positions of the projection's columns that are read above.
        picked: Number of columns of a projection above that only picks columns, else 0. Not used.
    """
    columns = tuple(dict.fromkeys(i for e in node.exprs for i in input_refs(e)))
    picks = all(isinstance(e, InputRef) for e in node.exprs)
    need = Need(node.input, columns, Surplus.KEPT, len(node.exprs) if picks else 0)

    def over(inputs: Sequence[Node], positions: Sequence[Positions]) -> tuple[Node, Positions]:
        return _projected(node, inputs[0], positions[0]), unmoved(len(node.exprs))

    return Pruned((need,), over)


def _projected(node: Project, below: Node, position: Positions) -> Node:
    """Return the projection over an input that has lost columns.

    If the projection would only rename columns, it is dropped, and `below` is returned.

    Args:
        node: The projection.
        below: The new input.
        position: New position of each column of the input that is left.
    """
    exprs = tuple(renumber(e, position) for e in node.exprs)
    return below if is_identity(exprs, len(below.schema)) else replace(node, input=below, exprs=exprs)


@column_pruning.of(Filter)
def _read_beside(node: Filter, wanted: tuple[int, ...], picked: int) -> Pruned:
    """Return the columns that a filter needs of its input: the wanted ones, and those of its condition.

    These columns keep the order of the input.
    """
    columns = tuple(sorted({*wanted, *input_refs(node.condition)}))
    only_picked = picked == len(wanted) == len(columns)
    need = Need(node.input, columns, Surplus.CUT_BELOW_FILTER, picked if only_picked else 0)

    def over(inputs: Sequence[Node], positions: Sequence[Positions]) -> tuple[Node, Positions]:
        return Filter(inputs[0], renumber(node.condition, positions[0])), positions[0]

    return Pruned((need,), over)


@filter_pushdown.of(Project)
def _pass_projection(node: Project, condition: Expr | None) -> Pushed | None:
    """Return the push-down of a whole condition to the input of a projection.

    In the pushed condition, each column of the projection is replaced by its expression:

        Filter(y > 5)  Project(x + 1 AS y)   ->   Project(x + 1 AS y)  Filter(x + 1 > 5)

    None, and the condition stays above, in three cases: there is no condition; the projection has an OVER
    window, whose result depends on other rows; or the condition reads a column with a call such as RAND(),
    which would then be evaluated twice, with different values.

    Args:
        node: The projection.
        condition: Condition of the filter above the projection, None for no filter.
    """
    if condition is None or any(map(contains_over, node.exprs)):
        return None
    if varies_by_call([node.exprs[i] for i in input_refs(condition)]):
        return None
    return to_all_inputs(node, substitute(condition, node.exprs))


@filter_pushdown.of(Filter)
def _merged(node: Filter, condition: Expr | None) -> Pushed | None:
    """Return the push-down of a condition into the filter below it. The lower filter's terms come first."""
    if condition is None:
        return None
    both = conjunction([*conjuncts(node.condition), *conjuncts(condition)])
    return Pushed((both,), None, lambda inputs: inputs[0])
