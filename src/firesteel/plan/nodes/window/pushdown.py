"""Column pruning and filter push-down of window table functions and of window aggregates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from firesteel.functions.expression.nodes import Expr
from firesteel.plan.nodes.exchange.pushdown import spares_work
from firesteel.plan.nodes.window.logical import GroupWindowAggregate, WindowAggregate, WindowTableFunction
from firesteel.plan.properties.column_pruning import (
    Need,
    Positions,
    ProjectionPlace,
    Pruned,
    column_pruning,
    keeps_all_columns,
    projection_place,
)
from firesteel.plan.properties.filter_pushdown import (
    Pushed,
    filter_pushdown,
    lets_no_filter_pass,
    terms_over_columns,
)
from firesteel.plan.tree import Node
from firesteel.plan.windowing import WINDOW_COLUMNS

keeps_all_columns(WindowAggregate, GroupWindowAggregate)
projection_place.always(ProjectionPlace.ABOVE, WindowTableFunction, WindowAggregate)
projection_place.always(ProjectionPlace.BELOW_FILTERS, GroupWindowAggregate)
lets_no_filter_pass(WindowTableFunction, WindowAggregate)


@column_pruning.of(WindowTableFunction)
def _pruned(node: WindowTableFunction, wanted: tuple[int, ...], picked: int) -> Pruned:
    """Return the columns that a window function needs of its input: wanted ones, time and partition columns.

    It needs all columns if leaving out the others saves no work below the node (`spares_work`). The output
    always has window_start, window_end and window_time.
    """
    width = len(node.input.schema)
    needed = tuple(sorted({*(i for i in wanted if i < width), node.time, *node.window.partition}))
    if not spares_work(node.input, needed):
        needed = tuple(range(width))

    def over(inputs: Sequence[Node], positions: Sequence[Positions]) -> tuple[Node, Positions]:
        (below,), (position,) = inputs, positions
        moved = replace(node, input=below, window=node.window.moved(position), time=position[node.time])
        return moved, position | {width + i: len(needed) + i for i in range(len(WINDOW_COLUMNS))}

    return Pruned((Need(node.input, needed),), over)


@filter_pushdown.of(GroupWindowAggregate)
def _on_keys(node: GroupWindowAggregate, condition: Expr | None) -> Pushed | None:
    """Return the push-down of the terms that read only keys of the aggregate."""
    return terms_over_columns(node, condition, dict(enumerate(node.keys))) if node.keys else None
