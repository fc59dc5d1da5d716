"""Risk of a plan that EXPLAIN PLAN_ADVICE warns of."""

from __future__ import annotations

from dataclasses import dataclass

from firesteel.plan.tree import Node


@dataclass(frozen=True)
class UpdateRisk:
    """Risk that a retraction differs from the row that was sent before, so that the row is not removed.

    Attributes:
        message: What is wrong, and what to do.
        node: The node that is the cause, whose plan the advice shows. None if the message says all.
        title: Title above this plan.
    """

    message: str
    node: Node | None = None
    title: str = ""
