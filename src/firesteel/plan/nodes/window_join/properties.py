"""Properties of window joins. A row that is sent is final."""

from __future__ import annotations

from firesteel.plan.nodes.join.two_inputs import combined_keys, has_ranges_of_inputs, has_times_of_inputs
from firesteel.plan.nodes.window_join.physical import WindowJoin
from firesteel.plan.properties.changelog_modes import (
    INSERTS,
    UpdateKind,
    kinds_sent,
    kinds_taken,
    updates_wanted,
)
from firesteel.plan.properties.keys import Keys, unique_keys, upsert_keys
from firesteel.plan.properties.mini_batch import BY_EVENT_TIME, interval_asked
from firesteel.plan.properties.time_attributes import (
    NOTHING_READ,
    values_read,
)
from firesteel.plan.properties.value_ranges import (
    CONSTANT,
    Monotonicity,
    all_columns,
    monotonicity,
)

kinds_sent.always(INSERTS, WindowJoin)
kinds_taken.always(INSERTS, WindowJoin)
interval_asked.always(BY_EVENT_TIME, WindowJoin)
values_read.always((NOTHING_READ, NOTHING_READ), WindowJoin)
has_times_of_inputs(WindowJoin)
has_ranges_of_inputs(WindowJoin)


# --- keys ----------------------------------------------------------------------------------------
@unique_keys.of(WindowJoin)
def _unique_keys(node: WindowJoin) -> Keys:
    left, right = map(unique_keys, node.inputs)
    return combined_keys(node, left, right, (left, right))


@upsert_keys.of(WindowJoin)
def _upsert_keys(node: WindowJoin) -> Keys:
    left, right = map(upsert_keys, node.inputs)
    return combined_keys(node, left, right, (left, right))


# --- changes -------------------------------------------------------------------------------------
@updates_wanted.of(WindowJoin)
def _updates(node: WindowJoin, wish: UpdateKind) -> tuple[UpdateKind, ...]:
    return UpdateKind.NONE, UpdateKind.NONE


# --- values --------------------------------------------------------------------------------------
@monotonicity.of(WindowJoin)
def _moves(node: WindowJoin) -> Monotonicity:
    return all_columns(CONSTANT, len(node.schema))
