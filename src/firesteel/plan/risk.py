"""Risk of a plan that EXPLAIN PLAN_ADVICE warns of."""

from __future__ import annotations

from dataclasses import dataclass

from firesteel.plan.tree import Node


@dataclass(frozen=True)
class UpdateRisk:
    """Retractions that may differ from the rows that were sent.

    Attributes:
        message: What is wrong, and what to do.
        node: The node that is the cause. None if the message says all.
        title: Title of the node's plan.
    """

    message: str
    node: Node | None = None
    title: str = ""
