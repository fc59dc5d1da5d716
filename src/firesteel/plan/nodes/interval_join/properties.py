"""Properties of interval joins."""

from __future__ import annotations

from firesteel.plan.nodes.interval_join.physical import IntervalJoin
from firesteel.plan.nodes.join.two_inputs import (
    has_keys_of_inputs,
    has_ranges_of_inputs,
    has_times_of_inputs,
)
from firesteel.plan.properties.changelog_modes import (
    INSERTS,
    UpdateKind,
    kinds_sent,
    kinds_taken,
    updates_or_none,
    updates_wanted,
)
from firesteel.plan.properties.mini_batch import BY_EVENT_TIME, NOTHING_ASKED, Interval, interval_asked
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

kinds_sent.always(INSERTS, IntervalJoin)
kinds_taken.always(INSERTS, IntervalJoin)
values_read.always((NOTHING_READ, NOTHING_READ), IntervalJoin)
has_keys_of_inputs(IntervalJoin)
has_times_of_inputs(IntervalJoin)  # The join delays watermarks, so no joined row is late by either time.
has_ranges_of_inputs(IntervalJoin)


@updates_wanted.of(IntervalJoin)
def _updates(node: IntervalJoin, wish: UpdateKind) -> tuple[UpdateKind, ...]:
    return tuple(updates_or_none(side, UpdateKind.BEFORE_AND_AFTER) for side in node.inputs)


@interval_asked.of(IntervalJoin)
def _interval(node: IntervalJoin) -> Interval:
    """Return the mini-batch interval that a join requires of its inputs.

    A join by row time requires BY_EVENT_TIME: mini-batches below it end with watermarks. A join by processing
    time requires nothing.
    """
    return BY_EVENT_TIME if node.bounds.is_rowtime else NOTHING_ASKED


@monotonicity.of(IntervalJoin)
def _moves(node: IntervalJoin) -> Monotonicity:
    """Return CONSTANT for each output column: a joined row never changes after it was sent."""
    return all_columns(CONSTANT, len(node.schema))
