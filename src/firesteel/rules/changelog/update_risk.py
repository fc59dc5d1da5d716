"""Risk of a plan: its retractions may differ from the rows that were sent before."""

from __future__ import annotations

from firesteel.errors import ValidationError
from firesteel.plan.tree import Node

OPTION = "table.optimizer.non-deterministic-update.strategy"
RELATED_PLAN = "related rel plan"
SOURCE_NODE = "source node"


class UpdateRiskError(ValidationError):
    """A retraction depends on a column or a condition that is evaluated again.

    Attributes:
        node: The node that evaluates the column or the condition.
        title: Title of the node's plan in the advice of EXPLAIN PLAN_ADVICE.
    """

    def __init__(self, message: str, node: Node, title: str = RELATED_PLAN) -> None:
        super().__init__(message, hint=f"SET '{OPTION}' = 'IGNORE' takes the risk")
        self.node = node
        self.title = title
