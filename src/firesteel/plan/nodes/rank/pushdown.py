"""Column pruning and filter push-down of ranks.

A filter stays above: without the rows that it drops, the ranks of other rows would change. All columns are
kept, because rules/rank/top_n.py makes ranks of OVER aggregates only after the columns are pruned. It cuts
the number of the rank itself, if nothing reads it.
"""

from __future__ import annotations

from firesteel.plan.nodes.rank.logical import Rank
from firesteel.plan.properties.column_pruning import (
    ProjectionPlace,
    keeps_all_columns,
    projection_place,
)
from firesteel.plan.properties.filter_pushdown import lets_no_filter_pass

keeps_all_columns(Rank)
projection_place.always(ProjectionPlace.ABOVE, Rank)
lets_no_filter_pass(Rank)
