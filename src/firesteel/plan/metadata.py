"""All properties of plan nodes, and the modules that register the answers of the node classes.

The properties are defined in plan/properties/. Each folder of plan/nodes/ has one family of nodes: its
properties.py answers what is known of a node, its pushdown.py what can move through the node.
"""

from firesteel.plan.nodes.aggregate import properties as aggregates
from firesteel.plan.nodes.aggregate import pushdown as aggregate_pushdown
from firesteel.plan.nodes.calc import properties as calc
from firesteel.plan.nodes.calc import pushdown as calc_pushdown
from firesteel.plan.nodes.calc.properties import has_type_of_row_time
from firesteel.plan.nodes.correlate import properties as correlates
from firesteel.plan.nodes.correlate import pushdown as correlate_pushdown
from firesteel.plan.nodes.exchange import properties as passing
from firesteel.plan.nodes.exchange import pushdown as exchange_pushdown
from firesteel.plan.nodes.interval_join import properties as interval_joins
from firesteel.plan.nodes.join import properties as joins
from firesteel.plan.nodes.join import pushdown as join_pushdown
from firesteel.plan.nodes.lookup_join import properties as lookups
from firesteel.plan.nodes.multi_join import properties as multi_joins
from firesteel.plan.nodes.over import properties as over
from firesteel.plan.nodes.over import pushdown as over_pushdown
from firesteel.plan.nodes.rank import properties as ranks
from firesteel.plan.nodes.rank import pushdown as rank_pushdown
from firesteel.plan.nodes.scan import properties as tables
from firesteel.plan.nodes.scan import pushdown as scan_pushdown
from firesteel.plan.nodes.set_op import properties as unions
from firesteel.plan.nodes.set_op import pushdown as set_op_pushdown
from firesteel.plan.nodes.temporal import properties as temporal
from firesteel.plan.nodes.temporal import pushdown as temporal_pushdown
from firesteel.plan.nodes.window import properties as windows
from firesteel.plan.nodes.window import pushdown as window_pushdown
from firesteel.plan.nodes.window_join import properties as window_joins
from firesteel.plan.nodes.window_rank import properties as window_ranks
from firesteel.plan.properties.changelog_modes import kinds_sent, kinds_taken, updates_wanted
from firesteel.plan.properties.column_pruning import column_pruning, projection_place
from firesteel.plan.properties.filter_pushdown import filter_pushdown
from firesteel.plan.properties.keys import unique_keys, upsert_keys
from firesteel.plan.properties.mini_batch import interval_asked
from firesteel.plan.properties.time_attributes import (
    event_times,
    processing_times,
    time_attributes,
    values_read,
)
from firesteel.plan.properties.value_ranges import monotonicity, value_range
from firesteel.plan.properties.window_properties import window_properties, windows_of_all_rows

__all__ = [
    "column_pruning",
    "event_times",
    "filter_pushdown",
    "has_type_of_row_time",
    "interval_asked",
    "kinds_sent",
    "kinds_taken",
    "monotonicity",
    "processing_times",
    "projection_place",
    "time_attributes",
    "unique_keys",
    "updates_wanted",
    "upsert_keys",
    "value_range",
    "values_read",
    "window_properties",
    "windows_of_all_rows",
]

FAMILIES = (
    aggregates,
    calc,
    correlates,
    interval_joins,
    joins,
    lookups,
    over,
    passing,
    ranks,
    tables,
    temporal,
    unions,
    windows,
    multi_joins,
    window_joins,
    window_ranks,
)
"""Modules that register keys, changes, times and values of nodes, one for each family of nodes."""
PUSHDOWNS = (
    aggregate_pushdown,
    calc_pushdown,
    correlate_pushdown,
    exchange_pushdown,
    join_pushdown,
    over_pushdown,
    rank_pushdown,
    scan_pushdown,
    set_op_pushdown,
    temporal_pushdown,
    window_pushdown,
)
"""Modules that register what columns and filters can move through a node."""
PROPERTIES = (
    *(upsert_keys, unique_keys, kinds_sent, kinds_taken, updates_wanted),
    *(monotonicity, value_range, time_attributes, values_read, window_properties, interval_asked),
    *(column_pruning, projection_place, filter_pushdown),
)
"""All properties that plan nodes have."""
