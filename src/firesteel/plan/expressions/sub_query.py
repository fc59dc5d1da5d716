"""Sub-queries in expressions, and columns of the query around them.

A sub-query is a call with a plan. rules/subquery/ makes joins of all of them, so no rule after it meets one.

    x IN (SELECT ..)          SubQuery("IN", (x,), query=..)
    EXISTS (SELECT ..)        SubQuery("EXISTS", (), query=..)
    (SELECT MAX(y) ..)        SubQuery("$SCALAR_QUERY", (), query=..)
    x < ANY (SELECT ..)       SubQuery("< SOME", (x,), query=..)

Within the query, a column of the query around it is `$COR`. Calcite: RexSubQuery, RexFieldAccess over a
RexCorrelVariable.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from firesteel.functions.expression.nodes import Call, Expr, InputRef
from firesteel.plan.expressions.operations import rewrite, walk
from firesteel.plan.tree import Node

CORRELATED = "$COR"
SCALAR = "$SCALAR_QUERY"


@dataclass(frozen=True, eq=False)
class SubQuery(Call):
    """Call that contains a query, from whose result its value is computed: `x IN (SELECT ..)`.

    Attributes:
        query: Plan of the contained query.
        correlation: Name of the outer query, such as `$cor0`. In `query`, each `$COR` call that reads a
            column of the outer query has this name. "" if `query` reads no such column.
    """

    query: Node = field(kw_only=True)
    correlation: str = field(default="", kw_only=True)

    def with_args(self, args: tuple[Expr, ...]) -> Call:
        """Return this sub-query with other operands."""
        return self if args == self.args else replace(self, args=args)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SubQuery) and super().__eq__(other) and self.query == other.query

    def __hash__(self) -> int:
        return hash((self.function, self.args, self.type))


def correlated_column(correlation: str, name: str, column: InputRef) -> Call:
    """Return the `$COR` call that stands for a column of the outer query within a sub-query.

    Args:
        correlation: Name of the outer query, such as `$cor0`.
        name: Name of the column.
        column: The column in the outer query.
    """
    return Call(CORRELATED, (), column.type, (correlation, name, str(column.index)), column.range)


def is_correlated(expr: Expr, correlation: str) -> bool:
    """Return whether an expression of a sub-query reads a column of the outer query named `correlation`."""
    return any(_reads(part, correlation) for part in walk(expr))


def correlated_indices(exprs: Sequence[Expr], correlation: str) -> list[int]:
    """Return the positions of the outer query's columns that expressions read, ascending."""
    found = {
        int(part.options[2])
        for expr in exprs
        for part in walk(expr)
        if isinstance(part, Call) and _reads(part, correlation)
    }
    return sorted(found)


def with_columns(expr: Expr, correlation: str, column: Callable[[int], Expr]) -> Expr:
    """Return an expression with each column of the outer query replaced.

    Args:
        expr: Expression of a sub-query.
        correlation: Name of the outer query.
        column: Returns the replacement of a column, given its position in the outer query.
    """

    def rule(part: Expr) -> Expr:
        return column(int(part.options[2])) if isinstance(part, Call) and _reads(part, correlation) else part

    return rewrite(expr, rule)


def over_outer_row(expr: Expr) -> Expr:
    """Return an expression with its `$COR` calls replaced by references to the columns of the outer query.

    Use it for expressions that read the outer query only: a reference to a column of the sub-query would be
    taken for one to the outer query's column.
    """

    def rule(part: Expr) -> Expr:
        if isinstance(part, Call) and part.function == CORRELATED:
            return InputRef(int(part.options[2]), part.type, part.range)
        return part

    return rewrite(expr, rule)


def _reads(part: Expr, correlation: str) -> bool:
    return isinstance(part, Call) and part.function == CORRELATED and part.options[0] == correlation


def sub_queries(expr: Expr) -> list[SubQuery]:
    """Return the sub-queries of an expression, from left to right."""
    return [part for part in walk(expr) if isinstance(part, SubQuery)]
