"""Sinks of a statement set that write alike into one table are shown as one over a union (Flink: SinkReuser).

They run apart: what reaches the table is the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from firesteel.plan.nodes.physical import Sink, Union
from firesteel.plan.tree import Node


def united_sinks(roots: Sequence[Node]) -> list[Node]:
    """The plans, each group of equal sinks in the place of its first."""
    groups: dict[object, list[Node]] = {}
    for place, root in enumerate(roots):
        groups.setdefault(_alike(root) if isinstance(root, Sink) else place, []).append(root)
    return [_united(group) for group in groups.values()]


def _alike(sink: Sink) -> object:
    """What two sinks have in common that can be one."""
    mode = getattr(sink.input, "mode", None)
    return sink.table.path, sink.target_columns, sink.table.hints, sink.upsert_materialize, mode


def _united(group: list[Node]) -> Node:
    first = group[0]
    if len(group) == 1 or not isinstance(first, Sink):
        return first
    inputs = tuple(node.children[0] for node in group)
    union = Union(inputs, mode=getattr(first.input, "mode", None))
    return replace(first, input=union)
