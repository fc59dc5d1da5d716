"""Translation of a MultiJoin to joins of two inputs, each of which reads the rows of the previous join.

MultiJoin(INNER k = k0, LEFT k = k1)       Join(LEFT, k = k1)
  x                                          Exchange
  y                                   ->       Join(INNER, k = k0)
  z                                              x, y
                                             z
"""

from __future__ import annotations

from firesteel.plan.nodes.multi_join.physical import MultiJoin
from firesteel.plan.tree import Node, transform_up


def as_joins(root: Node) -> Node:
    """Return a plan in which joins of two inputs replace each MultiJoin.

    Args:
        root: A physical plan. In its MultiJoins, the planner has set `state_keys`.
    """
    return transform_up(root, lambda node: node.joins() if isinstance(node, MultiJoin) else node)
