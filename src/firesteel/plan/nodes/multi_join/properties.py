"""Properties of MultiJoin. Most are those of the chain of two-input joins that it stands for."""

from __future__ import annotations

from firesteel.plan.nodes.join.two_inputs import contain_key, joined_keys, upsert_keys_in_task
from firesteel.plan.nodes.multi_join.physical import MultiJoin
from firesteel.plan.properties.changelog_modes import (
    EVERYTHING,
    Kinds,
    UpdateKind,
    kinds_sent,
    kinds_taken,
    sends_updates,
    updates_or_none,
    updates_wanted,
)
from firesteel.plan.properties.keys import Keys, unique_keys, upsert_keys
from firesteel.plan.properties.mini_batch import NOTHING_ASKED, interval_asked
from firesteel.plan.properties.time_attributes import NO_TIMES, Positions, time_attributes, values_read
from firesteel.plan.properties.value_ranges import Monotonicity, Range, monotonicity, value_range

kinds_taken.always(EVERYTHING, MultiJoin)
interval_asked.always(NOTHING_ASKED, MultiJoin)
time_attributes.always(NO_TIMES, MultiJoin)


@unique_keys.of(MultiJoin)
def _unique_keys(node: MultiJoin) -> Keys:
    """Return no keys: Flink's metadata has no unique keys for this node."""
    return frozenset()


@upsert_keys.of(MultiJoin)
def _upsert_keys(node: MultiJoin) -> Keys:
    """Return the upsert keys, joined from those of the inputs one after the other.

    Each join compares the key columns of the first input, `keys[0]`, with those of the next input. If
    `keys[0]` contains an upsert key of the result so far, a row of the next input has at most one partner.
    Flink: FlinkRelMdUpsertKeys.getUpsertKeys.
    """
    first, *others = node.inputs
    keys, width = upsert_keys(first), len(first.schema)
    for join_type, side, columns in zip(node.join_types, others, node.keys[1:], strict=True):
        right = upsert_keys(side)
        one_partner = contain_key(columns, right), contain_key(node.keys[0], keys)
        keys = joined_keys(join_type, width, keys, right, one_partner)
        width += len(side.schema)
    return keys


@kinds_sent.of(MultiJoin)
def _kinds(node: MultiJoin) -> Kinds:
    return kinds_sent(node.joins())


@updates_wanted.of(MultiJoin)
def _updates(node: MultiJoin, wish: UpdateKind) -> tuple[UpdateKind, ...] | None:
    if wish is not UpdateKind.ONLY_AFTER:
        return tuple(updates_or_none(side, UpdateKind.BEFORE_AND_AFTER) for side in node.inputs)
    for side, key in zip(node.inputs, node.keys, strict=True):
        if sends_updates(side) and not any(set(key) <= each for each in upsert_keys_in_task(side)):
            return None
    return tuple(updates_or_none(side, UpdateKind.ONLY_AFTER) for side in node.inputs)


@values_read.of(MultiJoin)
def _read(node: MultiJoin) -> tuple[Positions, ...]:
    """Return the columns of each input whose values the join reads: all, because its state has whole rows.

    So the planner converts time attributes of the inputs to plain timestamps below the join.
    """
    return tuple(frozenset(range(len(side.schema))) for side in node.inputs)


@monotonicity.of(MultiJoin)
def _moves(node: MultiJoin) -> Monotonicity:
    return monotonicity(node.joins())


@value_range.of(MultiJoin)
def _range(node: MultiJoin, column: int) -> Range:
    return value_range(node.joins(), column)
