"""Column pruning and filter push-down of OVER aggregates and of sorts.

Filters stay above: without the rows that they drop, the windows of other rows would change, and so would the
rows of a LIMIT. All columns are kept, because the projection below an OVER aggregate has just the columns
that are read, and Flink has no rule that cuts columns below a sort.
"""

from __future__ import annotations

from firesteel.plan.nodes.over.logical import OverAggregate, Sort
from firesteel.plan.properties.column_pruning import (
    ProjectionPlace,
    keeps_all_columns,
    projection_place,
)
from firesteel.plan.properties.filter_pushdown import lets_no_filter_pass

keeps_all_columns(OverAggregate, Sort)
projection_place.always(ProjectionPlace.ABOVE, OverAggregate, Sort)
lets_no_filter_pass(OverAggregate, Sort)
