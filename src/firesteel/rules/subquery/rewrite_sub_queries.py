"""Sub-queries become joins: first those of a WHERE clause that a semi or anti join decides, then all others.

    WHERE x IN (SELECT y FROM r)          ->  Join(SEMI, x = y)
    WHERE NOT EXISTS (SELECT .. r.k = l.k) ->  Join(ANTI, r.k = l.k)
    SELECT (SELECT MAX(y) FROM r)         ->  Join(LEFT, true) with the aggregate

Flink: the program subquery_rewrite and decorrelate; FlinkSubQueryRemoveRule, Calcite's SubQueryRemoveRule.
"""

from __future__ import annotations

from dataclasses import replace

from firesteel.errors import NotSupportedError
from firesteel.functions.expression.nodes import Call, Expr, InputRef
from firesteel.functions.expression.recursion import from_below
from firesteel.plan.expressions.operations import (
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
from firesteel.plan.node_expressions import part_expressions
from firesteel.plan.nodes.correlate.logical import Correlate, TableFunctionScan, Uncollect
from firesteel.plan.nodes.join.join_type import JoinType
from firesteel.plan.nodes.join.logical import Join
from firesteel.plan.nodes.logical import Filter, Project
from firesteel.plan.nodes.over.logical import Sort
from firesteel.plan.rel_builder import consistent
from firesteel.plan.simplify import simplify_condition, simplify_value
from firesteel.plan.tree import Node, walk
from firesteel.rules.subquery.join_values import JoinedValues, has_one_row, outer_first
from firesteel.rules.subquery.lateral_top_n import lateral_top_n
from firesteel.rules.subquery.pull_up import Around, as_join_terms, pull_up
from firesteel.rules.temporal.snapshot_join import snapshot_join


@from_below
def rewrite_sub_queries(node: Node) -> Node:
    """Apply to a whole plan, from the leaves up.

    Raises:
        NotSupportedError: A sub-query stands where it cannot become a join yet.
    """
    node = node.with_children(tuple(map(rewrite_sub_queries, node.children)))
    if isinstance(node, Correlate):
        return _lateral(node)
    found = [query for expr in part_expressions(node) for query in sub_queries(expr)]
    if not found:
        return node
    if isinstance(node, Filter):
        condition = without_known(node.condition)
        if condition != node.condition:
            return rewrite_sub_queries(replace(node, condition=simplify_condition(condition)))
        return _filter(node)
    if isinstance(node, Project):
        return _project(replace(node, exprs=tuple(map(without_known, node.exprs))))
    raise NotSupportedError("a sub-query in ON is not supported yet", range=found[0].range)


def _lateral(node: Correlate) -> Node:
    """A join with a query that reads the tables before it. Table functions are called for each row.

    Raises:
        ValidationError: Flink does not take what the query reads.
    """
    temporal = snapshot_join(node)
    if temporal is not node:
        return temporal
    left, right = node.inputs
    if any(isinstance(part, (Uncollect, TableFunctionScan)) for part in walk(right)):
        return node
    if any(isinstance(part, Sort) for part in walk(right)):
        return lateral_top_n(node)
    around = Around(left, node.variable, not_null=True)
    pulled = pull_up(right, around)
    width = len(left.schema)
    terms = [outer_first(term, width) for term in as_join_terms(pulled, around)]
    joined = push_expressions(Join((left, pulled.node), node.join_type, conjunction(terms) or TRUE))
    columns = identity(f.type for f in joined.schema)
    shown = (*range(width), *(width + i for i in pulled.positions))
    if shown == tuple(range(len(joined.schema))):
        return joined
    return Project(joined, tuple(columns[i] for i in shown), tuple(f.name for f in node.schema))


def without_known(expr: Expr) -> Expr:
    """Return an expression with TRUE for EXISTS of a query that has a row whatever there is below it."""

    def rule(part: Expr) -> Expr:
        known = isinstance(part, SubQuery) and part.function == "EXISTS" and has_one_row(part.query)
        return TRUE if known else part

    return rewrite(expr, rule) if sub_queries(expr) else expr


def _filter(node: Filter) -> Node:
    below: Node = node.input
    width = len(below.schema)
    rest = []
    for term in conjuncts(node.condition):
        negated, query = _membership(term)
        if query is None:
            rest.append(term)
        else:
            below = _semi_join(below, query, negated)
    values = JoinedValues(below, rewrite_sub_queries)
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
    """The sub-query of `x IN (..)`, `EXISTS (..)`, and of their negations."""
    negated = isinstance(term, Call) and term.function == "NOT"
    inner = term.args[0] if isinstance(term, Call) and negated else term
    if not isinstance(inner, SubQuery) or inner.function not in ("IN", "EXISTS"):
        return False, None
    if inner.function == "EXISTS" and not inner.correlation:
        return False, None
    return negated, None if any(map(sub_queries, inner.args)) else inner


def _semi_join(left: Node, query: SubQuery, anti: bool) -> Node:
    around = Around(left, query.correlation, place=query.range)
    pulled = pull_up(rewrite_sub_queries(query.query), around)
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


def _equal(one: Expr, other: Expr) -> Expr:
    return consistent(comparison("=", one, other))


def _null_aware(one: Expr, other: Expr) -> Expr:
    """Whether a value may be equal to another: one that is NULL may be any."""
    nulls = [is_null(side) for side in (one, other) if side.type.nullable]
    return logical_call("OR", [*nulls, comparison("=", one, other)] if nulls else [_equal(one, other)])


def _project(node: Project) -> Node:
    values = JoinedValues(node.input, rewrite_sub_queries)
    exprs = []
    for expr in node.exprs:
        found = values.replaced(expr)
        exprs.append(expr if found is expr else simplify_value(_retyped(found, expr)))
    return replace(node, input=values.node, exprs=tuple(exprs))


def _retyped(found: Expr, given: Expr) -> Expr:
    """With the type that the projection had for it; it may be NULL less often."""
    return found if found.type.same_as(given.type) else Call("CAST", (found,), given.type)
