"""Properties of lookup joins. A change of the input keeps its kind."""

from __future__ import annotations

from firesteel.functions.expression.nodes import InputRef
from firesteel.plan.expressions.operations import input_refs
from firesteel.plan.nodes.lookup_join.physical import LookupJoin
from firesteel.plan.properties.changelog_modes import sends_what_it_gets
from firesteel.plan.properties.keys import NO_KEYS, Keys, key_of, unique_keys, upsert_keys
from firesteel.plan.properties.mini_batch import NOTHING_ASKED, interval_asked
from firesteel.plan.properties.time_attributes import (
    NOTHING_READ,
    Positions,
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
    is_append,
    monotonicity,
    value_range,
)

sends_what_it_gets(LookupJoin)
interval_asked.always(NOTHING_ASKED, LookupJoin)
time_attributes.of_input(LookupJoin)


# --- keys ----------------------------------------------------------------------------------------
@unique_keys.of(LookupJoin)
def _unique_keys(node: LookupJoin) -> Keys:
    return _keys(node, unique_keys(node.input), _keys_of_table(node))


@upsert_keys.of(LookupJoin)
def _upsert_keys(node: LookupJoin) -> Keys:
    """Return the upsert keys. They may lack the columns that are looked up.

    In a regular join they may not: its exchanges by these columns keep only keys that contain them. A lookup
    join has no exchange.
    """
    return _keys(node, upsert_keys(node.input), _keys_of_table(node))


def _keys_of_table(node: LookupJoin) -> Keys:
    """Return the table's primary key if the join equates all its columns with input columns, else no key.

    Flink: getUniqueKeysOfTemporalTable.
    """
    names = [field.name for field in node.scan.schema]
    key = node.scan.table.primary_key
    if not key or not set(key) <= set(names):
        return NO_KEYS
    shown = {node.shown_column(place): place for place in reversed(range(len(node.table.schema)))}
    places = [shown.get(names.index(name)) for name in key]
    found = [place for place in places if place is not None]
    held = len(found) == len(places) and set(found) <= set(node.equal_columns.right)
    return key_of(*found) if held else NO_KEYS


def _keys(node: LookupJoin, left: Keys, right: Keys) -> Keys:
    """Return the keys of the join, derived from those of both sides (Flink: getJoinUniqueKeys)."""
    width = len(node.input.schema)
    found = set(left) if right else set()
    if not node.join_type.pads_right:
        moved = {frozenset(width + i for i in key) for key in right}
        found |= {one | other for one in left for other in moved}
        if any(key <= set(node.equal_columns.left) for key in left):
            found |= moved
    return frozenset(found)


# --- values --------------------------------------------------------------------------------------
@values_read.of(LookupJoin)
def _read(node: LookupJoin) -> tuple[Positions, ...]:
    """Return the input's columns that are looked up or that the condition reads.

    So the planner converts time attributes among them to plain timestamps below the join.
    """
    width = len(node.input.schema)
    keys = {expr.index for expr in node.lookup_keys.values() if isinstance(expr, InputRef)}
    read = {i for term in node.remaining for i in input_refs(term) if i < width}
    return (frozenset(keys | read) or NOTHING_READ,)


@monotonicity.of(LookupJoin)
def _moves(node: LookupJoin) -> Monotonicity:
    """Return the monotonicity of each column: CONSTANT if the input is append-only, else NOT_MONOTONIC.

    CONSTANT means that no row ever changes. None if it is not known for the input. Flink does not tell the
    columns apart either (FlinkRelMdModifiedMonotonicity).
    """
    below = monotonicity(node.input)
    if below is None:
        return None
    return all_columns(CONSTANT if is_append(below) else NOT_MONOTONIC, len(node.schema))


@value_range.of(LookupJoin)
def _range(node: LookupJoin, column: int) -> Range:
    return value_range(node.input, column) if column < len(node.input.schema) else UNBOUNDED
