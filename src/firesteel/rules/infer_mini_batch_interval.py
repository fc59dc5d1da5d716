"""Where mini-batches end: assigners above the sources, in the time and interval that what is above needs.

Flink: MiniBatchIntervalInferRule, FlinkRelOptUtil.mergeMiniBatchInterval. The changelog modes must be
known: an assigner has the mode of what is below it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

from firesteel.expr.deep import from_below
from firesteel.plan.logical import Filter, Project, Scan, Sink, Union, Values
from firesteel.plan.physical import (
    ChangelogNormalize,
    GroupAggregate,
    MiniBatchAssigner,
    TableSourceScan,
    WatermarkAssigner,
)
from firesteel.plan.physical_windows import GroupWindowAggregate, WindowAggregate, WindowTableFunction
from firesteel.plan.tree import Node, transform_up, walk
from firesteel.rules.mini_batch_options import MiniBatch

NONE = "None"
PROC_TIME = "ProcTime"
ROW_TIME = "RowTime"
NO_MINI_BATCH = "NoMiniBatch"


_STATELESS = (Scan, Project, Filter, Values, Sink)


def is_stateless(logical: Node) -> bool:
    """Whether nothing in a bound query gains by mini-batches. Where that is so for all queries of a
    statement, Flink plans without them (StreamCommonSubGraphBasedOptimizer)."""
    return all(isinstance(n, _STATELESS) or (isinstance(n, Union) and n.all) for n in walk(logical))


@dataclass(frozen=True)
class Interval:
    """What a node asks of its inputs: the time by which mini-batches end, and how far apart, in ms."""

    mode: str = NONE
    millis: int = 0


def merged(one: Interval, other: Interval) -> Interval:
    """What serves both; an interval of 0 is any interval."""
    modes = {one.mode, other.mode}
    if NO_MINI_BATCH in modes:
        return Interval(NO_MINI_BATCH)
    if NONE in modes:
        return other if one.mode == NONE else one
    if modes == {ROW_TIME}:
        return Interval(ROW_TIME, math.gcd(one.millis, other.millis))
    if modes == {PROC_TIME}:
        return one
    row, proc = (one, other) if one.mode == ROW_TIME else (other, one)
    return Interval(ROW_TIME, row.millis or proc.millis)


def infer_mini_batch_interval(root: Node, options: MiniBatch | None) -> Node:
    """The plan with its assigners, and the operators that bundle rows marked; as it is without options.

    Raises ValidationError where an operator bundles rows and the options set no size.
    """
    if options is None:
        return root
    placed = _below(transform_up(root, _bundling), Interval(PROC_TIME, options.latency))
    if any(getattr(node, "mini_batch", False) for node in walk(placed)):
        options.check_size()
    return placed


def _bundling(node: Node) -> Node:
    if isinstance(node, (GroupAggregate, ChangelogNormalize)):
        return replace(node, mini_batch=True)
    return node


@from_below
def _below(node: Node, own: Interval) -> Node:
    """The node with assigners put below it."""
    if isinstance(node, (WatermarkAssigner, MiniBatchAssigner)):
        return node
    asked = own
    if isinstance(node, GroupWindowAggregate):
        asked = Interval(NO_MINI_BATCH)
    elif _waits_for_event_time(node):
        asked = merged(own, Interval(ROW_TIME))
    return node.with_children(tuple(_assigned(child, asked) for child in node.children))


def _waits_for_event_time(node: Node) -> bool:
    """Whether bundles below the node end with watermarks, not with the clock."""
    return isinstance(node, (WindowAggregate, WindowTableFunction)) and node.windowing.is_rowtime


def _assigned(child: Node, asked: Interval) -> Node:
    child = _below(child, asked)
    if isinstance(child, (TableSourceScan, WatermarkAssigner)) and asked.mode in (PROC_TIME, ROW_TIME):
        below: Any = child
        return MiniBatchAssigner(child, asked.millis, asked.mode, mode=below.mode)
    return child
