"""Facts about plan nodes. The files beside this one ask, those in nodes/ answer, a family of nodes each."""

from firesteel.plan.facts.bundles import interval_asked
from firesteel.plan.facts.changes import kinds_sent, kinds_taken, updates_wanted
from firesteel.plan.facts.keys import unique_keys, upsert_keys
from firesteel.plan.facts.nodes import aggregates, calc, over, passing, tables, unions, windows
from firesteel.plan.facts.nodes.calc import has_type_of_row_time
from firesteel.plan.facts.times import (
    event_times,
    processing_times,
    time_attributes,
    values_read,
)
from firesteel.plan.facts.values import monotonicity, value_range
from firesteel.plan.facts.window_properties import window_properties

__all__ = [
    "event_times",
    "has_type_of_row_time",
    "interval_asked",
    "kinds_sent",
    "kinds_taken",
    "monotonicity",
    "processing_times",
    "time_attributes",
    "unique_keys",
    "updates_wanted",
    "upsert_keys",
    "value_range",
    "values_read",
    "window_properties",
]

FAMILIES = (aggregates, calc, over, passing, tables, unions, windows)
"""The files that answer."""
FACTS = (
    *(upsert_keys, unique_keys, kinds_sent, kinds_taken, updates_wanted),
    *(monotonicity, value_range, time_attributes, values_read, window_properties, interval_asked),
)
"""All of them."""
