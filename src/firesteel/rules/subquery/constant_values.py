"""Plan the rows that decide an IN with constants on its left side, such as `5 IN (SELECT v FROM r)`.

Calcite: SubQueryRemoveRule, allLiterals. A filter keeps the rows of the sub-query that equal the constants or
have a NULL. An aggregate reduces the rows that are left to one row with two columns. A LEFT JOIN adds this
row to each outer row. Its columns, cs (BOOLEAN) and c (a count), determine the value of IN:

    rows that are left                    cs      c                             value of IN
    some row equals the constants         TRUE    rows that equal them          TRUE
    all rows have a NULL                  FALSE   rows with a NULL              NULL
    no row: the LEFT JOIN pads            NULL    NULL                          FALSE

If no column of the sub-query can be NULL, the row has no column c, and cs is TRUE or NULL after the join.
For a correlated sub-query, there is no column c either. The aggregate then returns the distinct combinations
of cs and the columns that must equal outer columns. The LEFT JOIN compares these columns.
"""

from __future__ import annotations

from collections.abc import Sequence

from firesteel.functions.expression.nodes import AggregateCall, Call, Expr, InputRef, Literal
from firesteel.plan.expressions.operations import (
    NOT_NULL_BOOLEAN,
    TRUE,
    comparison,
    conjunction,
    identity,
    is_null,
    logical_call,
)
from firesteel.plan.expressions.over import Direction
from firesteel.plan.nodes.logical import Aggregate, Filter, Project
from firesteel.plan.nodes.over.logical import Sort
from firesteel.plan.rel_builder import consistent
from firesteel.plan.tree import Node
from firesteel.types.sql import BIGINT

_COUNT = BIGINT.with_nullable(False)


def constants(args: Sequence[Expr]) -> list[Literal] | None:
    """Return the operands of IN if they are constants other than NULL, else None."""
    found = [arg for arg in args if isinstance(arg, Literal) and arg.value is not None]
    return found if len(found) == len(args) else None


def matching_rows(node: Node, columns: Sequence[int], operands: Sequence[Literal]) -> Node:
    """Return the rows whose columns equal the operands, and those with a NULL."""
    refs = [InputRef(i, node.schema[i].type) for i in columns]
    equal = conjunction(
        consistent(comparison("=", operand, ref)) for operand, ref in zip(operands, refs, strict=True)
    )
    assert equal is not None
    nulls = [is_null(ref) for ref in refs if ref.type.nullable]
    return Filter(node, logical_call("OR", [equal, *nulls]) if nulls else equal)


def has_value(node: Node, columns: Sequence[int]) -> Expr:
    """Return the test that none of these columns is NULL, for rows that `matching_rows` has filtered.

    Each of these rows equals the constants of IN or has a NULL. So a row without NULL equals the constants,
    and IN is TRUE.
    """
    refs = [InputRef(i, node.schema[i].type) for i in columns]
    tests = [Call("IS NOT NULL", (ref,), NOT_NULL_BOOLEAN) for ref in refs if ref.type.nullable]
    return conjunction(tests) or TRUE


def deciding_row(rows: Node, columns: Sequence[int]) -> Node:
    """Return the row that decides an IN without correlation.

    Its column `cs` is TRUE if a row equals the constants, and FALSE if all rows have a NULL. If a column can
    be NULL, the column `c` follows: the number of rows with this `cs`. If there are no rows, there is no
    deciding row.
    """
    value = has_value(rows, columns)
    shown = Project(rows, (value,), ("cs",))
    if value == TRUE:
        return Aggregate(shown, (0,), ())
    counted = Aggregate(shown, (0,), (AggregateCall("COUNT", (), _COUNT, "c"),))
    return Sort(counted, (0,), (Direction(descending=True, nulls_first=False),), 0, 1)


def deciding_rows(rows: Node, columns: Sequence[int], keys: Sequence[int]) -> Node:
    """Return the rows that decide a correlated IN: distinct values of the column `cs` and the columns `keys`.

    `cs` is TRUE for a row without NULL, which equals the constants, and FALSE for a row with a NULL.
    """
    refs = identity(f.type for f in rows.schema)
    exprs = (has_value(rows, columns), *(refs[key] for key in keys))
    shown = Project(rows, exprs, ("cs", *(rows.schema[key].name for key in keys)))
    return Aggregate(shown, tuple(range(len(exprs))), ())
