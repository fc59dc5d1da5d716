"""Properties of joins."""

from __future__ import annotations

from dataclasses import replace

from firesteel.plan.nodes.join import logical, physical
from firesteel.plan.nodes.join.equal_windows import joined_windows
from firesteel.plan.nodes.join.join_type import JoinType
from firesteel.plan.nodes.join.two_inputs import (
    has_keys_of_inputs,
    has_ranges_of_inputs,
    has_times_of_inputs,
    upsert_keys_in_task,
)
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
from firesteel.plan.properties.mini_batch import NOTHING_ASKED, interval_asked
from firesteel.plan.properties.time_attributes import (
    NO_TIMES,
    Positions,
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
from firesteel.plan.properties.window_properties import WindowProperties, window_properties

kinds_taken.always(EVERYTHING, physical.Join)
interval_asked.always(NOTHING_ASKED, physical.Join)
time_attributes.always(NO_TIMES, physical.Join)
has_keys_of_inputs(logical.Join, physical.Join)
has_times_of_inputs(logical.Join)
has_ranges_of_inputs(physical.Join)


def with_state_keys(node: physical.Join) -> physical.Join:
    """Return a join with the unique keys by which it may keep the rows of its inputs.

    Call it when the inputs are final. A rule that adds a projection below the join later could drop a key.
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
    equal = node.equal_columns
    for side, columns in zip(node.inputs, (equal.left, equal.right), strict=True):
        keyed = any(set(columns) <= key for key in upsert_keys_in_task(side))
        if sends_updates(side) and not keyed:
            return None
    return tuple(updates_or_none(side, UpdateKind.ONLY_AFTER) for side in node.inputs)


# --- times ---------------------------------------------------------------------------------------
@window_properties.of(logical.Join)
def _windows(node: logical.Join) -> WindowProperties | None:
    """Return the window columns of both inputs if the join requires equal windows, else None.

    A SEMI or ANTI join has only the columns of the left input. If an outer join pads an input's columns with
    NULL, they are marked as `padded`. Flink: FlinkRelMdWindowProperties.
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
    """Return the columns of each input whose values the join reads: all, because its state has whole rows.

    So the planner converts time attributes of the inputs to plain timestamps below the join.
    """
    return tuple(frozenset(range(len(side.schema))) for side in node.inputs)


# --- values --------------------------------------------------------------------------------------
@monotonicity.of(physical.Join)
def _moves(node: physical.Join) -> Monotonicity:
    """Return the monotonicity of each column, as in the inputs (Flink: getJoinMonotonicity).

    None (unknown) for joins other than INNER and SEMI, if it is unknown for an input, or if a column that
    the join equates is not CONSTANT.
    """
    left, right = map(monotonicity, node.inputs)
    if node.join_type not in (JoinType.INNER, JoinType.SEMI) or left is None or right is None:
        return None
    equal = node.equal_columns
    if any(left[i] != CONSTANT for i in equal.left) or any(right[i] != CONSTANT for i in equal.right):
        return None
    if is_append(left) and is_append(right):
        return all_columns(CONSTANT, len(node.schema))
    return (*left, *right) if node.join_type.has_right_columns else left
