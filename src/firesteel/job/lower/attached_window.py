"""Translate the ranks and joins of windows to specs."""

from __future__ import annotations

from firesteel.job.lower.aggregate import OperatorOptions, types_of
from firesteel.job.lower.group_window import window_time
from firesteel.job.lower.join import condition_of
from firesteel.job.lower.over import sort_orders
from firesteel.plan.nodes.window_join.physical import WindowJoin
from firesteel.plan.nodes.window_rank.physical import WindowDeduplicate, WindowRank
from firesteel.plan.windowing import Windowing
from firesteel.runtime.spec.attached_window import (
    AttachedWindow,
    WindowJoinInput,
    WindowJoinKind,
    WindowJoinSpec,
    WindowRankSpec,
)
from firesteel.runtime.state.order_codes import SortOrder


def window_rank(node: WindowRank, options: OperatorOptions) -> WindowRankSpec:
    """Return the spec of a rank among the rows of each window."""
    assert node.ranks.end is not None
    return WindowRankSpec(
        input_types=types_of(node.input),
        window=_window(node.windowing, options),
        partition=node.partition,
        sort=node.order,
        orders=sort_orders(node.directions),
        start=node.ranks.start,
        end=node.ranks.end,
        with_number=node.number is not None,
        state_id=options.state_id("window-rank"),
    )


def window_deduplicate(node: WindowDeduplicate, options: OperatorOptions) -> WindowRankSpec:
    """Return the spec of a deduplication: the first or the last row of each key in each window."""
    return WindowRankSpec(
        input_types=types_of(node.input),
        window=_window(node.windowing, options),
        partition=node.keys,
        sort=(node.time,) if node.by_row_time else (),
        orders=(SortOrder(node.keep_last),) if node.by_row_time else (),
        start=1,
        end=1,
        last_first=node.keep_last,
        state_id=options.state_id("window-deduplicate"),
    )


def window_join(node: WindowJoin, options: OperatorOptions) -> WindowJoinSpec:
    """Return the spec of a join of the rows of two inputs that have the same window."""
    equal = node.equal_columns
    left, right = (
        WindowJoinInput(types_of(side), keys, _window(windowing, options))
        for side, keys, windowing in zip(node.inputs, (equal.left, equal.right), node.windowings, strict=True)
    )
    return WindowJoinSpec(
        WindowJoinKind(node.join_type.value),
        (left, right),
        equal.null_safe,
        condition_of(equal.rest, (*left.types, *right.types), options),
        options.state_id("window-join"),
    )


def _window(windowing: Windowing, options: OperatorOptions) -> AttachedWindow:
    start, end = windowing.column("win_start"), windowing.column("win_end")
    assert start is not None
    assert end is not None
    return AttachedWindow(start, end, window_time(None, windowing.time_type, options).zone)
