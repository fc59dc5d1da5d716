"""Mini-batches by processing time below a sort by row time, which waits for watermarks of row time.

With mini-batches on, Flink plans a MiniBatchAssigner by processing time there. It drops watermarks of row
time: the sort gets times of the clock in their place, and sends its rows when an interval of the clock ends.
Which rows are late then depends on the speed of the machine. Here the assigner is left out of the job, so the
rows are those of a job without mini-batches.

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
