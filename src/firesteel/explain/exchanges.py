"""Leave out exchanges that Flink's plans do not have."""

from __future__ import annotations

from firesteel.plan.nodes.physical import Exchange
from firesteel.plan.nodes.rank.physical import Limit, SortLimit
from firesteel.plan.tree import Node, transform_up


def without_repeated_exchanges(plan: Node) -> Node:
    """Return a plan without the exchanges to one task whose input is a LIMIT, which runs in one task.

    In Flink only a LIMIT tells the operator above it where its rows are: above a rank or an aggregate without
    keys there is another exchange. Here each stage begins with an exchange, so jobs keep them all.

        Join
        :- ...
        +- Exchange(distribution=[single])    this line is left out
           +- SortLimit(...)
              +- Exchange(distribution=[single])
    """
    return transform_up(plan, _shown)


def _shown(node: Node) -> Node:
    if isinstance(node, Exchange) and not node.keys and isinstance(node.input, Limit | SortLimit):
        return node.input
    return node
