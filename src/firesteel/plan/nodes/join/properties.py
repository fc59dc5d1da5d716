"""Properties of joins."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from firesteel.plan.nodes.join import logical, physical
from firesteel.plan.nodes.join.equal_windows import joined_windows
from firesteel.plan.nodes.join.join_type import EqualColumns, JoinType, equal_columns
from firesteel.plan.nodes.physical import Exchange
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
from firesteel.plan.properties.time_attributes import (
    NO_TIMES,
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
    is_append,
    monotonicity,
    value_range,
)
from firesteel.plan.properties.window_properties import WindowProperties, window_properties
from firesteel.plan.tree import Node

_Join = logical.Join | physical.Join
_JOINS = (logical.Join, physical.Join)

kinds_taken.always(EVERYTHING, physical.Join)
interval_asked.always(NOTHING_ASKED, physical.Join)
time_attributes.always(NO_TIMES, physical.Join)


# --- keys ----------------------------------------------------------------------------------------
@unique_keys.of(*_JOINS)
def _unique_keys(node: _Join) -> Keys:
    left, right = map(unique_keys, node.inputs)
    return join_keys(node.inputs, node.join_type, _equal(node), left, right)


@upsert_keys.of(*_JOINS)
def _upsert_keys(node: _Join) -> Keys:
    """Return the upsert keys. Keys of an input without its equal columns do not count.

    Changes of one row keep their order only if all of them take the same way (Flink:
    FlinkRelMdUpsertKeys.getJoinUpsertKeys).
    """
    equal = _equal(node)
    left, right = (
        frozenset(key for key in upsert_keys_in_task(side) if set(columns) <= key)
        for side, columns in zip(node.inputs, (equal.left, equal.right), strict=True)
    )
    return join_keys(node.inputs, node.join_type, equal, left, right)


def upsert_keys_in_task(side: Node) -> Keys:
    """Return the upsert keys of a join's input within one task.

    The exchange below the join does not matter there (Flink: getUpsertKeysInKeyGroupRange).
    """
    return upsert_keys(side.input if isinstance(side, Exchange) else side)


def join_keys(
    inputs: tuple[Node, Node], join_type: JoinType, equal: EqualColumns, left: Keys, right: Keys
) -> Keys:
    """Return the keys of the rows of a join (Flink: FlinkRelMdUniqueKeys.getJoinUniqueKeys).

    Args:
        inputs: The left and the right input.
        join_type: Type of the join.
        equal: Columns that the condition requires to be equal.
        left: Keys of the left input's rows.
        right: Keys of the right input's rows.
    """
    if not join_type.has_right_columns:
        return left
    width = len(inputs[0].schema)
    moved = frozenset(frozenset(width + i for i in key) for key in right)
    found = {one | other for one in left for other in moved}
    if _is_unique(inputs[1], equal.right) and not join_type.pads_left:
        found |= left
    if _is_unique(inputs[0], equal.left) and not join_type.pads_right:
        found |= moved
    return frozenset(found)


def _is_unique(side: Node, columns: Iterable[int]) -> bool:
    """Return whether no two rows of an input agree in these columns."""
    return any(key <= set(columns) for key in unique_keys(side) | upsert_keys(side))


def _equal(node: _Join) -> EqualColumns:
    return equal_columns(node.condition, len(node.inputs[0].schema))


def with_state_keys(node: physical.Join) -> physical.Join:
    """Return a join with the unique keys by which it may keep the rows of its inputs.

    The inputs must be final.
    """
    left, right = (
        tuple(sorted(tuple(sorted(key)) for key in upsert_keys_in_task(side))) for side in node.inputs
    )
    return replace(node, unique_keys=(left, right))


# --- changes -------------------------------------------------------------------------------------
@kinds_sent.of(physical.Join)
def _kinds(node: physical.Join) -> Kinds:
    if node.join_type not in (JoinType.INNER, JoinType.SEMI):
        return EVERYTHING
    return frozenset().union(*map(kinds_sent, node.inputs))


@updates_wanted.of(physical.Join)
def _updates(node: physical.Join, wish: UpdateKind) -> tuple[UpdateKind, ...] | None:
    if wish is not UpdateKind.ONLY_AFTER:
        return tuple(updates_or_none(side, UpdateKind.BEFORE_AND_AFTER) for side in node.inputs)
    equal = _equal(node)
    for side, columns in zip(node.inputs, (equal.left, equal.right), strict=True):
        keyed = any(set(columns) <= key for key in upsert_keys_in_task(side))
        if sends_updates(side) and not keyed:
            return None
    return tuple(updates_or_none(side, UpdateKind.ONLY_AFTER) for side in node.inputs)


# --- times ---------------------------------------------------------------------------------------
@time_attributes.of(logical.Join)
def _times(node: logical.Join) -> TimeAttributes:
    left, right = map(time_attributes, node.inputs)
    if not node.join_type.has_right_columns:
        return left

    def both(positions: Positions, rowtime: bool) -> Iterable[int]:
        return (*positions, *(node.left_width + i for i in right.of_kind(rowtime)))

    return left.mapped(both)


@window_properties.of(logical.Join)
def _windows(node: logical.Join) -> WindowProperties | None:
    """Return the window columns of both inputs. Those of a padded input may be NULL.

    Flink: FlinkRelMdWindowProperties.
    """
    windows = joined_windows(node)
    if windows is None or not node.join_type.has_right_columns:
        return None if windows is None else windows.left
    width = node.left_width
    left, right = windows.left, windows.right.mapped(lambda columns: (width + i for i in columns))
    if node.join_type.pads_left:
        left = left.padded_by_join()
    if node.join_type.pads_right:
        right = right.padded_by_join()
    return left.together(right)


@values_read.of(physical.Join)
def _read(node: physical.Join) -> tuple[Positions, ...]:
    """Return all columns of both inputs: a join keeps whole rows, so their times become plain timestamps."""
    return tuple(frozenset(range(len(side.schema))) for side in node.inputs)


# --- values --------------------------------------------------------------------------------------
@monotonicity.of(physical.Join)
def _moves(node: physical.Join) -> Monotonicity:
    """Return the monotonicity of the columns (Flink: FlinkRelMdModifiedMonotonicity.getJoinMonotonicity)."""
    left, right = map(monotonicity, node.inputs)
    if node.join_type not in (JoinType.INNER, JoinType.SEMI) or left is None or right is None:
        return None
    equal = _equal(node)
    if any(left[i] != CONSTANT for i in equal.left) or any(right[i] != CONSTANT for i in equal.right):
        return None
    if is_append(left) and is_append(right):
        return all_columns(CONSTANT, len(node.schema))
    return (*left, *right) if node.join_type.has_right_columns else left


@value_range.of(physical.Join)
def _range(node: physical.Join, column: int) -> Range:
    left, right = node.inputs
    width = len(left.schema)
    return value_range(left, column) if column < width else value_range(right, column - width)
