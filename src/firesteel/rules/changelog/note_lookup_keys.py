"""Store the keys of a lookup join's input in its node.

Plans show the upsert keys of the input. Some lookup joins store the rows that they found for an input row,
to take them back later. If the input sends updates without -U, the join stores them by an upsert key of the
input. Otherwise, it stores them by all input columns but processing times.

The rule runs before the planner adds nodes for mini-batches, because some of these nodes, such as
LocalGroupAggregate, have no upsert keys.
"""

from __future__ import annotations

from dataclasses import replace

from firesteel.plan.metadata import processing_times, upsert_keys
from firesteel.plan.nodes.lookup_join.physical import LookupJoin
from firesteel.plan.tree import Node


def note_lookup_keys(node: Node) -> Node:
    """Return a lookup join with the keys of its input stored in it. Other nodes stay as they are.

    The join gets `input_keys`, the upsert keys of its input, and `row_key`, all columns of its input but
    processing times.
    """
    if not isinstance(node, LookupJoin):
        return node
    keys = sorted(tuple(sorted(key)) for key in upsert_keys(node.input))
    times = processing_times(node.input)
    columns = tuple(i for i in range(len(node.input.schema)) if i not in times)
    return replace(node, input_keys=tuple(keys), row_key=columns)
