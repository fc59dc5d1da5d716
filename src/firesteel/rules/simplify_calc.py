"""The condition of a Calc in its last form (Calcite: RelBuilder.filter simplifies whatever it builds)."""

from __future__ import annotations

from dataclasses import replace

from firesteel.plan.physical import Calc
from firesteel.plan.simplify import simplify_condition
from firesteel.plan.tree import Node


def simplify_calc(node: Node) -> Node:
    """Apply to one Calc."""
    if not isinstance(node, Calc) or node.condition is None:
        return node
    return replace(node, condition=simplify_condition(node.condition))
