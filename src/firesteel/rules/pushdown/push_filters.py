"""Push filters down to where their columns come from.

    Filter(x > 1)  Project(a AS x)   ->   Project(a AS x)  Filter(a > 1)

Calcite: FilterProjectTransposeRule, FilterAggregateTransposeRule (conditions on keys alone),
FilterSetOpTransposeRule, FilterMergeRule (the lower condition stands first).
"""

from __future__ import annotations

from firesteel.functions.expression.nodes import Expr
from firesteel.functions.expression.recursion import from_below
from firesteel.plan.expressions.operations import conjunction, conjuncts, input_refs, renumber, substitute
from firesteel.plan.expressions.over import contains_over
from firesteel.plan.nodes.correlate.logical import Correlate
from firesteel.plan.nodes.join.logical import Join
from firesteel.plan.nodes.logical import Aggregate, Filter, Project, Union
from firesteel.plan.nodes.set_op.logical import Intersect, Minus
from firesteel.plan.nodes.temporal.condition import is_temporal
from firesteel.plan.nodes.temporal.logical import Snapshot
from firesteel.plan.nodes.window.logical import GroupWindowAggregate
from firesteel.plan.tree import Node
from firesteel.rules.correlate.push_filters import push_into_correlate
from firesteel.rules.join.push_join_filters import push_into_join
from firesteel.rules.normalize.merge_projects import is_deterministic


@from_below
def push_filters(node: Node) -> Node:
    """Push a filter, or the condition of a join, below the node under it, and further down."""
    if is_temporal(node):
        return node  # without the rows that a filter drops, versions would stay valid for too long
    if isinstance(node, Join):
        return _pushed_on(push_into_join(None, node))
    if not isinstance(node, Filter) or is_temporal(node.input):
        return node
    below = node.input
    if isinstance(below, Join):
        return _pushed_on(push_into_join(node.condition, below))
    if isinstance(below, Correlate):
        return _pushed_on(push_into_correlate(node.condition, below))
    if isinstance(below, Filter):
        return push_filters(_filter(below.input, [*conjuncts(below.condition), *conjuncts(node.condition)]))
    if isinstance(below, Snapshot) and below.lookup:
        return below.with_children((push_filters(Filter(below.input, node.condition)),))
    if isinstance(below, Project) and _lets_pass(below, node.condition):
        return below.with_children(
            (push_filters(Filter(below.input, substitute(node.condition, below.exprs))),)
        )
    if isinstance(below, (Union, Intersect, Minus)):
        return below.with_children(tuple(push_filters(Filter(i, node.condition)) for i in below.inputs))
    if isinstance(below, (Aggregate, GroupWindowAggregate)) and below.keys:
        return _below_aggregate(node, below)
    return node


@from_below
def _pushed_on(node: Node) -> Node:
    """Return the node with the new filters above a join's inputs pushed further down."""
    if isinstance(node, (Correlate, Join)):
        return node.with_children(tuple(push_filters(s) if isinstance(s, Filter) else s for s in node.inputs))
    return node.with_children(tuple(_pushed_on(child) for child in node.children))


def _lets_pass(below: Project, condition: Expr) -> bool:
    """Return whether a filter may move below a projection. It may not below a window over several rows."""
    return is_deterministic([below.exprs[i] for i in input_refs(condition)]) and not any(
        map(contains_over, below.exprs)
    )


def _below_aggregate(node: Filter, aggregate: Aggregate | GroupWindowAggregate) -> Node:
    keys = dict(enumerate(aggregate.keys))
    if isinstance(aggregate, Aggregate):
        keys = {i: key for i, key in keys.items() if aggregate.in_all_groups(key)}
    pushed: list[Expr] = []
    kept: list[Expr] = []
    for term in conjuncts(node.condition):
        over_keys = all(i in keys for i in input_refs(term))
        (pushed if over_keys else kept).append(term)
    if not pushed:
        return node
    lower = push_filters(_filter(aggregate.input, [renumber(term, keys) for term in pushed]))
    return _filter(aggregate.with_children((lower,)), kept)


def _filter(node: Node, terms: list[Expr]) -> Node:
    condition = conjunction(terms)
    return node if condition is None else Filter(node, condition)
