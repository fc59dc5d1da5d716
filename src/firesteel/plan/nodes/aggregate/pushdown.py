"""Column pruning and filter push-down of aggregates without windows.

Calcite: FilterAggregateTransposeRule.
"""

from __future__ import annotations

from firesteel.functions.expression.nodes import Expr
from firesteel.plan.nodes.logical import Aggregate
from firesteel.plan.properties.column_pruning import (
    Need,
    ProjectionPlace,
    Pruned,
    column_pruning,
    projection_place,
    unpruned,
    with_inputs,
)
from firesteel.plan.properties.filter_pushdown import Pushed, filter_pushdown, terms_over_columns

projection_place.always(ProjectionPlace.ABOVE, Aggregate)


@column_pruning.of(Aggregate)
def _counted(node: Aggregate, wanted: tuple[int, ...], picked: int) -> Pruned:
    """Return the columns that an aggregate needs of its input, and how it is rebuilt over the pruned input.

    It needs no columns if it has no keys and only counts rows (`SELECT COUNT(*)`). Otherwise it needs all:
    the projection below an aggregate computes only columns that the aggregate reads.

    Args:
        node: The aggregate. It keeps all its own columns.
        wanted: Positions of the aggregate's columns that are read above. Not used.
        picked: Number of columns of a projection above that only picks columns, else 0. Not used.
    """
    reads = any(call.args or call.filter is not None for call in node.calls)
    if node.keys or reads:
        return unpruned(node)
    return Pruned((Need(node.input, ()),), lambda inputs, _: with_inputs(node, inputs))


@filter_pushdown.of(Aggregate)
def _on_keys(node: Aggregate, condition: Expr | None) -> Pushed | None:
    """Return the push-down of a condition to an aggregate's input, None if no part of it can move.

    A term of the condition moves if the only columns that it reads are keys, and each of these keys is in all
    grouping sets. The other terms stay above the aggregate. Without keys, no term moves.

    Args:
        node: The aggregate.
        condition: Condition of the filter above the aggregate, None for no filter.
    """
    keys = {i: key for i, key in enumerate(node.keys) if node.in_all_groups(key)}
    return terms_over_columns(node, condition, keys) if node.keys else None
