"""Store the time attributes of a table function's columns in its node, for the plan's text.

The text shows them in `rowType=[RecordType(..., TIMESTAMP(3) *ROWTIME* ts, ...)]`. It is printed at the end
of planning, when nodes below may no longer know the time attributes of their columns.
"""

from __future__ import annotations

from dataclasses import replace

from firesteel.plan.metadata import time_attributes
from firesteel.plan.nodes.correlate.physical import Correlate
from firesteel.plan.tree import Node


def keep_times(node: Node) -> Node:
    """Store the time attributes in a Correlate. Other nodes stay as they are."""
    if not isinstance(node, Correlate):
        return node
    return replace(node, times=time_attributes(node))
