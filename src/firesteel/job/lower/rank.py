"""Translate the ranks of a physical plan to specs."""

from __future__ import annotations

from firesteel.job.lower.aggregate import OperatorOptions, mode_of, types_of
from firesteel.job.lower.over import sort_orders
from firesteel.plan.nodes.rank.physical import APPEND, UPDATE, Limit, Rank, SortLimit
from firesteel.runtime.spec.over import OverTime
from firesteel.runtime.spec.rank import DeduplicateSpec, RankSpec, RankStrategy


def rank(node: Rank, options: OperatorOptions) -> RankSpec | DeduplicateSpec:
    """Return the spec of a rank, or of a deduplication by time."""
    if node.is_deduplicate:
        return _deduplicate(node, options)
    by_arrival = node.time == "proctime" and not node.directions[0].descending
    return RankSpec(
        input_types=types_of(node.input),
        partition=node.partition,
        sort=() if by_arrival else node.order,
        orders=() if by_arrival else sort_orders(node.directions),
        strategy=_strategy(node.strategy),
        end=node.ranks.end,
        start=node.ranks.start,
        end_field=node.ranks.end_column,
        with_number=node.number is not None,
        emit_update_before=mode_of(node).update_before,
        row_key=node.row_key,
        ttl=options.ttl,
        state_id=options.state_id("rank"),
    )


def _deduplicate(node: Rank, options: OperatorOptions) -> DeduplicateSpec:
    by_row_time = node.time == "rowtime"
    return DeduplicateSpec(
        input_types=types_of(node.input),
        keys=node.partition,
        order=OverTime.ROWTIME if by_row_time else OverTime.PROCTIME,
        time=node.order[0] if by_row_time else -1,
        keep_last=node.directions[0].descending,
        emit_update_before=mode_of(node).update_before,
        insert_only=node.insert_only,
        ttl=options.ttl,
        state_id=options.state_id("deduplicate"),
        bundle=options.bundle if node.mini_batch else 0,
    )


def sort_limit(node: SortLimit, options: OperatorOptions) -> RankSpec:
    """Return the spec of ORDER BY with a limit."""
    return RankSpec(
        input_types=types_of(node.input),
        partition=(),
        sort=node.order,
        orders=sort_orders(node.directions),
        strategy=_strategy(node.strategy),
        end=node.offset + node.fetch,
        start=node.offset + 1,
        emit_update_before=mode_of(node).update_before,
        row_key=node.row_key,
        ttl=options.ttl,
        state_id=options.state_id("sort-limit"),
    )


def limit(node: Limit, options: OperatorOptions) -> RankSpec:
    """Return the spec of a limit: a rank by the order of arrival."""
    changes = mode_of(node.input).has_retraction or mode_of(node.input).update_after
    return RankSpec(
        input_types=types_of(node.input),
        partition=(),
        sort=(),
        orders=(),
        strategy=RankStrategy.RETRACT if changes else RankStrategy.APPEND,
        end=node.offset + node.fetch,
        start=node.offset + 1,
        emit_update_before=mode_of(node).update_before,
        ttl=options.ttl,
        state_id=options.state_id("limit"),
    )


def _strategy(name: str) -> RankStrategy:
    if name == APPEND:
        return RankStrategy.APPEND
    return RankStrategy.UPDATE if name == UPDATE else RankStrategy.RETRACT
