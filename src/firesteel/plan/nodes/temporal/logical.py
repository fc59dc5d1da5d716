"""Logical node of a table as of a point in time."""

from __future__ import annotations

from dataclasses import dataclass, field

from firesteel.errors import SourceRange
from firesteel.functions.expression.nodes import Expr
from firesteel.plan.nodes.temporal.lookup_hint import LookupHint
from firesteel.plan.tree import LogicalNode, SameColumns


@dataclass(frozen=True)
class Snapshot(SameColumns, LogicalNode):
    """LogicalSnapshot: the rows of a table as of a point in time.

    It is the right input of a Correlate, possibly below a filter with the condition of the join. Then
    rules/temporal/snapshot_join.py turns the Correlate into a Join, with the Snapshot as right input.

    Attributes:
        input: The table or view.
        period: The point in time, with the columns of the left row as `$COR`.
        range: Where the table stands in the text of the statement, for error messages.
        lookup: Whether a lookup join reads the table, as it is when the left row is processed.
        hints: All LOOKUP hints of the query, also those for other tables.
        hint: The LOOKUP hint for this table.
    """

    period: Expr
    range: SourceRange | None = field(default=None, compare=False)
    lookup: bool = False
    hints: tuple[LookupHint, ...] = ()
    hint: LookupHint | None = None
