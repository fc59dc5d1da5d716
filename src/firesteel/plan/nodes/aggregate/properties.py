"""Properties of aggregates without windows, and of ChangelogNormalize."""

from __future__ import annotations

from decimal import Decimal

from firesteel.functions.expression.nodes import AggregateCall
from firesteel.functions.signatures.aggregate_traits import traits_of
from firesteel.plan.nodes import logical, physical
from firesteel.plan.properties.changelog_modes import (
    EVERYTHING,
    INSERTS,
    Kinds,
    UpdateKind,
    keeps_account_of_rows,
    kinds_sent,
    kinds_taken,
    updates_or_none,
    updates_wanted,
)
from firesteel.plan.properties.keys import NO_KEYS, Keys, key_of, unique_keys, upsert_keys
from firesteel.plan.properties.mini_batch import NOTHING_ASKED, interval_asked
from firesteel.plan.properties.time_attributes import (
    NO_TIMES,
    NOTHING_READ,
    Positions,
    TimeAttributes,
    aggregated,
    time_attributes,
    values_read,
)
from firesteel.plan.properties.value_ranges import (
    CONSTANT,
    DECREASING,
    INCREASING,
    NOT_MONOTONIC,
    UNBOUNDED,
    Monotonicity,
    Range,
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

_Aggregate = logical.Aggregate | physical.GroupAggregate
_AGGREGATES = (logical.Aggregate, physical.GroupAggregate)

interval_asked.always(NOTHING_ASKED, physical.GroupAggregate, physical.ChangelogNormalize)


# --- aggregates: keys and changes ----------------------------------------------------------------
@upsert_keys.of(*_AGGREGATES)
def _upsert_key(node: _Aggregate) -> Keys:
    """Return the grouping columns as the key. Without grouping columns the key is empty: there is one row."""
    return NO_KEYS if _has_grouping_sets(node) else key_of(*range(len(node.keys)))


@upsert_keys.of(physical.GlobalGroupAggregate)
def _merged_key(node: physical.GlobalGroupAggregate) -> Keys:
    return key_of(*range(len(node.keys)))


unique_keys.always(NO_KEYS, physical.LocalGroupAggregate, physical.IncrementalGroupAggregate)
upsert_keys.always(NO_KEYS, physical.LocalGroupAggregate, physical.IncrementalGroupAggregate)


@unique_keys.of(*_AGGREGATES)
def _unique_key(node: _Aggregate) -> Keys:
    return key_of(*range(len(node.keys))) if node.keys and not _has_grouping_sets(node) else NO_KEYS


@unique_keys.of(physical.GlobalGroupAggregate)
def _merged_unique_key(node: physical.GlobalGroupAggregate) -> Keys:
    return key_of(*range(len(node.keys))) if node.keys else NO_KEYS


def _has_grouping_sets(node: _Aggregate) -> bool:
    return isinstance(node, logical.Aggregate) and bool(node.groups)


keeps_account_of_rows(physical.GroupAggregate)


@kinds_sent.of(physical.GroupAggregate)
def _kinds(node: physical.GroupAggregate) -> Kinds:
    """Return the kinds of changes that a GROUP BY sends: inserts and updates, and perhaps deletes.

    It sends deletes if its input sends updates or deletes: these can take the last row of a group.
    """
    return EVERYTHING if kinds_sent(node.input) - INSERTS else EVERYTHING - {"delete"}


# --- aggregates: times and windows ---------------------------------------------------------------
time_attributes.always(NO_TIMES, physical.GroupAggregate)


@values_read.of(physical.GroupAggregate)
def _read(node: physical.GroupAggregate) -> tuple[Positions]:
    return (aggregated(node.keys, node.calls),)


@time_attributes.of(logical.Aggregate)
def _times(node: logical.Aggregate) -> TimeAttributes:
    below = time_attributes(node.input)
    return below.mapped(lambda times, _: (i for i, key in enumerate(node.keys) if key in times))


@window_properties.of(logical.Aggregate)
def _windows(node: logical.Aggregate) -> WindowProperties | None:
    below = windows_of_all_rows(node.input)
    if below is None or not below.grouped(node.keys):
        return None
    return below.mapped(lambda columns: (i for i, key in enumerate(node.keys) if key in columns))


# --- aggregates: values --------------------------------------------------------------------------
@monotonicity.of(physical.GroupAggregate)
def _moves(node: physical.GroupAggregate) -> Monotonicity:
    below = monotonicity(node.input)
    if below is None or any(below[key] != CONSTANT for key in node.keys):
        return None
    moves = [_call_moves(call, node.input) for call in node.calls]
    if not is_append(below):
        moves = [_over_updates(call, move, below) for call, move in zip(node.calls, moves, strict=True)]
    return (*(CONSTANT for _ in node.keys), *moves)


def _over_updates(call: AggregateCall, move: str, below: tuple[str, ...]) -> str:
    if len(call.args) > 1:
        return NOT_MONOTONIC
    if call.args and call.function != "COUNT" and below[call.args[0]] != move:
        return NOT_MONOTONIC
    return move


def _call_moves(call: AggregateCall, below: Node) -> str:
    moves = traits_of(call.function).moves
    if moves == "by sign":
        low, high = value_range(below, call.args[0])
        if low is not None:
            return INCREASING if low >= 0 else NOT_MONOTONIC
        return DECREASING if high is not None and high <= 0 else NOT_MONOTONIC
    return moves or NOT_MONOTONIC


@value_range.of(physical.GroupAggregate)
def _range(node: physical.GroupAggregate, column: int) -> Range:
    if column < len(node.keys):
        return value_range(node.input, node.keys[column])
    call = node.calls[column - len(node.keys)]
    if call.function == "COUNT":
        return (Decimal(0), None)
    if traits_of(call.function).between:
        return value_range(node.input, call.args[0])
    if traits_of(call.function).moves == "by sign":
        low, high = value_range(node.input, call.args[0])
        return (
            Decimal(0) if low is not None and low >= 0 else None,
            Decimal(0) if high is not None and high <= 0 else None,
        )
    return UNBOUNDED


# --- ChangelogNormalize --------------------------------------------------------------------------
kinds_sent.always(EVERYTHING, physical.ChangelogNormalize)
kinds_taken.always(EVERYTHING, physical.ChangelogNormalize)
time_attributes.of_input(physical.ChangelogNormalize)
values_read.always((NOTHING_READ,), physical.ChangelogNormalize)
value_range.of_input(physical.ChangelogNormalize)


@upsert_keys.of(physical.ChangelogNormalize)
@unique_keys.of(physical.ChangelogNormalize)
def _normalized_key(node: physical.ChangelogNormalize) -> Keys:
    return key_of(*node.keys)


@updates_wanted.of(physical.ChangelogNormalize)
def _upserts(node: physical.ChangelogNormalize, wish: UpdateKind) -> tuple[UpdateKind, ...]:
    """Return the form of updates that the node requires of its input, as a tuple of one form.

    The form is ONLY_AFTER: of an update, the input sends the new row without the old one. The node does not
    need the old row from its input, because it keeps the last row of each key in its state. The form is NONE
    if the input sends no updates.

    Args:
        node: The node.
        wish: Form in which the node must send its own updates. It makes no difference here.
    """
    return (updates_or_none(node.input, UpdateKind.ONLY_AFTER),)


@monotonicity.of(physical.ChangelogNormalize)
def _normalized_moves(node: physical.ChangelogNormalize) -> Monotonicity:
    return tuple(CONSTANT if i in node.keys else NOT_MONOTONIC for i in range(len(node.schema)))
