"""Show several sinks of a statement set as one sink over a union of their inputs (Flink: SinkReuser).

Sinks are shown as one if they have the same table, target columns and hints, the same need of a materializer
and the same changelog mode of their input. Only EXPLAIN shows them so: the job runs each INSERT with a sink
of its own, with the same result.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from firesteel.plan.nodes.physical import Sink, Union
from firesteel.plan.tree import Node


def united_sinks(roots: Sequence[Node]) -> list[Node]:
    """Return the plans, with the sinks of each group (`_alike`) replaced by one sink over a union.

    The new plan stands at the position of the group's first plan.
    """
    groups: dict[object, list[Node]] = {}
    for place, root in enumerate(roots):
        groups.setdefault(_alike(root) if isinstance(root, Sink) else place, []).append(root)
    return [_united(group) for group in groups.values()]


def _alike(sink: Sink) -> object:
    """Return the key by which sinks are grouped. Sinks with equal keys are shown as one sink."""
    mode = getattr(sink.input, "mode", None)
    return sink.table.path, sink.target_columns, sink.table.hints, sink.upsert_materialize, mode


def _united(group: list[Node]) -> Node:
    first = group[0]
    if len(group) == 1 or not isinstance(first, Sink):
        return first
    inputs = tuple(node.children[0] for node in group)
    union = Union(inputs, mode=getattr(first.input, "mode", None))
    return replace(first, input=union)
