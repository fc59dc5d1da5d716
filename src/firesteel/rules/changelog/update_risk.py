"""Risk of a plan: its retractions may differ from the rows that were sent before."""

from __future__ import annotations

from firesteel.errors import ValidationError
from firesteel.plan.tree import Node

OPTION = "table.optimizer.non-deterministic-update.strategy"
RELATED_PLAN = "related rel plan"
SOURCE_NODE = "source node"


class UpdateRiskError(ValidationError):
    """Error for a plan with a retraction that may differ from the row that was sent.

    The cause is an expression that may have another value when it is evaluated again, or a metadata column.

    Attributes:
        node: The node that evaluates the expression, or the scan of the metadata column.
        title: Title of the node's plan in the advice of EXPLAIN PLAN_ADVICE.
    """

    def __init__(self, message: str, node: Node, title: str = RELATED_PLAN) -> None:
        super().__init__(message, hint=f"SET '{OPTION}' = 'IGNORE' takes the risk")
        self.node = node
        self.title = title
