"""Properties of ranks and limits."""

from __future__ import annotations

from firesteel.plan.nodes.physical import Exchange
from firesteel.plan.nodes.rank import logical, physical
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
from firesteel.plan.properties.keys import Keys, key_of, unique_keys, upsert_keys
from firesteel.plan.properties.mini_batch import BY_EVENT_TIME, NOTHING_ASKED, Interval, interval_asked
from firesteel.plan.properties.time_attributes import NOTHING_READ, time_attributes, values_read
from firesteel.plan.properties.value_ranges import (
    CONSTANT,
    UNBOUNDED,
    Monotonicity,
    Range,
    all_columns,
    is_append,
    monotonicity,
    value_range,
)
from firesteel.plan.properties.window_properties import (
    WindowProperties,
    window_properties,
    windows_of_all_rows,
)
from firesteel.plan.tree import Node

_RANKS = (logical.Rank, physical.Rank)
_LIMITS = (physical.SortLimit, physical.Limit)
_Rank = logical.Rank | physical.Rank
_Ordered = physical.Rank | physical.SortLimit

kinds_taken.always(EVERYTHING, physical.Rank, *_LIMITS)
kinds_sent.always(EVERYTHING, physical.SortLimit)
interval_asked.always(NOTHING_ASKED, *_LIMITS)
time_attributes.of_input(*_RANKS, *_LIMITS)
values_read.always((NOTHING_READ,), physical.Rank, *_LIMITS)
unique_keys.of_input(*_LIMITS)
upsert_keys.of_input(physical.Limit)
value_range.of_input(*_LIMITS)


# --- keys ----------------------------------------------------------------------------------------
@unique_keys.of(*_RANKS)
def _unique_keys(node: _Rank) -> Keys:
    return _keys(node, unique_keys(node.input))


@upsert_keys.of(*_RANKS)
def _upsert_keys(node: _Rank) -> Keys:
    below = node.input.input if isinstance(node.input, Exchange) else node.input
    partition = set(node.partition)
    return _keys(node, frozenset(key for key in upsert_keys(below) if partition <= key))


@upsert_keys.of(physical.SortLimit)
def _sorted_upsert_keys(node: physical.SortLimit) -> Keys:
    """Return the keys of the input that contain the columns of ORDER BY (Flink: FlinkRelMdUpsertKeys)."""
    return frozenset(key for key in upsert_keys(node.input) if set(node.order) <= key)


def _keys(node: _Rank, below: Keys) -> Keys:
    """Return the keys of a rank from those of its input (Flink: FlinkRelMdUniqueKeys.getRankUniqueKeys).

    A deduplication has the partition as its only key. Any other rank has the keys of its input, the partition
    if only the first row is kept, and the partition with the rank if the rank is a column.

    Args:
        node: The rank.
        below: Keys of the input.
    """
    if isinstance(node, physical.Rank) and node.is_deduplicate:
        return key_of(*node.partition)
    found = below
    if node.ranks.is_first:
        found |= key_of(*node.partition)
    if node.number is not None:
        found |= key_of(*node.partition, len(node.input.schema))
    return found


@window_properties.of(logical.Rank)
def _windows(node: logical.Rank) -> WindowProperties | None:
    """Return the windows of the input if the rank is partitioned by window_start and window_end, or None."""
    windows = windows_of_all_rows(node.input)
    return windows if windows is not None and windows.grouped(node.partition) else None


@interval_asked.of(physical.Rank)
def _interval(node: physical.Rank) -> Interval:
    """Return the mini-batch interval that a rank requires of its input.

    A deduplication by row time requires BY_EVENT_TIME: mini-batches below it end with watermarks. Other ranks
    require nothing.
    """
    return BY_EVENT_TIME if node.is_deduplicate and node.time == "rowtime" else NOTHING_ASKED


# --- changes -------------------------------------------------------------------------------------
@kinds_sent.of(physical.Rank)
def _kinds(node: physical.Rank) -> Kinds:
    """Return the kinds of changes sent: only inserts if the sent row of a partition never changes, else all.

    Flink: RankUtil.outputInsertOnlyInDeduplicate.
    """
    return INSERTS if node.is_deduplicate and node.insert_only else EVERYTHING


@kinds_sent.of(physical.Limit)
def _limited_kinds(node: physical.Limit) -> Kinds:
    return EVERYTHING if kinds_sent(node.input) - INSERTS else INSERTS


@updates_wanted.of(physical.Rank, physical.SortLimit)
def _updates(node: _Ordered, wish: UpdateKind) -> tuple[UpdateKind, ...]:
    kind = UpdateKind.ONLY_AFTER if node.strategy == physical.UPDATE else UpdateKind.BEFORE_AND_AFTER
    return (updates_or_none(node.input, kind),)


@updates_wanted.of(physical.Limit)
def _limited_updates(node: physical.Limit, wish: UpdateKind) -> tuple[UpdateKind, ...]:
    return (updates_or_none(node.input, UpdateKind.BEFORE_AND_AFTER),)


# --- values --------------------------------------------------------------------------------------
@monotonicity.of(physical.Rank, *_LIMITS)
def _moves(node: Node) -> Monotonicity:
    """Return CONSTANT for each column if input and output are append-only, else None for unknown.

    CONSTANT means that no row ever changes.
    """
    if kinds_sent(node) != INSERTS or not is_append(monotonicity(node.children[0])):
        return None
    return all_columns(CONSTANT, len(node.schema))


@value_range.of(physical.Rank)
def _range(node: physical.Rank, column: int) -> Range:
    return value_range(node.input, column) if column < len(node.input.schema) else UNBOUNDED
