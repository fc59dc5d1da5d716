"""Properties of OVER aggregates and sorts by time."""

from __future__ import annotations

from firesteel.plan.nodes.over import logical as logical_over
from firesteel.plan.nodes.over import physical as physical_over
from firesteel.plan.properties.changelog_modes import (
    EVERYTHING,
    INSERTS,
    Kinds,
    UpdateKind,
    kinds_sent,
    kinds_taken,
    updates_or_none,
    updates_wanted,
)
from firesteel.plan.properties.keys import Keys, unique_keys, upsert_keys
from firesteel.plan.properties.mini_batch import BY_EVENT_TIME, NOTHING_ASKED, Interval, interval_asked
from firesteel.plan.properties.time_attributes import NOTHING_READ, time_attributes, values_read
from firesteel.plan.properties.value_ranges import (
    CONSTANT,
    UNBOUNDED,
    Monotonicity,
    Range,
    all_columns,
    monotonicity,
    value_range,
)
from firesteel.plan.properties.window_properties import window_properties

_OVERS = (logical_over.OverAggregate, physical_over.OverAggregate)
_SORTS = (logical_over.Sort, physical_over.TemporalSort)
_PHYSICAL = (physical_over.OverAggregate, physical_over.TemporalSort)
_Physical = physical_over.OverAggregate | physical_over.TemporalSort

unique_keys.of_input(*_OVERS, *_SORTS)
upsert_keys.of_input(logical_over.OverAggregate, *_SORTS)
time_attributes.of_input(*_OVERS, *_SORTS)
values_read.always((NOTHING_READ,), *_PHYSICAL)
window_properties.always(None, logical_over.OverAggregate, logical_over.Sort)


@upsert_keys.of(physical_over.OverAggregate)
def _keys(node: physical_over.OverAggregate) -> Keys:
    """Return the upsert keys that contain all columns of PARTITION BY.

    Only then do all changes of a row go to the same task and keep their order.
    """
    return frozenset(key for key in upsert_keys(node.input) if set(node.window.partition) <= key)


@kinds_sent.of(physical_over.OverAggregate)
def _sent(node: physical_over.OverAggregate) -> Kinds:
    """Return the kinds of changes sent: inserts only if the rows are ordered by a time attribute, else all.

    A window ordered by another column may get a row in its middle later. This changes the results of other
    rows.
    """
    return EVERYTHING if node.time == "none" else INSERTS


@kinds_taken.of(physical_over.OverAggregate)
def _taken(node: physical_over.OverAggregate) -> Kinds:
    return EVERYTHING if node.time == "none" else INSERTS


kinds_sent.always(INSERTS, physical_over.TemporalSort)
kinds_taken.always(INSERTS, physical_over.TemporalSort)


@updates_wanted.of(*_PHYSICAL)
def _updates(node: _Physical, wish: UpdateKind) -> tuple[UpdateKind, ...]:
    return (updates_or_none(node.input, UpdateKind.BEFORE_AND_AFTER),)


@interval_asked.of(physical_over.OverAggregate)
def _interval(node: physical_over.OverAggregate) -> Interval:
    """Return the mini-batch interval that an OVER aggregate requires of its input.

    An aggregate ordered by row time requires BY_EVENT_TIME: mini-batches below it end with watermarks. One
    ordered by processing time, or by no time, requires nothing.
    """
    return BY_EVENT_TIME if node.time == "rowtime" else NOTHING_ASKED


interval_asked.always(NOTHING_ASKED, physical_over.TemporalSort)


@monotonicity.of(*_PHYSICAL)
def _moves(node: _Physical) -> Monotonicity:
    if "update" in kinds_sent(node):
        return None
    return all_columns(CONSTANT, len(node.schema))


value_range.of_input(physical_over.TemporalSort)


@value_range.of(physical_over.OverAggregate)
def _range(node: physical_over.OverAggregate, column: int) -> Range:
    return value_range(node.input, column) if column < len(node.input.schema) else UNBOUNDED
