"""Text of ranks in physical plans (Flink: StreamPhysicalRank, ...SortLimit, ...Limit)."""

from __future__ import annotations

from firesteel.plan.expressions.over_text import sort_text
from firesteel.plan.nodes.rank.physical import UPDATE, Limit, Rank, SortLimit

Attributes = list[tuple[str, str]]


def rank(node: Rank) -> Attributes:
    """Return the attributes that a plan prints for a rank."""
    names = [f.name for f in node.input.schema]
    end = node.ranks.end if node.ranks.end_column is None else names[node.ranks.end_column]
    shown = f"rankStart={node.ranks.start}, rankEnd={end}"
    if node.ranks.end_column is not None:
        shown = f"rankEnd={end}"
    by_time = "ROWTIME " if node.sorts_by_row_time else ""
    return [
        ("strategy", _strategy(node)),
        ("rankType", "ROW_NUMBER"),
        ("rankRange", shown),
        ("partitionBy", ", ".join(names[i] for i in node.partition)),
        ("orderBy", by_time + _order(node)),
        ("select", ", ".join(f.name for f in node.schema)),
    ]


def deduplicate(node: Rank) -> Attributes:
    """Return the attributes that an execution plan prints for a rank that keeps a row of each key by time."""
    names = [f.name for f in node.schema]
    return [
        ("keep", "LastRow" if node.directions[0].descending else "FirstRow"),
        ("key", ", ".join(names[i] for i in node.partition)),
        ("order", node.time.upper()),
        ("outputInsertOnly", str(node.insert_only).lower()),
    ]


def sort_limit(node: SortLimit) -> Attributes:
    """Return the attributes that a plan prints for ORDER BY with a limit."""
    bounds = [("offset", str(node.offset)), ("fetch", str(node.fetch))]
    return [("orderBy", _order(node)), *bounds, ("strategy", _strategy(node))]


def limit(node: Limit) -> Attributes:
    """Return the attributes that a plan prints for a limit."""
    return [("offset", str(node.offset)), ("fetch", str(node.fetch))]


def _strategy(node: Rank | SortLimit) -> str:
    if node.strategy != UPDATE:
        return node.strategy
    return f"{node.strategy}[{','.join(map(str, node.row_key))}]"


def _order(node: Rank | SortLimit) -> str:
    names = [f.name for f in node.input.schema]
    return sort_text([names[i] for i in node.order], [d.descending for d in node.directions])
