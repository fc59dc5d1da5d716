"""Rewrite sub-queries in ON as filters of an input, as filters above the join, or as joined values.

    l JOIN r ON l.k = r.k AND l.v IN (SELECT ..)        a semi join of l
    l LEFT JOIN r ON l.k = r.k AND r.v IN (SELECT ..)   a semi join of r: other rows of r have no partner
    l JOIN r ON EXISTS (SELECT .. l.v = c.v + r.v)      a filter above the join
    l LEFT JOIN r ON l.v IN (SELECT ..)                 the value becomes a column of l: all rows of l stay

A sub-query that reads neither input is joined to the right one, as in Flink. Flink refuses most other
sub-queries in ON. It accepts some correlated ones, but gives wrong results: where the query names a column of
the left input, Flink reads a column of the right input. Firesteel reads the columns that the query names.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from firesteel.errors import NotSupportedError
from firesteel.functions.expression.nodes import Call, Expr
from firesteel.plan.expressions.operations import (
    TRUE,
    conjunction,
    conjuncts,
    identity,
    input_refs,
    renumber,
    rewrite,
)
from firesteel.plan.expressions.sub_query import SubQuery, correlated_indices, sub_queries
from firesteel.plan.node_expressions import part_expressions
from firesteel.plan.nodes.join.join_type import JoinType
from firesteel.plan.nodes.join.logical import Join
from firesteel.plan.nodes.logical import Filter, Project
from firesteel.plan.nodes.temporal.logical import Snapshot
from firesteel.plan.simplify import simplify_condition
from firesteel.plan.tree import Node, walk
from firesteel.rules.subquery.filter_rows import Rewrite, filter_rows, without_known
from firesteel.rules.subquery.join_values import JoinedValues

LEFT, RIGHT = 0, 1
_VALUE = "$VALUE_IN_ON"
"""Function of a call that stands for a sub-query. Its option is the index of the sub-query's value in the
list `_Joining._found`."""


def join_on(node: Join, rewritten: Rewrite) -> Node:
    """Return a join without sub-queries in its condition.

    Args:
        node: The join.
        rewritten: Rewrites the sub-queries within a plan.

    Raises:
        NotSupportedError: A sub-query reads both inputs of an outer join, or the join is a temporal join.
    """
    if any(isinstance(part, Snapshot) for part in (node.inputs[1], *node.inputs[1].children)):
        (query, *_) = sub_queries(node.condition)
        raise NotSupportedError(
            "a sub-query in ON of a join FOR SYSTEM_TIME AS OF is not supported",
            range=query.range,
            hint="put it into WHERE",
        )
    kept, above = [], []
    alone: tuple[list[Expr], list[Expr]] = ([], [])
    filters = {LEFT: not node.join_type.pads_left, RIGHT: not node.join_type.pads_right}
    for term in conjuncts(without_known(node.condition)):
        sides = _sides(term, node.left_width)
        if not sub_queries(term) or not any(_reads(query) for query in sub_queries(term)):
            kept.append(term)
        elif len(sides) == 1 and filters[1 - min(sides)]:
            alone[min(sides)].append(term)
        elif node.join_type is JoinType.INNER:
            above.append(term)
        else:
            kept.append(term)
    joined = _Joining(node, alone, rewritten).joined(kept)
    if not above:
        return joined
    condition = conjunction(above)
    assert condition is not None
    return filter_rows(Filter(joined, condition), rewritten)


class _Joining:
    """Join whose condition reads values of sub-queries.

    Args:
        node: The original join.
        alone: Two lists of terms with sub-queries: those that filter the left input, as they read only its
            columns, and those that filter the right input.
        rewritten: Rewrites the sub-queries within a plan.
    """

    def __init__(self, node: Join, alone: tuple[list[Expr], list[Expr]], rewritten: Rewrite) -> None:
        self._node = node
        self._width = node.left_width
        starts = (0, self._width)
        self._values = tuple(
            JoinedValues(self._filtered(side, terms, start, rewritten), rewritten, start, keeps_rows=True)
            for side, terms, start in zip(node.inputs, alone, starts, strict=True)
        )
        self._found: list[tuple[int, Expr]] = []

    def _filtered(self, side: Node, terms: list[Expr], start: int, rewritten: Rewrite) -> Node:
        condition = conjunction([self._of_side(term, start) for term in terms])
        return side if condition is None else filter_rows(Filter(side, condition), rewritten, start)

    def _of_side(self, expr: Expr, start: int) -> Expr:
        return renumber(expr, {start + i: i for i in range(len(self._node.schema))})

    def joined(self, terms: list[Expr]) -> Node:
        """Return the join on these terms, with its original columns."""
        read = [self._replaced(term) for term in terms]
        inputs = (self._values[LEFT].node, self._values[RIGHT].node)
        left = len(inputs[LEFT].schema)
        place = {i: i if i < self._width else left + i - self._width for i in range(len(self._node.schema))}
        moved = [self._with_values(renumber(term, place), left) for term in read]
        condition = conjunction(moved) or TRUE
        if self._found:
            condition = simplify_condition(condition)
        joined = replace(self._node, inputs=inputs, condition=condition)
        if not self._found:
            return joined
        columns = identity(f.type for f in joined.schema)
        names = tuple(f.name for f in self._node.schema)
        return Project(joined, tuple(columns[place[i]] for i in range(len(names))), names)

    def _replaced(self, expr: Expr) -> Expr:
        """Return an expression in which a `$VALUE_IN_ON` call replaces each sub-query.

        If a sub-query is below a NOT, the call replaces the NOT. The value of the replaced part is appended
        to `_found`, with the input of the join (LEFT or RIGHT) to which the sub-query is joined.
        """
        if not isinstance(expr, Call):
            return expr
        inner = expr.args[0] if expr.function == "NOT" else expr
        if not isinstance(inner, SubQuery):
            return expr.with_args(tuple(map(self._replaced, expr.args)))
        sides = _sides(inner, self._width)
        if len(sides) > 1:
            name = self._node.join_type.name
            raise NotSupportedError(
                f"a sub-query of ON that reads both inputs of a {name} JOIN is not supported",
                range=inner.range,
            )
        side = min(sides, default=RIGHT)
        value = self._values[side].replaced(self._of_side(expr, side * self._width))
        self._found.append((side, value))
        return Call(_VALUE, (), expr.type, (str(len(self._found) - 1),))

    def _with_values(self, term: Expr, left: int) -> Expr:
        def rule(part: Expr) -> Expr:
            if not isinstance(part, Call) or part.function != _VALUE:
                return part
            side, value = self._found[int(part.options[0])]
            columns = range(len(self._values[side].node.schema))
            return renumber(value, {i: side * left + i for i in columns})

        return rewrite(term, rule)


def _sides(expr: Expr, width: int) -> set[int]:
    """Return the inputs of a join that an expression and its sub-queries read: LEFT (0) or RIGHT (1).

    `width` is the number of columns of the left input.
    """
    read = {*input_refs(expr), *(i for query in sub_queries(expr) for i in _outer_columns(query))}
    return {LEFT if i < width else RIGHT for i in read}


def _reads(query: SubQuery) -> bool:
    """Return whether a sub-query has operands (x in `x IN (..)`) or is correlated."""
    return bool(query.args or query.correlation)


def _outer_columns(query: SubQuery) -> Iterable[int]:
    """Yield the outer columns that a sub-query reads, also in its own sub-queries."""
    exprs = [expr for node in walk(query.query) for expr in part_expressions(node)]
    yield from correlated_indices(exprs, query.correlation)
    for inner in (each for expr in exprs for each in sub_queries(expr)):
        yield from _outer_columns(replace(inner, correlation=query.correlation))
