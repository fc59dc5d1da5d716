"""Choose the strategy of a rank from the properties of its input (Flink: RankProcessStrategy)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from firesteel.errors import NotSupportedError
from firesteel.plan.metadata import event_times, kinds_sent, monotonicity, processing_times, upsert_keys
from firesteel.plan.nodes.physical import Exchange
from firesteel.plan.nodes.rank.physical import APPEND, RETRACT, UPDATE, Rank, SortLimit
from firesteel.plan.properties.changelog_modes import INSERTS
from firesteel.plan.properties.value_ranges import CONSTANT, DECREASING, INCREASING
from firesteel.plan.tree import Node
from firesteel.rules.mini_batch.mini_batch_options import is_mini_batch
from firesteel.types.sql import TypeRoot

_UNORDERED = frozenset({TypeRoot.ROW, TypeRoot.ARRAY, TypeRoot.MAP, TypeRoot.MULTISET})


def choose_rank_strategy(node: Node, configuration: Mapping[str, str]) -> Node:
    """Set the strategy by which a Rank or a SortLimit is computed. Other nodes stay as they are.

    The field `strategy` is set. If the input is not insert-only, `row_key` is set to the shortest upsert key
    of the input that contains the columns of PARTITION BY, () if there is none. Of a Rank, `time`,
    `sorts_by_row_time` and `insert_only` are set, too.

    Raises:
        NotSupportedError: The rows are sorted by a column whose type has no order in Firesteel.
    """
    if not isinstance(node, (Rank, SortLimit)):
        return node
    _check_order(node)
    partition = set(node.partition) if isinstance(node, Rank) else set()
    if isinstance(node, Rank):
        final = not node.directions[0].descending and not is_mini_batch(configuration)
        by_row_time = not event_times(node.input).isdisjoint(node.order)
        node = replace(node, time=_time(node), sorts_by_row_time=by_row_time, insert_only=final)
    if kinds_sent(node.input) == INSERTS:
        return replace(node, strategy=APPEND)
    below = node.input.input if isinstance(node.input, Exchange) else node.input
    keys = sorted(tuple(sorted(key)) for key in upsert_keys(below) if partition <= key)
    row_key = min(keys, key=lambda key: (len(key), key), default=())
    strategy = UPDATE if keys and _never_falls_behind(node) else RETRACT
    return replace(node, strategy=strategy, row_key=row_key)


def _check_order(node: Rank | SortLimit) -> None:
    for column in node.order:
        field = node.input.schema[column]
        if field.type.root in _UNORDERED:
            raise NotSupportedError(
                f"ORDER BY a column of type {field.type.root.value} is not supported yet: '{field.name}'",
                hint="sort by its fields or elements",
            )


def _never_falls_behind(node: Rank | SortLimit) -> bool:
    """Return whether an update never moves a row towards the end of the sort order.

    For this, updates may change the columns of ORDER BY only as follows: a column with DESC may grow, and a
    column with ASC may fall.
    """
    columns = monotonicity(node.input)
    if columns is None or not node.order:
        return False
    moves = {CONSTANT: None, INCREASING: True, DECREASING: False}
    for column, direction in zip(node.order, node.directions, strict=True):
        if columns[column] not in moves:
            return False
        if moves[columns[column]] not in (None, direction.descending):
            return False
    return True


def _time(node: Rank) -> str:
    """Return the time attribute that alone decides which row of a key is kept: rowtime, proctime or none."""
    if len(node.order) != 1 or not node.ranks.is_first or node.number is not None:
        return "none"
    if node.order[0] in event_times(node.input):
        return "rowtime"
    return "proctime" if node.order[0] in processing_times(node.input) else "none"
