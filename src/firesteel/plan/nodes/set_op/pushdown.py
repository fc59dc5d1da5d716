"""Column pruning and filter push-down of set operations and of Expand.

Calcite: ProjectSetOpTransposeRule, FilterSetOpTransposeRule. A projection passes through UNION ALL alone:
INTERSECT and EXCEPT compare whole rows. Nothing passes an Expand: some copies of a row have NULL in its keys.
"""

from __future__ import annotations

from firesteel.plan.nodes.logical import Expand, Union
from firesteel.plan.nodes.set_op.logical import Intersect, Minus
from firesteel.plan.properties.column_pruning import ProjectionPlace, keeps_all_columns, projection_place
from firesteel.plan.properties.filter_pushdown import lets_filters_pass, lets_no_filter_pass

_COMPARING = (Intersect, Minus)

keeps_all_columns(Union, *_COMPARING, Expand)
projection_place.always(ProjectionPlace.IN_INPUTS, Union)
projection_place.always(ProjectionPlace.ABOVE, *_COMPARING, Expand)
lets_filters_pass(Union, *_COMPARING)
lets_no_filter_pass(Expand)
