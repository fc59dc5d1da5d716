"""Sub-queries in SELECT and HAVING of a query with GROUP BY, which read the columns of its aggregate."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any

from firesteel.functions.expression.nodes import Call, Expr, InputRef
from firesteel.plan.expressions.operations import rewrite
from firesteel.plan.expressions.sub_query import CORRELATED, SubQuery
from firesteel.plan.tree import Node


def over_groups(query: SubQuery, over_result: Callable[[Expr], Expr]) -> SubQuery:
    """Return a sub-query that reads the outer query's columns after its GROUP BY instead of before it.

    Args:
        query: The sub-query. Its correlated columns are columns of the aggregate's input.
        over_result: Function that takes an expression over the aggregate's input, and returns the same value
            as an expression over the aggregate's columns. It raises ValidationError for a column of the input
            that is not grouped.
    """
    args = tuple(map(over_result, query.args))
    if not query.correlation:
        return replace(query, args=args)

    def rule(part: Expr) -> Expr:
        if isinstance(part, SubQuery):
            return replace(part, query=_mapped(part.query, rule))
        if not isinstance(part, Call) or part.function != CORRELATED or part.options[0] != query.correlation:
            return part
        column = over_result(InputRef(int(part.options[2]), part.type, part.range))
        assert isinstance(column, InputRef)
        return replace(part, type=column.type, options=(*part.options[:2], str(column.index)))

    return replace(query, args=args, query=_mapped(query.query, rule))


def _mapped(node: Node, rule: Callable[[Expr], Expr]) -> Node:
    """Return a plan with a rule applied to all expressions of its nodes."""
    node = node.with_children(tuple(_mapped(child, rule) for child in node.children))
    values: dict[str, Any] = {field.name: getattr(node, field.name) for field in fields(node)}  # type: ignore[arg-type]
    changed: dict[str, Any] = {}
    for name, value in values.items():
        if isinstance(value, Expr):
            found: Any = rewrite(value, rule)
        elif isinstance(value, tuple) and any(isinstance(part, Expr) for part in value):
            found = tuple(rewrite(part, rule) if isinstance(part, Expr) else part for part in value)
        else:
            continue
        if found != value:
            changed[name] = found
    return replace(node, **changed) if changed else node  # type: ignore[type-var]
