"""Properties of window joins. A row that is sent is final."""

from __future__ import annotations

from collections.abc import Iterable

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

kinds_sent.always(INSERTS, WindowJoin)
kinds_taken.always(INSERTS, WindowJoin)
interval_asked.always(BY_EVENT_TIME, WindowJoin)
values_read.always((NOTHING_READ, NOTHING_READ), WindowJoin)


# --- keys ----------------------------------------------------------------------------------------
@unique_keys.of(WindowJoin)
def _unique_keys(node: WindowJoin) -> Keys:
    left, right = map(unique_keys, node.inputs)
    return _keys(node, left, right)


@upsert_keys.of(WindowJoin)
def _upsert_keys(node: WindowJoin) -> Keys:
    left, right = map(upsert_keys, node.inputs)
    return _keys(node, left, right)


def _keys(node: WindowJoin, left: Keys, right: Keys) -> Keys:
    """Return the pairs of a left and a right key.

    If rows of a side have one partner at most, its keys count too.
    """
    if not node.join_type.has_right_columns:
        return left
    equal = node.equal_columns
    width = len(node.inputs[0].schema)
    moved = frozenset(frozenset(width + i for i in key) for key in right)
    found = {one | other for one in left for other in moved}
    if _holds_key(right, equal.right) and not node.join_type.pads_left:
        found |= left
    if _holds_key(left, equal.left) and not node.join_type.pads_right:
        found |= moved
    return frozenset(found)


def _holds_key(keys: Keys, columns: Iterable[int]) -> bool:
    return any(key <= set(columns) for key in keys)


# --- changes -------------------------------------------------------------------------------------
@updates_wanted.of(WindowJoin)
def _updates(node: WindowJoin, wish: UpdateKind) -> tuple[UpdateKind, ...]:
    return UpdateKind.NONE, UpdateKind.NONE


# --- times ---------------------------------------------------------------------------------------
@time_attributes.of(WindowJoin)
def _times(node: WindowJoin) -> TimeAttributes:
    left, right = map(time_attributes, node.inputs)
    if not node.join_type.has_right_columns:
        return left
    width = len(node.inputs[0].schema)

    def both(positions: Positions, rowtime: bool) -> Iterable[int]:
        return (*positions, *(width + i for i in right.of_kind(rowtime)))

    return left.mapped(both)


# --- values --------------------------------------------------------------------------------------
@monotonicity.of(WindowJoin)
def _moves(node: WindowJoin) -> Monotonicity:
    return all_columns(CONSTANT, len(node.schema))


@value_range.of(WindowJoin)
def _range(node: WindowJoin, column: int) -> Range:
    left, right = node.inputs
    width = len(left.schema)
    return value_range(left, column) if column < width else value_range(right, column - width)
