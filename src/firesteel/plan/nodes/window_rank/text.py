"""Ranks of windows as physical plans print them (Flink: StreamPhysicalWindowRank, ...WindowDeduplicate)."""

from __future__ import annotations

from firesteel.plan.expressions.over_text import sort_text
from firesteel.plan.nodes.window_rank.physical import WindowDeduplicate, WindowRank

Attributes = list[tuple[str, str]]


def window_rank(node: WindowRank) -> Attributes:
    """Return what a plan says of a rank of each window."""
    names = [f.name for f in node.input.schema]
    return [
        ("window", node.windowing.text(names)),
        ("rankType", "ROW_NUMBER"),
        ("rankRange", f"rankStart={node.ranks.start}, rankEnd={node.ranks.end}"),
        ("partitionBy", ", ".join(names[i] for i in node.partition)),
        ("orderBy", sort_text([names[i] for i in node.order], [d.descending for d in node.directions])),
        ("select", ", ".join(f.name for f in node.schema)),
    ]


def window_deduplicate(node: WindowDeduplicate) -> Attributes:
    """Return what a plan says of the first or the last row of each window."""
    names = [f.name for f in node.input.schema]
    return [
        ("window", node.windowing.text(names)),
        ("keep", "LastRow" if node.keep_last else "FirstRow"),
        ("partitionKeys", ", ".join(names[i] for i in node.keys)),
        ("orderKey", names[node.time]),
        ("order", "ROWTIME"),
    ]
