"""Group the rows of a sub-query by its columns that are equal to columns of the outer query."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from firesteel.functions.expression.nodes import AggregateCall, Call, Expr, InputRef
from firesteel.plan.expressions.operations import TRUE, identity, renumber
from firesteel.plan.nodes.logical import Project
from firesteel.plan.tree import Node
from firesteel.rules.subquery.around import Around
from firesteel.rules.subquery.pull_up import Pulled, grouped_by


def equal_keys(pulled: Pulled, around: Around) -> tuple[list[int], tuple[Expr, ...]]:
    """Return the positions of the plan's columns that equal outer columns, and all terms of the plan."""
    keys = [column for term in pulled.terms if (column := equal_column(term, around)) is not None]
    return list(dict.fromkeys(keys)), pulled.terms


def equal_column(term: Expr, around: Around) -> int | None:
    """Return the column that a term equates with an expression over outer columns, or None."""
    if not isinstance(term, Call) or term.function not in ("=", "IS NOT DISTINCT FROM"):
        return None
    for one, other in (term.args, term.args[::-1]):
        if isinstance(one, InputRef) and around.reads(other):
            return one.index
    return None


def grouped_by_keys(
    node: Node, keys: list[int], calls: tuple[AggregateCall, ...], terms: Sequence[Expr]
) -> Pulled:
    """Return an aggregate of `node` by the columns `keys`, with the conditions `terms` over its columns.

    The terms read only key columns. If calls are equal, the aggregate computes their result once.
    """
    first = [next(n for n, other in enumerate(calls) if _is_same(other, call)) for call in calls]
    kept = sorted(set(first))
    grouped: Node = grouped_by(node, keys, tuple(calls[n] for n in kept))
    if len(kept) < len(calls):
        columns = identity(f.type for f in grouped.schema)
        shown = [*range(len(keys)), *(len(keys) + kept.index(n) for n in first)]
        names = [*(grouped.schema[i].name for i in range(len(keys))), *(call.name for call in calls)]
        grouped = Project(grouped, tuple(columns[i] for i in shown), tuple(names))
    moved = {key: place for place, key in enumerate(keys)}
    every = tuple(range(len(grouped.schema)))
    return Pulled(grouped, every, tuple(renumber(term, moved) for term in terms))


def _is_same(one: AggregateCall, other: AggregateCall) -> bool:
    return replace(one, name="") == replace(other, name="")


def marked_rows(node: Node, keys: list[int], terms: Sequence[Expr], name: str) -> Pulled:
    """Return the distinct values of the columns `keys`, and a column `name` that is TRUE in every row.

    The conditions `terms`, which read only key columns, become conditions over the result.
    """
    found = grouped_by_keys(node, keys, (), terms)
    columns = identity(f.type for f in found.node.schema)
    names = (*(f.name for f in found.node.schema), name)
    return Pulled(Project(found.node, (*columns, TRUE), names), found.positions, found.terms)
