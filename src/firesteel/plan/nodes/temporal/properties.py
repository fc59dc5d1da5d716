"""Properties of tables as of a point in time.

A Snapshot stands for the table as it was for one row of the left input. Its keys, its times and its windows
are those of the table: keys tell the rows of one point in time apart, and the row time of a version says
from when on it holds.

Joins with a Snapshot answer as other joins do.
"""

from __future__ import annotations

from firesteel.plan.nodes.temporal import logical
from firesteel.plan.properties.keys import unique_keys, upsert_keys
from firesteel.plan.properties.time_attributes import time_attributes
from firesteel.plan.properties.window_properties import window_properties

# --- tables as of a point in time ----------------------------------------------------------------
upsert_keys.of_input(logical.Snapshot)
unique_keys.of_input(logical.Snapshot)
time_attributes.of_input(logical.Snapshot)
window_properties.of_input(logical.Snapshot)
