"""Add MiniBatchAssigners above the sources, with the kind of time and the interval that nodes above need.

    GroupAggregate  Exchange  Scan   ->   GroupAggregate  Exchange  MiniBatchAssigner(1000 ms)  Scan

Flink: MiniBatchIntervalInferRule. The changelog modes must be known: an assigner has the mode of its input.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from firesteel.functions.expression.recursion import from_below
from firesteel.plan.expressions.over import contains_over
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

_STATELESS = (Scan, Filter, Values, Sink)


def is_stateless(logical: Node) -> bool:
    """Return whether a bound query has only stateless nodes, which process row by row.

    These are scans, filters, projections without OVER, UNION ALL, literal rows and sinks. If all queries of a
    statement are stateless, Flink plans without mini-batches (StreamCommonSubGraphBasedOptimizer).
    """
    return all(map(_is_stateless_node, walk(logical)))


def _is_stateless_node(node: Node) -> bool:
    if isinstance(node, Project):
        return not any(map(contains_over, node.exprs))
    return isinstance(node, _STATELESS) or (isinstance(node, Union) and node.all)


def infer_mini_batch_interval(root: Node, configuration: Mapping[str, str], stateless: bool) -> Node:
    """Return the plan with mini-batch assigners, and with the operators that bundle rows marked.

    Args:
        root: Root of the plan.
        configuration: Options of the session. Without mini-batches the plan stays as it is.
        stateless: Whether no query of the statement gains by mini-batches. Then no assigner is added.

    Raises:
        ValidationError: The latency is not set, or the size is not set and an operator bundles rows.
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
    """Return a join or a deduplication with `mini_batch` set. Other nodes stay as they are.

    These two operators process rows in mini-batches even in a plan without a MiniBatchAssigner.
    """
    if isinstance(node, Join) or (isinstance(node, Rank) and node.is_deduplicate):
        return replace(node, mini_batch=True)
    return node


@from_below
def _below(node: Node, own: Interval) -> Node:
    """Return the node with assigners added below it. `own`: the interval that nodes above require."""
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
