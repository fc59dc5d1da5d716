"""Properties of rank and deduplication within windows. A row that is sent is final."""

from __future__ import annotations

from firesteel.plan.nodes.window_rank import physical
from firesteel.plan.properties.changelog_modes import (
    INSERTS,
    UpdateKind,
    kinds_sent,
    kinds_taken,
    updates_wanted,
)
from firesteel.plan.properties.keys import Keys, key_of, unique_keys, upsert_keys
from firesteel.plan.properties.mini_batch import BY_EVENT_TIME, interval_asked
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

_NODES = (physical.WindowRank, physical.WindowDeduplicate)
_Node = physical.WindowRank | physical.WindowDeduplicate

kinds_sent.always(INSERTS, *_NODES)
kinds_taken.always(INSERTS, *_NODES)
interval_asked.always(BY_EVENT_TIME, *_NODES)
time_attributes.of_input(*_NODES)
values_read.always((NOTHING_READ,), *_NODES)


# --- keys ----------------------------------------------------------------------------------------
@unique_keys.of(*_NODES)
def _unique_keys(node: _Node) -> Keys:
    return _keys(node, unique_keys(node.input))


@upsert_keys.of(*_NODES)
def _upsert_keys(node: _Node) -> Keys:
    return _keys(node, upsert_keys(node.input))


def _keys(node: _Node, below: Keys) -> Keys:
    """Return the keys of the input, and the key of window, partition and rank.

    Flink leaves out the window (FlinkRelMdUniqueKeys.getRankUniqueKeys). In Flink, a join that keeps its rows
    by such a key therefore overwrites the row of one window with that of the next. Firesteel does not.
    """
    borders = [i for _, i in node.windowing.by]
    if isinstance(node, physical.WindowDeduplicate):
        return below | key_of(*node.keys, *borders)
    if node.ranks.is_first:
        below |= key_of(*node.partition, *borders)
    if node.number is not None:
        below |= key_of(*node.partition, *borders, len(node.input.schema))
    return below


# --- changes -------------------------------------------------------------------------------------
@updates_wanted.of(*_NODES)
def _updates(node: _Node, wish: UpdateKind) -> tuple[UpdateKind, ...]:
    return (UpdateKind.NONE,)


# --- values --------------------------------------------------------------------------------------
@monotonicity.of(*_NODES)
def _moves(node: _Node) -> Monotonicity:
    return all_columns(CONSTANT, len(node.schema))


@value_range.of(*_NODES)
def _range(node: _Node, column: int) -> Range:
    return value_range(node.input, column) if column < len(node.input.schema) else UNBOUNDED
