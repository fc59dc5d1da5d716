"""Remove MiniBatchAssigners by processing time below a sort by row time.

A sort by row time waits for watermarks of row time. With mini-batches on, Flink plans a MiniBatchAssigner by
processing time below the sort. The assigner replaces watermarks of row time by times of the clock. So the
sort would send its rows when an interval of the clock ends, and the machine's speed would decide which rows
are late. Without the assigner, the job sends the same rows as without mini-batches. Flink's plan, and ours:

    TemporalSort <- Exchange <- MiniBatchAssigner(ProcTime) <- WatermarkAssigner
    TemporalSort <- Exchange <- WatermarkAssigner
"""

from __future__ import annotations

from firesteel.plan.nodes.over.physical import TemporalSort
from firesteel.plan.nodes.physical import Calc, Exchange, MiniBatchAssigner, Union
from firesteel.plan.tree import Node, transform_up

_PASSING = (Calc, Exchange, Union)
"""Nodes that hand watermarks on."""


def with_row_time(root: Node) -> Node:
    """Return a plan whose sorts by row time get watermarks of row time."""
    return transform_up(root, _sort)


def _sort(node: Node) -> Node:
    if isinstance(node, TemporalSort) and node.is_rowtime:
        return node.with_children((_below(node.input),))
    return node


def _below(node: Node) -> Node:
    """Return a sort's input without MiniBatchAssigners by processing time.

    They are removed below any number of nodes that pass watermarks on (`_PASSING`), but not below others.
    """
    if isinstance(node, MiniBatchAssigner) and node.time == "ProcTime":
        return _below(node.input)
    if isinstance(node, _PASSING):
        return node.with_children(tuple(map(_below, node.children)))
    return node
