"""Where mini-batches end: assigners above the sources, in the time and interval that what is above needs.

Flink: MiniBatchIntervalInferRule. The changelog modes must be
known: an assigner has the mode of what is below it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from firesteel.functions.expression.recursion import from_below
from firesteel.plan.metadata import interval_asked
from firesteel.plan.nodes.join.physical import Join
from firesteel.plan.nodes.logical import Filter, Project, Scan, Sink, Union, Values
from firesteel.plan.nodes.physical import (
    ChangelogNormalize,
    GroupAggregate,
    MiniBatchAssigner,
    TableSourceScan,
    WatermarkAssigner,
)
from firesteel.plan.nodes.rank.physical import Rank
from firesteel.plan.properties.mini_batch import PROC_TIME, ROW_TIME, Interval
from firesteel.plan.tree import Node, transform_up, walk
from firesteel.rules.mini_batch.mini_batch_options import mini_batch_options

_STATELESS = (Scan, Project, Filter, Values, Sink)


def is_stateless(logical: Node) -> bool:
    """Whether nothing in a bound query gains by mini-batches. Where that is so for all queries of a
    statement, Flink plans without them (StreamCommonSubGraphBasedOptimizer)."""
    return all(isinstance(n, _STATELESS) or (isinstance(n, Union) and n.all) for n in walk(logical))


def infer_mini_batch_interval(root: Node, configuration: Mapping[str, str], stateless: bool) -> Node:
    """The plan with its assigners, and the operators that bundle rows marked; as it is where mini-batches are
    off, or nothing gains by them.

    Raises ValidationError where the options lack a latency, or an operator bundles rows and they set no size.
    """
    options = mini_batch_options(configuration)
    if options is None:
        return root
    if stateless:
        return transform_up(root, _reducing)
    placed = _below(transform_up(root, _bundling), Interval(PROC_TIME, options.latency))
    if any(getattr(node, "mini_batch", False) for node in walk(placed)):
        options.check_size()
    return placed


def _bundling(node: Node) -> Node:
    if isinstance(node, (GroupAggregate, ChangelogNormalize)):
        return replace(node, mini_batch=True)
    return _reducing(node)


def _reducing(node: Node) -> Node:
    """A join and a deduplication follow the option alone, even if no assigner ends bundles."""
    if isinstance(node, Join) or (isinstance(node, Rank) and node.is_deduplicate):
        return replace(node, mini_batch=True)
    return node


@from_below
def _below(node: Node, own: Interval) -> Node:
    """The node with assigners put below it."""
    if isinstance(node, (WatermarkAssigner, MiniBatchAssigner)):
        return node
    asked = own.merged(interval_asked(node))
    return node.with_children(tuple(_assigned(child, asked) for child in node.children))


def _assigned(child: Node, asked: Interval) -> Node:
    child = _below(child, asked)
    if isinstance(child, (TableSourceScan, WatermarkAssigner)) and asked.mode in (PROC_TIME, ROW_TIME):
        below: Any = child
        return MiniBatchAssigner(child, asked.millis, asked.mode, mode=below.mode)
    return child
