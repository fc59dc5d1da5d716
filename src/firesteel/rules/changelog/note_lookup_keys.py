"""Store the keys of a lookup join's input in its node.

Plans show the upsert keys. A join that stores its results identifies rows by an upsert key if its input sends
updates without -U, else by all columns but processing times. The rule runs before nodes for mini-batches are
added, because upsert keys cannot be derived for these nodes.
"""

from __future__ import annotations

from dataclasses import replace

from firesteel.plan.metadata import processing_times, upsert_keys
from firesteel.plan.nodes.lookup_join.physical import LookupJoin
from firesteel.plan.tree import Node


def note_lookup_keys(node: Node) -> Node:
    """Store the upsert keys of its input, and the columns that identify a row, in a lookup join.

    Other nodes stay as they are.
    """
    if not isinstance(node, LookupJoin):
        return node
    keys = sorted(tuple(sorted(key)) for key in upsert_keys(node.input))
    times = processing_times(node.input)
    columns = tuple(i for i in range(len(node.input.schema)) if i not in times)
    return replace(node, input_keys=tuple(keys), row_key=columns)
