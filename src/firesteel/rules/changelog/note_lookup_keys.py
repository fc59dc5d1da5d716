"""Note in a lookup join what is known of its input.

Plans show its upsert keys, and a join that keeps what it found tells rows apart. Nodes of mini-batches, which
come into the plan after this rule, do not tell keys any more.
"""

from __future__ import annotations

from dataclasses import replace

from firesteel.plan.metadata import processing_times, upsert_keys
from firesteel.plan.nodes.lookup_join.physical import LookupJoin
from firesteel.plan.tree import Node


def note_lookup_keys(node: Node) -> Node:
    """Apply to one node."""
    if not isinstance(node, LookupJoin):
        return node
    keys = sorted(tuple(sorted(key)) for key in upsert_keys(node.input))
    times = processing_times(node.input)
    columns = tuple(i for i in range(len(node.input.schema)) if i not in times)
    return replace(node, input_keys=tuple(keys), row_key=columns)
