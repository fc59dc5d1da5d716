"""Leave out exchanges that Flink's plans do not have."""

from __future__ import annotations

from firesteel.plan.nodes.physical import Exchange
from firesteel.plan.nodes.rank.physical import Limit, SortLimit
from firesteel.plan.tree import Node, transform_up


def without_repeated_exchanges(plan: Node) -> Node:
    """Return a plan without exchanges to one task (`single`) directly above a LIMIT.

    A LIMIT runs in one task already, so Flink plans no such exchange. A rank or an aggregate without keys
    runs in one task, too, but Flink plans the exchange above it. Only the explained plan changes: jobs keep
    all exchanges, because each of their stages begins with an exchange.

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
