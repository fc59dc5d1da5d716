"""Translation of a MultiJoin to single joins, each of which reads the rows of the one before.

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
    """Return a plan with single joins, each with the state that its inputs allow.

    Args:
        root: A physical plan, whose joins have chosen their state.
    """
    return transform_up(root, lambda node: node.joins() if isinstance(node, MultiJoin) else node)
