"""Keep the time attributes of a table function's columns for its text: phases below it do not tell them."""

from __future__ import annotations

from dataclasses import replace

from firesteel.plan.metadata import time_attributes
from firesteel.plan.nodes.correlate.physical import Correlate
from firesteel.plan.tree import Node


def keep_times(node: Node) -> Node:
    """Apply to one node; its inputs are done already."""
    return replace(node, times=time_attributes(node)) if isinstance(node, Correlate) else node
