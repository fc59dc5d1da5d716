"""Rewrite sub-queries as joins, from the leaves of a plan up.

    WHERE x IN (SELECT y FROM r)       ->  filter_rows.py
    SELECT (SELECT MAX(y) FROM r)      ->  join_values.py
    ON l.k = r.k AND EXISTS (..)       ->  join_on.py

Flink: the programs subquery_rewrite and decorrelate; FlinkSubQueryRemoveRule, Calcite's SubQueryRemoveRule.
"""

from __future__ import annotations

from dataclasses import replace

from firesteel.errors import NotSupportedError
from firesteel.functions.expression.nodes import Call, Expr
from firesteel.functions.expression.recursion import from_below
from firesteel.plan.expressions.operations import TRUE, conjunction, identity, substitute
from firesteel.plan.expressions.sub_query import sub_queries
from firesteel.plan.join_condition import push_expressions
from firesteel.plan.node_expressions import part_expressions
from firesteel.plan.nodes.correlate.logical import Correlate, TableFunctionScan, Uncollect
from firesteel.plan.nodes.join.join_type import JoinType
from firesteel.plan.nodes.join.logical import Join
from firesteel.plan.nodes.logical import Aggregate, Filter, Project
from firesteel.plan.nodes.over.logical import Sort
from firesteel.plan.simplify import simplify_condition, simplify_value
from firesteel.plan.tree import Node, walk
from firesteel.rules.subquery.around import Around
from firesteel.rules.subquery.count_to_exists import count_to_exists
from firesteel.rules.subquery.filter_rows import filter_rows, without_known
from firesteel.rules.subquery.join_on import join_on
from firesteel.rules.subquery.join_values import (
    JoinedValues,
    above_aggregate,
    counts_of_no_rows,
    has_one_row,
    outer_first,
)
from firesteel.rules.subquery.lateral_top_n import lateral_top_n
from firesteel.rules.subquery.pull_up import as_join_terms, pull_up
from firesteel.rules.temporal.snapshot_join import snapshot_join


@from_below
def rewrite_sub_queries(node: Node) -> Node:
    """Return a plan with its sub-queries as joins.

    Raises:
        NotSupportedError: A sub-query is in a place where it cannot become a join yet.
    """
    node = node.with_children(tuple(map(rewrite_sub_queries, node.children)))
    if isinstance(node, Correlate):
        return _lateral(node)
    found = [query for expr in part_expressions(node) for query in sub_queries(expr)]
    if not found:
        return node
    if isinstance(node, Filter):
        condition = count_to_exists(without_known(node.condition))
        if condition != node.condition:
            return rewrite_sub_queries(replace(node, condition=simplify_condition(condition)))
        return filter_rows(node, rewrite_sub_queries)
    if isinstance(node, Project):
        return _project(replace(node, exprs=tuple(map(without_known, node.exprs))))
    if isinstance(node, Join):
        return join_on(node, rewrite_sub_queries)
    raise NotSupportedError("a sub-query is not supported here yet", range=found[0].range)


def _lateral(node: Correlate) -> Node:
    """Return a LATERAL query as a join. Table functions stay: they are called for each row.

    Raises:
        ValidationError: Flink refuses the columns that the query reads.
    """
    temporal = snapshot_join(node)
    if temporal is not node:
        return temporal
    right = node.inputs[1]
    if any(isinstance(part, (Uncollect, TableFunctionScan)) for part in walk(right)):
        return node
    if any(isinstance(part, Sort) for part in walk(right)):
        return lateral_top_n(node)
    return _joined(node)


def _joined(node: Correlate) -> Node:
    """Return a LATERAL query without Sort as a join.

    In a LEFT JOIN, an outer row without rows to aggregate is padded, so its COUNT is NULL. If the query
    selects a single column, this COUNT becomes 0 (Calcite: RemoveCorrelationForScalarAggregateRule). If it
    selects several columns, the COUNT stays NULL, as in Flink.
    """
    left, right = node.inputs
    exprs, below = above_aggregate(right)
    counts = below if isinstance(below, Aggregate) and has_one_row(below) else None
    if counts is None or node.join_type is not JoinType.LEFT or len(exprs) > 1:
        exprs, below, counts = identity(f.type for f in right.schema), right, None
    around = Around(left, node.variable, not_null=True)
    pulled = pull_up(below, around)
    width = len(left.schema)
    terms = [outer_first(term, width) for term in as_join_terms(pulled, around)]
    joined = push_expressions(Join((left, pulled.node), node.join_type, conjunction(terms) or TRUE))
    columns = identity(f.type for f in joined.schema)
    found: list[Expr] = [columns[width + i] for i in pulled.positions]
    if counts is not None:
        found = counts_of_no_rows(found, counts)
    shown = (*columns[:width], *(substitute(expr, found) for expr in exprs))
    if shown == tuple(columns):
        return joined
    return Project(joined, shown, tuple(f.name for f in node.schema))


def _project(node: Project) -> Node:
    values = JoinedValues(node.input, rewrite_sub_queries)
    exprs = []
    for expr in node.exprs:
        found = values.replaced(expr)
        exprs.append(expr if found is expr else simplify_value(_retyped(found, expr)))
    return replace(node, input=values.node, exprs=tuple(exprs))


def _retyped(found: Expr, given: Expr) -> Expr:
    """Return `found`, cast to the type of `given` if the two types differ in more than nullability."""
    return found if found.type.same_as(given.type) else Call("CAST", (found,), given.type)
