"""Leave out exchanges that Flink's plans do not have."""

from __future__ import annotations

from firesteel.plan.nodes.physical import Exchange
from firesteel.plan.nodes.rank.physical import Limit, SortLimit
from firesteel.plan.tree import Node, transform_up


def without_repeated_exchanges(plan: Node) -> Node:
    """Return the plan without each exchange to one task (`single`) whose input is a LIMIT.

    The output of a LIMIT is in one task already, so Flink plans no exchange there. A rank or an aggregate
    without keys runs in one task, too, but above these nodes Flink plans the exchange. Only the explained
    plan changes: jobs keep all exchanges, because each stage of a job begins with an exchange.

        Join
        :- ...
        +- Exchange(distribution=[single])          left out: its input is a LIMIT
           +- SortLimit(...)
              +- Exchange(distribution=[single])    kept: its input is no LIMIT
                 +- ...
    """
    return transform_up(plan, _shown)


def _shown(node: Node) -> Node:
    if isinstance(node, Exchange) and not node.keys and isinstance(node.input, Limit | SortLimit):
        return node.input
    return node
