"""Equal sinks of a statement set that write into one table, shown as one over a union (Flink: SinkReuser).

The INSERTs still run separately, with the same result.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from firesteel.plan.nodes.physical import Sink, Union
from firesteel.plan.tree import Node


def united_sinks(roots: Sequence[Node]) -> list[Node]:
    """Return the plans, with each group of equal sinks replaced by one sink, at the position of the first."""
    groups: dict[object, list[Node]] = {}
    for place, root in enumerate(roots):
        groups.setdefault(_alike(root) if isinstance(root, Sink) else place, []).append(root)
    return [_united(group) for group in groups.values()]


def _alike(sink: Sink) -> object:
    """Return a key by which sinks are grouped: those with equal keys are shown as one."""
    mode = getattr(sink.input, "mode", None)
    return sink.table.path, sink.target_columns, sink.table.hints, sink.upsert_materialize, mode


def _united(group: list[Node]) -> Node:
    first = group[0]
    if len(group) == 1 or not isinstance(first, Sink):
        return first
    inputs = tuple(node.children[0] for node in group)
    union = Union(inputs, mode=getattr(first.input, "mode", None))
    return replace(first, input=union)
