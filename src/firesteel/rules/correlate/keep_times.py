"""Keep the time attributes of a table function's columns for its text.

A plan's text shows them in `rowType=[RecordType(..., TIMESTAMP(3) *ROWTIME* ts, ...)]`. It is printed when
all is decided, and operators of two phases that may then be below no longer tell the times of their columns.
"""

from __future__ import annotations

from dataclasses import replace

from firesteel.plan.metadata import time_attributes
from firesteel.plan.nodes.correlate.physical import Correlate
from firesteel.plan.tree import Node


def keep_times(node: Node) -> Node:
    """Apply to one node; its inputs are done already."""
    if not isinstance(node, Correlate):
        return node
    return replace(node, times=time_attributes(node))
