"""Outer query of a sub-query, with which the rules join the sub-query."""

from __future__ import annotations

from dataclasses import dataclass

from firesteel.errors import SourceRange
from firesteel.functions.expression.nodes import Expr, InputRef
from firesteel.plan.expressions.sub_query import is_correlated
from firesteel.plan.tree import Node


@dataclass(frozen=True)
class Around:
    """Outer query of a sub-query.

    Attributes:
        node: Rows of the outer query.
        correlation: Name by which the sub-query reads the outer columns.
        not_null: Whether the sub-query drops rows in which a column that must equal an outer column is NULL.
            Such a row has no partner in the join with the outer query.
        place: Position of the sub-query in the statement, for errors.
        start: Number by which `$COR` calls in the sub-query read the first column of `node`. It is 0, unless
            the sub-query is in an ON condition and `node` is the right input of this join: the columns of the
            right input are numbered after those of the left one.
    """

    node: Node
    correlation: str
    not_null: bool = False
    place: SourceRange | None = None
    start: int = 0

    @property
    def columns(self) -> dict[int, InputRef]:
        """Columns of the outer query, by the numbers with which `$COR` calls in the sub-query read them."""
        return {self.start + i: InputRef(i, field.type) for i, field in enumerate(self.node.schema)}

    def reads(self, expr: Expr) -> bool:
        """Return whether an expression reads columns of the outer query."""
        return is_correlated(expr, self.correlation)
