"""Logical node of a table as of a point in time."""

from __future__ import annotations

from dataclasses import dataclass, field

from firesteel.errors import SourceRange
from firesteel.functions.expression.nodes import Expr
from firesteel.plan.nodes.temporal.lookup_hint import LookupHint
from firesteel.plan.tree import Field, LogicalNode, Node


@dataclass(frozen=True)
class Snapshot(LogicalNode):
    """LogicalSnapshot: the rows of a table as they were at a point in time.

    It is the right input of a Correlate, perhaps below a filter with the condition of the join. Then
    rules/temporal/snapshot_join.py makes a Join of the Correlate, and the Snapshot is its right input.

    Attributes:
        input: The table or view.
        period: The point in time, with the columns of the row to the left as `$COR`.
        range: Where the table stands in the query.
        lookup: Whether a lookup join reads it: the table as it is when the row to the left is processed.
        hints: All hints LOOKUP of the query.
        hint: The one about this table.
    """

    input: Node
    period: Expr
    range: SourceRange | None = field(default=None, compare=False)
    lookup: bool = False
    hints: tuple[LookupHint, ...] = ()
    hint: LookupHint | None = None

    @property
    def schema(self) -> tuple[Field, ...]:
        return self.input.schema
