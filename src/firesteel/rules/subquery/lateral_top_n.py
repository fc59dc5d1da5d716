"""Rewrite LATERAL with ORDER BY and LIMIT, over the distinct keys of the same table, as a rank.

    SELECT q.k, y.id FROM (SELECT DISTINCT k FROM t) AS q,
            LATERAL (SELECT id FROM t WHERE k = q.k ORDER BY v LIMIT 2) AS y
        ->  Project(k, id)  Rank(PARTITION BY k ORDER BY v, 1 to 2)  t

Flink: CorrelateSortToRankRule.
"""

from __future__ import annotations

from firesteel.errors import ValidationError
from firesteel.functions.expression.nodes import Call, Expr, InputRef
from firesteel.plan.expressions.operations import conjuncts, identity
from firesteel.plan.expressions.sub_query import CORRELATED
from firesteel.plan.nodes.correlate.logical import Correlate
from firesteel.plan.nodes.join.join_type import JoinType
from firesteel.plan.nodes.logical import Aggregate, Filter, Project
from firesteel.plan.nodes.over.logical import Sort
from firesteel.plan.nodes.rank.logical import Rank
from firesteel.plan.nodes.rank.rank_range import RankRange
from firesteel.plan.tree import Node


def lateral_top_n(node: Correlate) -> Node:
    """Return the rank that replaces a Correlate over sorted rows.

    Raises:
        ValidationError: The sides read different tables, their keys differ, or the query is a LEFT JOIN.
            Flink refuses such a query.
    """
    found = _rank(node)
    if found is None:
        raise ValidationError(
            f"unexpected correlate variable {node.variable} in the plan",
            hint="LATERAL with ORDER BY and LIMIT takes the distinct keys of its own table on its left. "
            "LEFT JOIN is not allowed",
        )
    return found


def _rank(node: Correlate) -> Node | None:
    left, right = node.inputs
    above, sort = _projected(right)
    if node.join_type is not JoinType.INNER or not isinstance(sort, Sort) or sort.fetch is None:
        return None
    shown, filtered = _projected(sort.input)
    if not isinstance(filtered, Filter):
        return None
    base = filtered.input
    keys = _distinct_keys(left, base)
    if keys is None or _equal_keys(filtered.condition, node.variable) != dict(enumerate(keys)):
        return None
    order = [shown[key] for key in sort.keys]
    columns = tuple(e.index for e in order if isinstance(e, InputRef))
    if len(columns) < len(order):
        return None
    ranks = RankRange(sort.offset + 1, sort.offset + sort.fetch)
    rank = Rank(base, tuple(keys), columns, sort.directions, ranks)
    own = identity(f.type for f in base.schema)
    values = [shown[e.index] if isinstance(e, InputRef) else e for e in above]
    exprs = (*(own[key] for key in keys), *values)
    return Project(rank, exprs, tuple(f.name for f in node.schema))


def _projected(node: Node) -> tuple[tuple[Expr, ...], Node]:
    """Return the expressions of a projection and the node below it.

    For another node, all columns and the node.
    """
    if isinstance(node, Project):
        return node.exprs, node.input
    return identity(f.type for f in node.schema), node


def _distinct_keys(left: Node, base: Node) -> list[int] | None:
    """Return the columns of the table `base` of which `left` has the distinct values.

    None if `left` is anything but a SELECT DISTINCT from `base`. Computed columns are left out.
    """
    if not isinstance(left, Aggregate) or left.calls or left.groups:
        return None
    shown, below = _projected(left.input)
    picked = [shown[key] for key in left.keys]
    if below != base:
        return None
    return [e.index for e in picked if isinstance(e, InputRef)] if len(picked) == len(left.schema) else None


def _equal_keys(condition: Expr, variable: str) -> dict[int, int]:
    """Return for each left column the column of the table that the condition equates with it.

    The columns are positions: {0: 3} for `k = q.k`, if q.k is left column 0 and k is column 3 of the table.
    If a term of the condition is anything but such an equality, return {-1: -1}, which no query has.
    """
    found: dict[int, int] = {}
    for term in conjuncts(condition):
        args = term.args if isinstance(term, Call) and term.function == "=" else ()
        outer = [
            a for a in args if isinstance(a, Call) and a.function == CORRELATED and a.options[0] == variable
        ]
        own = [a for a in args if isinstance(a, InputRef)]
        if len(outer) != 1 or len(own) != 1:
            return {-1: -1}
        found[int(outer[0].options[2])] = own[0].index
    return found
