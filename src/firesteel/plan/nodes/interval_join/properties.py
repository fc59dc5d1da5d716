"""Properties of interval joins."""

from __future__ import annotations

from collections.abc import Iterable

from firesteel.plan.nodes.interval_join.physical import IntervalJoin
from firesteel.plan.nodes.join.properties import join_keys, upsert_keys_in_task
from firesteel.plan.properties.changelog_modes import (
    INSERTS,
    UpdateKind,
    kinds_sent,
    kinds_taken,
    updates_or_none,
    updates_wanted,
)
from firesteel.plan.properties.keys import Keys, unique_keys, upsert_keys
from firesteel.plan.properties.mini_batch import BY_EVENT_TIME, NOTHING_ASKED, Interval, interval_asked
from firesteel.plan.properties.time_attributes import (
    NOTHING_READ,
    Positions,
    TimeAttributes,
    time_attributes,
    values_read,
)
from firesteel.plan.properties.value_ranges import (
    CONSTANT,
    Monotonicity,
    Range,
    all_columns,
    monotonicity,
    value_range,
)

kinds_sent.always(INSERTS, IntervalJoin)
kinds_taken.always(INSERTS, IntervalJoin)
values_read.always((NOTHING_READ, NOTHING_READ), IntervalJoin)


@unique_keys.of(IntervalJoin)
def _unique_keys(node: IntervalJoin) -> Keys:
    left, right = map(unique_keys, node.inputs)
    return join_keys(node.inputs, node.join_type, node.equal_columns, left, right)


@upsert_keys.of(IntervalJoin)
def _upsert_keys(node: IntervalJoin) -> Keys:
    """Return the upsert keys.

    Only keys of an input that contain its equal columns count, as in a regular join.
    """
    equal = node.equal_columns
    left, right = (
        frozenset(key for key in upsert_keys_in_task(side) if set(columns) <= key)
        for side, columns in zip(node.inputs, (equal.left, equal.right), strict=True)
    )
    return join_keys(node.inputs, node.join_type, equal, left, right)


@updates_wanted.of(IntervalJoin)
def _updates(node: IntervalJoin, wish: UpdateKind) -> tuple[UpdateKind, ...]:
    return tuple(updates_or_none(side, UpdateKind.BEFORE_AND_AFTER) for side in node.inputs)


@interval_asked.of(IntervalJoin)
def _interval(node: IntervalJoin) -> Interval:
    """Return the mini-batch interval: below a join by row time, bundles end with watermarks."""
    return BY_EVENT_TIME if node.bounds.is_rowtime else NOTHING_ASKED


@time_attributes.of(IntervalJoin)
def _times(node: IntervalJoin) -> TimeAttributes:
    """Return the time attributes of both inputs. They stay valid, because the join delays watermarks."""
    left, right = map(time_attributes, node.inputs)
    width = len(node.inputs[0].schema)

    def both(positions: Positions, rowtime: bool) -> Iterable[int]:
        return (*positions, *(width + i for i in right.of_kind(rowtime)))

    return left.mapped(both)


@monotonicity.of(IntervalJoin)
def _moves(node: IntervalJoin) -> Monotonicity:
    """Return the monotonicity: all columns constant, because a sent row never changes."""
    return all_columns(CONSTANT, len(node.schema))


@value_range.of(IntervalJoin)
def _range(node: IntervalJoin, column: int) -> Range:
    left, right = node.inputs
    width = len(left.schema)
    return value_range(left, column) if column < width else value_range(right, column - width)
