"""Properties of set operations and of Expand."""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce

from firesteel.functions.expression.nodes import InputRef
from firesteel.plan.nodes import logical, physical
from firesteel.plan.nodes.set_op import logical as logical_sets
from firesteel.plan.properties.changelog_modes import (
    NO_KINDS,
    Kinds,
    UpdateKind,
    kinds_sent,
    kinds_taken,
    sends_what_it_gets,
    updates_or_none,
    updates_wanted,
)
from firesteel.plan.properties.keys import NO_KEYS, Keys, key_of, unique_keys, upsert_keys
from firesteel.plan.properties.mini_batch import NOTHING_ASKED, interval_asked
from firesteel.plan.properties.time_attributes import (
    NOTHING_READ,
    TimeAttributes,
    time_attributes,
    values_read,
)
from firesteel.plan.properties.value_ranges import (
    CONSTANT,
    NOT_MONOTONIC,
    UNBOUNDED,
    Monotonicity,
    Range,
    all_columns,
    hull,
    is_append,
    monotonicity,
    value_range,
)
from firesteel.plan.properties.window_properties import Positions, WindowProperties, window_properties

_UNIONS = (logical.Union, physical.Union)
_EXPANDS = (logical.Expand, physical.Expand)
_SETS = (logical_sets.Intersect, logical_sets.Minus)

upsert_keys.always(NO_KEYS, *_UNIONS, *_EXPANDS)
unique_keys.always(NO_KEYS, *_UNIONS, *_EXPANDS)
interval_asked.always(NOTHING_ASKED, physical.Union, physical.Expand)


# --- UNION ALL -----------------------------------------------------------------------------------
kinds_taken.always(None, physical.Union)
values_read.of(physical.Union)(lambda node: (NOTHING_READ,) * len(node.inputs))


@kinds_sent.of(physical.Union)
def _kinds(node: physical.Union) -> Kinds:
    return NO_KINDS.union(*map(kinds_sent, node.inputs))


@updates_wanted.of(physical.Union)
def _updates(node: physical.Union, wish: UpdateKind) -> tuple[UpdateKind, ...]:
    return tuple(updates_or_none(child, wish) for child in node.inputs)


@time_attributes.of(*_UNIONS, *_SETS)
def _times(
    node: logical.Union | physical.Union | logical_sets.Intersect | logical_sets.Minus,
) -> TimeAttributes:
    inputs = [time_attributes(child) for child in node.inputs]
    return inputs[0].mapped(lambda _, rowtime: frozenset.intersection(*(t.of_kind(rowtime) for t in inputs)))


@monotonicity.of(physical.Union)
def _moves(node: physical.Union) -> Monotonicity:
    inputs = [monotonicity(child) for child in node.inputs]
    if any(columns is None for columns in inputs):
        return None
    if all(columns == inputs[0] for columns in inputs):
        return inputs[0]
    return all_columns(NOT_MONOTONIC, len(node.schema))


@value_range.of(physical.Union)
def _range(node: physical.Union, column: int) -> Range:
    return hull([value_range(child, column) for child in node.inputs])


@window_properties.of(logical.Union)
def _windows(node: logical.Union) -> WindowProperties | None:
    return reduce(_common, map(window_properties, node.inputs))


def _common(one: WindowProperties | None, other: WindowProperties | None) -> WindowProperties | None:
    """Return the window columns that both inputs have, None if their windows differ."""
    if one is None or other is None or (one.window, one.is_rowtime) != (other.window, other.is_rowtime):
        return None
    return one.within(other)


# --- INTERSECT and EXCEPT ------------------------------------------------------------------------
@upsert_keys.of(*_SETS)
@unique_keys.of(*_SETS)
def _whole_row(node: logical_sets.Intersect | logical_sets.Minus) -> Keys:
    """Return all columns as one key if equal rows come only once (not ALL), else no key."""
    return NO_KEYS if node.all else key_of(*range(len(node.schema)))


window_properties.always(None, *_SETS)


# --- Expand --------------------------------------------------------------------------------------
sends_what_it_gets(physical.Expand)
time_attributes.of_input(*_EXPANDS)
values_read.always((NOTHING_READ,), physical.Expand)


@monotonicity.of(physical.Expand)
def _copies_move(node: physical.Expand) -> Monotonicity:
    """Return the monotonicity of each column: CONSTANT if the input is append-only, else NOT_MONOTONIC.

    CONSTANT means that no row ever changes. None if it is not known for the input. Flink does not tell the
    columns apart either (FlinkRelMdModifiedMonotonicity).
    """
    below = monotonicity(node.input)
    if below is None:
        return None
    return all_columns(CONSTANT if is_append(below) else NOT_MONOTONIC, len(node.schema))


@value_range.of(physical.Expand)
def _copied_range(node: physical.Expand, column: int) -> Range:
    return value_range(node.input, column) if column < len(node.input.schema) else UNBOUNDED


@window_properties.of(logical.Expand)
def _copied_windows(node: logical.Expand) -> WindowProperties | None:
    def kept(columns: Positions) -> Iterable[int]:
        return (i for i in columns if all(isinstance(row[i], InputRef) for row in node.projects))

    below = window_properties(node.input)
    return None if below is None else below.mapped(kept)
