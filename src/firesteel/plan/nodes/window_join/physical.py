"""Physical node of window joins."""

from __future__ import annotations

from dataclasses import dataclass, field

from firesteel.plan.nodes.join.join_type import JoinHints
from firesteel.plan.nodes.join.shared import JoinNode
from firesteel.plan.tree import PhysicalNode
from firesteel.plan.windowing import Windowing


@dataclass(frozen=True)
class WindowJoin(JoinNode, PhysicalNode):
    """Join the rows of equal windows at their end (Flink: StreamPhysicalWindowJoin).

    Each input comes after an exchange by the columns that the condition equates. `condition` is the query's
    join condition without the equality of the windows.

    Attributes:
        windowings: For each input its windows, and the positions of window_start and window_end.
        hints: Join hints of the query.
    """

    windowings: tuple[Windowing, Windowing]
    hints: JoinHints = field(default_factory=JoinHints)
