"""Text of rank and deduplication within windows in plans.

Flink: StreamPhysicalWindowRank, StreamPhysicalWindowDeduplicate.
"""

from __future__ import annotations

from firesteel.plan.expressions.over_text import sort_text
from firesteel.plan.nodes.window_rank.physical import WindowDeduplicate, WindowRank

Attributes = list[tuple[str, str]]


def window_rank(node: WindowRank) -> Attributes:
    """Return the attributes that a plan prints for a rank within windows."""
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
    """Return the attributes that a plan prints for a deduplication within windows."""
    names = [f.name for f in node.input.schema]
    return [
        ("window", node.windowing.text(names)),
        ("keep", "LastRow" if node.keep_last else "FirstRow"),
        ("partitionKeys", ", ".join(names[i] for i in node.keys)),
        ("orderKey", names[node.time]),
        ("order", "ROWTIME"),
    ]
