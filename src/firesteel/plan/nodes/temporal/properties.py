"""Properties of Snapshots, and of temporal joins.

A Snapshot represents the table as of one left row. It has the upsert keys, times and windows of its table:
keys identify the rows of one point in time, and the row time of a version is the start of its validity.

A Snapshot has no unique keys, as in Flink (FlinkRelMdUniqueKeys). Rules that drop or move a join need unique
keys of its inputs, so they leave joins with a Snapshot.
"""

from __future__ import annotations

from firesteel.plan.nodes.join.two_inputs import (
    has_keys_of_inputs,
    has_ranges_of_inputs,
    has_times_of_inputs,
)
from firesteel.plan.nodes.temporal import logical, physical
from firesteel.plan.properties.changelog_modes import (
    EVERYTHING,
    Kinds,
    UpdateKind,
    kinds_sent,
    kinds_taken,
    updates_or_none,
    updates_wanted,
)
from firesteel.plan.properties.keys import NO_KEYS, unique_keys, upsert_keys
from firesteel.plan.properties.mini_batch import BY_EVENT_TIME, interval_asked
from firesteel.plan.properties.time_attributes import (
    NOTHING_READ,
    time_attributes,
    values_read,
)
from firesteel.plan.properties.value_ranges import (
    CONSTANT,
    Monotonicity,
    all_columns,
    is_append,
    monotonicity,
)
from firesteel.plan.properties.window_properties import window_properties

# --- tables as of a point in time ----------------------------------------------------------------
upsert_keys.of_input(logical.Snapshot)
unique_keys.always(NO_KEYS, logical.Snapshot)
time_attributes.of_input(logical.Snapshot)
window_properties.of_input(logical.Snapshot)

# --- joins ---------------------------------------------------------------------------------------
values_read.always((NOTHING_READ, NOTHING_READ), physical.TemporalJoin)
interval_asked.always(BY_EVENT_TIME, physical.TemporalJoin)
kinds_taken.always(EVERYTHING, physical.TemporalJoin)
has_keys_of_inputs(physical.TemporalJoin)
# A Calc above (rules/temporal/to_temporal_join.py) casts the right input's times to plain timestamps.
has_times_of_inputs(physical.TemporalJoin)
has_ranges_of_inputs(physical.TemporalJoin)


@kinds_sent.of(physical.TemporalJoin)
def _kinds(node: physical.TemporalJoin) -> Kinds:
    """Return the kinds of changes of the left input, which keep their kinds. Versions cause no changes."""
    return kinds_sent(node.inputs[0])


@updates_wanted.of(physical.TemporalJoin)
def _updates(node: physical.TemporalJoin, wish: UpdateKind) -> tuple[UpdateKind, ...]:
    """Return the form of updates required of the two inputs: rows, versions.

    The rows must have the form `wish`. The versions need no old rows: a version ends where the next one of
    its key begins.
    """
    rows, versions = node.inputs
    return updates_or_none(rows, wish), updates_or_none(versions, UpdateKind.ONLY_AFTER)


@monotonicity.of(physical.TemporalJoin)
def _moves(node: physical.TemporalJoin) -> Monotonicity:
    """Return CONSTANT for each column if both inputs are append-only, else None for unknown.

    CONSTANT means that no row ever changes. Flink: FlinkRelMdModifiedMonotonicity.getJoinMonotonicity.
    """
    if any(side is None or not is_append(side) for side in map(monotonicity, node.inputs)):
        return None
    return all_columns(CONSTANT, len(node.schema))
