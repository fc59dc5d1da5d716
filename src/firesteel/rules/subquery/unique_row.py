"""Recognize a scalar sub-query that finds its row by a unique key, which needs no check for a second row.

    SELECT (SELECT name FROM custs WHERE custs.id = orders.cust)   unique key custs.id
        ->  orders LEFT JOIN custs ON custs.id = orders.cust

Flink: Calcite's RelDecorrelator, RemoveCorrelationForScalarProjectRule.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from firesteel.functions.expression.nodes import Call, Expr, InputRef
from firesteel.plan.expressions.operations import conjuncts, input_refs
from firesteel.plan.metadata import unique_keys
from firesteel.plan.node_expressions import part_expressions
from firesteel.plan.nodes.logical import Filter, Project
from firesteel.plan.tree import Node, walk
from firesteel.rules.subquery.around import Around


@dataclass(frozen=True)
class UniqueRow:
    """Scalar sub-query with at most one row for each row of the outer query.

    Attributes:
        rows: The rows to look up, without columns of the outer query.
        condition: Condition over the columns of `rows` and `$COR` columns.
        key: Column of `rows` that is equal to an outer column, so not NULL in a row that is found.
        value: Expression over the columns of `rows`.
    """

    rows: Node
    condition: Expr
    key: int
    value: Expr


def unique_row(plan: Node, around: Around) -> UniqueRow | None:
    """Return the parts of a sub-query's plan that selects at most one row, by an equality with a unique key.

    None for any other plan. `plan` has one column.
    """
    if not isinstance(plan, Project) or not isinstance(plan.input, Filter):
        return None
    found = plan.input
    if any(map(around.reads, plan.exprs)) or _reads_outer(found.input, around):
        return None
    keys = _equal_columns(conjuncts(found.condition), around)
    if not keys or not any(key <= set(keys) for key in unique_keys(found.input)):
        return None
    return UniqueRow(found.input, found.condition, keys[0], plan.exprs[0])


def _equal_columns(terms: Sequence[Expr], around: Around) -> list[int] | None:
    """Return the columns of the sub-query that its terms on the outer query equate with outer expressions.

        custs.id = $COR.cust AND custs.ok   ->   [position of custs.id]

    None if a term that reads the outer query is anything but such an equality. Other terms are ignored.
    """
    columns = []
    for term in filter(around.reads, terms):
        if not isinstance(term, Call) or term.function != "=":
            return None
        one, other = term.args if isinstance(term.args[0], InputRef) else term.args[::-1]
        if not isinstance(one, InputRef) or input_refs(other):
            return None
        columns.append(one.index)
    return columns


def _reads_outer(node: Node, around: Around) -> bool:
    return any(around.reads(expr) for part in walk(node) for expr in part_expressions(part))
