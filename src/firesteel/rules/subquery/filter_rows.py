"""Rewrite sub-queries of a filter's condition as semi joins, anti joins, or joined values.

    WHERE x IN (SELECT y FROM r)           ->  Join(SEMI, x = y)
    WHERE NOT EXISTS (SELECT .. r.k = l.k) ->  Join(ANTI, r.k = l.k)
    WHERE EXISTS (SELECT * FROM r)         ->  Join(SEMI, m IS NOT NULL) with MIN(TRUE) AS m of r
    WHERE x IN (SELECT y FROM r) OR z      ->  as in SELECT (join_values.py)

Flink: FlinkSubQueryRemoveRule; Calcite: SubQueryRemoveRule.
"""

from __future__ import annotations

from collections.abc import Callable

from firesteel.functions.expression.nodes import AggregateCall, Call, Expr, InputRef
from firesteel.plan.expressions.operations import (
    NOT_NULL_BOOLEAN,
    TRUE,
    comparison,
    conjunction,
    conjuncts,
    identity,
    is_null,
    logical_call,
    rewrite,
)
from firesteel.plan.expressions.sub_query import SubQuery, sub_queries
from firesteel.plan.join_condition import push_expressions
from firesteel.plan.nodes.join.join_type import JoinType
from firesteel.plan.nodes.join.logical import Join
from firesteel.plan.nodes.logical import Aggregate, Filter, Project
from firesteel.plan.rel_builder import consistent
from firesteel.plan.simplify import simplify_condition
from firesteel.plan.tree import Node
from firesteel.rules.subquery.around import Around
from firesteel.rules.subquery.join_values import JoinedValues, has_one_row
from firesteel.rules.subquery.pull_up import as_join_terms, pull_up
from firesteel.types.sql import BOOLEAN

Rewrite = Callable[[Node], Node]


def without_known(expr: Expr) -> Expr:
    """Return an expression with TRUE for each EXISTS of a query that always has a row."""

    def rule(part: Expr) -> Expr:
        known = isinstance(part, SubQuery) and part.function == "EXISTS" and has_one_row(part.query)
        return TRUE if known else part

    return rewrite(expr, rule) if sub_queries(expr) else expr


def filter_rows(node: Filter, rewritten: Rewrite, start: int = 0) -> Node:
    """Return the rows that satisfy a condition with sub-queries.

    Args:
        node: A filter whose condition has sub-queries.
        rewritten: Rewrites the sub-queries within a plan.
        start: Number by which `$COR` calls in the sub-queries read the filter's first column. It is 0,
            except for the right input of a join, whose columns are numbered after those of the left input.
    """
    below: Node = node.input
    width = len(below.schema)
    rest = []
    for term in conjuncts(node.condition):
        negated, query = _membership(term)
        if query is None:
            rest.append(term)
        else:
            below = _semi_join(below, query, negated, rewritten, start)
    values = JoinedValues(below, rewritten, start)
    terms = [values.condition(term) for term in rest]
    condition = conjunction(terms)
    if condition is None:
        return below
    if any(map(sub_queries, rest)):
        condition = simplify_condition(condition)
    filtered = Filter(values.node, condition, node.having and values.node is below)
    if len(filtered.schema) == width:
        return filtered
    columns = identity(f.type for f in node.schema)
    return Project(filtered, columns, tuple(f.name for f in node.schema))


def _membership(term: Expr) -> tuple[bool, SubQuery | None]:
    """Return whether a term `x IN (..)` or `EXISTS (..)` is below a NOT, and its sub-query.

    The sub-query is None for any other term, and if x itself has a sub-query.
    """
    negated = isinstance(term, Call) and term.function == "NOT"
    inner = term.args[0] if isinstance(term, Call) and negated else term
    if not isinstance(inner, SubQuery) or inner.function not in ("IN", "EXISTS"):
        return False, None
    return negated, None if any(map(sub_queries, inner.args)) else inner


def _semi_join(left: Node, query: SubQuery, anti: bool, rewritten: Rewrite, start: int) -> Node:
    if query.function == "EXISTS" and not query.correlation:
        return _whole_semi_join(left, rewritten(query.query), anti)
    around = Around(left, query.correlation, place=query.range, start=start)
    pulled = pull_up(rewritten(query.query), around)
    width = len(left.schema)
    columns = [InputRef(width + i, pulled.node.schema[i].type) for i in pulled.positions]
    terms: list[Expr] = []
    if query.function == "IN":
        pairs = zip(query.args, columns, strict=True)
        terms = [_null_aware(one, other) if anti else _equal(one, other) for one, other in pairs]
    terms += as_join_terms(pulled, around)
    condition = conjunction(terms) or TRUE
    join_type = JoinType.ANTI if anti else JoinType.SEMI
    return push_expressions(Join((left, pulled.node), join_type, condition))


def _whole_semi_join(left: Node, rows: Node, anti: bool) -> Node:
    """Return all rows of `left` if `rows` has a row, else none. With `anti`, it is the other way round.

    The condition of the join is that MIN(TRUE) over `rows` is not NULL: it is NULL if there are no rows.
    """
    marked = Project(rows, (TRUE,), ("i",))
    least = Aggregate(marked, (), (AggregateCall("MIN", (0,), BOOLEAN, "m"),))
    there = Project(least, (Call("IS NOT NULL", (InputRef(0, BOOLEAN),), NOT_NULL_BOOLEAN),), ("$f0",))
    condition = InputRef(len(left.schema), NOT_NULL_BOOLEAN)
    return push_expressions(Join((left, there), JoinType.ANTI if anti else JoinType.SEMI, condition))


def _equal(one: Expr, other: Expr) -> Expr:
    return consistent(comparison("=", one, other))


def _null_aware(one: Expr, other: Expr) -> Expr:
    """Return a condition that holds if two values may be equal. NULL may be equal to any value."""
    nulls = [is_null(side) for side in (one, other) if side.type.nullable]
    return logical_call("OR", [*nulls, comparison("=", one, other)] if nulls else [_equal(one, other)])
