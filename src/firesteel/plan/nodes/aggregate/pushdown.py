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
    """Return the columns that an aggregate needs of its input: all, or none if it only counts rows.

    The projection below an aggregate already has just the columns that are read.
    """
    reads = any(call.args or call.filter is not None for call in node.calls)
    if node.keys or reads:
        return unpruned(node)
    return Pruned((Need(node.input, ()),), lambda inputs, _: with_inputs(node, inputs))


@filter_pushdown.of(Aggregate)
def _on_keys(node: Aggregate, condition: Expr | None) -> Pushed | None:
    """Return the push-down of the terms that read only keys which all grouping sets have."""
    keys = {i: key for i, key in enumerate(node.keys) if node.in_all_groups(key)}
    return terms_over_columns(node, condition, keys) if node.keys else None
