"""Column pruning and filter push-down of ranks.

A filter stays above a rank: if it dropped rows below, the ranks of other rows would change. Column pruning
keeps all columns of a rank, because rules/rank/top_n.py turns OVER aggregates into ranks only afterwards.
top_n.py also removes the column with the rank number if nothing reads this column.
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
