"""Common columns of joins: the columns that USING and NATURAL compare.

A common column stands for one column of each joined table. This module has the expressions for its value
in `SELECT *`, and where a query writes the column's name without a table.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce

from firesteel.functions.expression.casting import as_type
from firesteel.functions.expression.nodes import Call, Expr, InputRef
from firesteel.types.coerce import common_type


@dataclass(frozen=True)
class CommonColumn:
    """Column of USING or of a NATURAL join.

    Attributes:
        name: Name of the column in all joined tables.
        columns: Columns that the joins compare, from left to right.
        named: The first two columns of this name among all tables in FROM. As in Flink, `k` without a
            table's name is the COALESCE of these two, even if the joins do not compare one of them.
            In this example, a, b and c all have a column k:
                a JOIN b ON a.x = b.y JOIN c USING (k)   ->   columns: a.k and c.k; named: a.k and b.k
        is_named: Whether the name may be written without a table's name: `k` instead of `t.k`. As in Flink,
            `k` is ambiguous for a NATURAL join, for any join in the input of a join without USING, and for a
            join in parentheses at the right of another join.
        place: Position of the first column of the join's input: `*` shows the common column before it.
    """

    name: str
    columns: tuple[InputRef, ...]
    named: tuple[InputRef, InputRef]
    is_named: bool = True
    place: int = 0

    @property
    def value(self) -> Expr:
        """Return the value that `*` shows for the column: the first of its columns that is not NULL."""
        first: Expr = self.columns[0]
        return reduce(_coalesce, self.columns[1:], first)

    @property
    def named_value(self) -> Expr:
        """Return the value of `k`, the column's name without a table's name: the COALESCE of `named`."""
        return _coalesce(*self.named)


def _coalesce(left: Expr, right: Expr) -> Expr:
    kind = common_type((left.type, right.type)) or left.type
    args = tuple(as_type(side, kind.with_nullable(side.type.nullable)) for side in (left, right))
    return Call("COALESCE", args, kind.with_nullable(left.type.nullable and right.type.nullable))
