"""Rewrite a bound on ROW_NUMBER as a rank.

    Project(a)  Filter(rn <= 3)  OverAggregate(PARTITION BY k ORDER BY v, ROW_NUMBER() AS rn)
        ->  Project(a)  Rank(k, v, 1 to 3)  Project(a, k, v)

Flink: FlinkLogicalRankRule, CalcRankTransposeRule, RedundantRankNumberColumnRemoveRule,
ConstantRankNumberColumnRemoveRule, RankUtil.extractRankRange.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import Decimal
from math import floor

from firesteel.errors import SourceRange, ValidationError
from firesteel.functions.expression.nodes import Call, Expr, InputRef, Literal
from firesteel.functions.expression.recursion import from_below, remembered
from firesteel.plan.expressions.operations import (
    conjunction,
    conjuncts,
    expand_search,
    identity,
    input_refs,
    is_identity,
    only_omits,
    renumber,
    substitute,
)
from firesteel.plan.expressions.over import RANKS
from firesteel.plan.metadata import upsert_keys
from firesteel.plan.nodes.logical import Filter, Project
from firesteel.plan.nodes.over.logical import OverAggregate
from firesteel.plan.nodes.rank.logical import Rank
from firesteel.plan.nodes.rank.rank_range import NUMBER_TYPE, RankRange
from firesteel.plan.tree import Node
from firesteel.rules.rank.rank_functions import check_rank_function

_MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "=": "="}


@from_below
def top_n(node: Node) -> Node:
    """Return the plan with bounds on ROW_NUMBER as ranks, from the root down.

    A rank has only the columns that are read above it.

    Raises:
        ValidationError: Flink has no such rank.
    """
    found = _applied(node)
    return found.with_children(tuple(map(top_n, found.children)))


def _applied(node: Node) -> Node:
    if isinstance(node, Project) and isinstance(node.input, Filter):
        ranked = _ranked(node.input)
        return _renamed(node, node.input) if ranked is None else _projected(node, *ranked)
    if isinstance(node, Project) and isinstance(node.input, Rank) and node.input.number is None:
        # A Rank that adds no row number comes from lateral_top_n. It still has columns that nobody reads.
        return _projected(node, node.input, None)
    if isinstance(node, Filter):
        ranked = _ranked(node)
        if ranked is None:
            return node
        columns = identity(f.type for f in node.schema)
        return _projected(Project(node, columns, tuple(f.name for f in node.schema)), *ranked)
    return node


def _ranked(node: Filter) -> tuple[Rank, Expr | None] | None:
    """Return the rank that replaces a filter with a bound on a row number, and the rest of the condition.

    The rest has the terms that do not read the row number, None if there are none. Return None in place of
    both if no term bounds the row number, or if a term that is no bound reads it.
    """
    over = node.input
    if not isinstance(over, OverAggregate) or len(over.calls) != 1 or over.calls[0].function not in RANKS:
        return None
    column = len(over.input.schema)
    bounds = _Bounds(column)
    terms = conjuncts(expand_search(node.condition))
    rest = [term for term in terms if not bounds.take_constant(term)]
    rest = [term for term in rest if not bounds.take_column(term)]
    if not bounds.found or any(column in input_refs(term) for term in rest):
        return None
    ranks, window = bounds.ranks(), over.window
    check_rank_function(over.calls[0].function, over.input, window.partition, bounds.place)
    rank = Rank(over.input, window.partition, window.order, window.directions, ranks, over.calls[0].name)
    return rank, conjunction(rest)


def _renamed(node: Project, below: Filter) -> Project:
    """Return a projection above a filter over an OVER aggregate, without generated column names (`$0`).

    A column whose name begins with `$` gets the name of the filter's column that it reads. A projection that
    does more than omit columns, or without an OVER aggregate below its filter, stays as it is.
    """
    if not isinstance(below.input, OverAggregate) or not only_omits(node.exprs):
        return node
    names = (
        below.schema[e.index].name if isinstance(e, InputRef) and name.startswith("$") else name
        for name, e in zip(node.names, node.exprs, strict=True)
    )
    return replace(node, names=tuple(names))


@dataclass
class _Bounds:
    """Bounds of the row number that a filter sets."""

    column: int
    low: int = 1
    high: int | None = None
    high_column: int | None = None
    found: bool = False
    place: SourceRange | None = None

    def take_constant(self, term: Expr) -> bool:
        """Add a term that compares the row number with a number (`rn <= 3`). Return False for other terms."""
        function, value = self._comparison(term)
        number = value.value if isinstance(value, Literal) else None
        if not isinstance(number, (int, float, Decimal)) or (function == "=" and number != int(number)):
            return False
        whole = floor(number)
        if function in ("=", ">", ">="):
            self.low = max(self.low, whole + 1 if function == ">" or number != whole else whole)
        if function in ("=", "<", "<="):
            high = whole - 1 if function == "<" and number == whole else whole
            self.high = high if self.high is None else min(self.high, high)
        return self._found(term)

    def take_column(self, term: Expr) -> bool:
        """Add a term that bounds the row number from above by a column (`rn <= column`).

        Return False for other terms, and if an earlier term bounds the number from above already.
        """
        function, value = self._comparison(term)
        if (
            function != "<="
            or not isinstance(value, InputRef)
            or (self.high, self.high_column) != (None, None)
        ):
            return False
        self.high_column = value.index
        return self._found(term)

    def _comparison(self, term: Expr) -> tuple[str, Expr | None]:
        """Return the operator and the other operand of a term that compares the row number.

        `rn < 5` and `5 > rn` give "<" and 5. Other terms, also `rn < rn + 1`, give "" and None.
        """
        if not isinstance(term, Call) or term.function not in _MIRRORED:
            return "", None
        one, other = term.args
        if self._is_number(one) and self.column not in input_refs(other):
            return term.function, other
        if self._is_number(other) and self.column not in input_refs(one):
            return _MIRRORED[term.function], one
        return "", None

    def _is_number(self, expr: Expr) -> bool:
        return isinstance(expr, InputRef) and expr.index == self.column

    def _found(self, term: Expr) -> bool:
        self.found = True
        self.place = self.place or (term.range if isinstance(term, Call) else None)
        return True

    def ranks(self) -> RankRange:
        """Return the range of ranks.

        Raises:
            ValidationError: The range has no end, or is empty.
        """
        if self.high is None and self.high_column is None:
            raise ValidationError(
                "Rank end is not specified. Currently rank only support TopN, which means the rank end must "
                "be specified.",
                range=self.place,
            )
        if self.high is not None and self.high < self.low:
            raise ValidationError(
                f"Rank end should not less than zero, but now is {self.high}"
                if self.high < 1
                else f"Rank end {self.high} can't less than rank start {self.low}.",
                range=self.place,
            )
        return RankRange(self.low, self.high, self.high_column)


def _projected(node: Project, rank: Rank, rest: Expr | None) -> Node:
    """Return the projection over the rank, whose input has only the columns that are read."""
    column = len(rank.input.schema)
    exprs, rest = _with_constant_number(node.exprs, rest, rank)
    read = {i for e in (*exprs, *conjuncts(rest)) for i in input_refs(e)}
    number = None
    picks = only_omits(node.exprs) and any(column in input_refs(e) for e in node.exprs)
    if column in read:
        number = rank.number if picks else _number_name(node, exprs, column)
    keys = _key_columns(rank.input)
    kept = sorted({*(i for i in read if i != column), *rank.partition, *rank.order, *_end(rank), *keys})
    position = {old: new for new, old in enumerate(kept)} | {column: len(kept)}
    narrowed = _narrowed(rank, kept, position)
    ranked: Node = replace(narrowed, number=number)
    moved = tuple(renumber(e, position) for e in exprs)
    if rest is None and is_identity(moved, len(ranked.schema)):
        return replace(narrowed, number=None if number is None else rank.number)
    if rest is not None:
        ranked = Filter(ranked, renumber(rest, position))
    if not picks:
        return Project(ranked, moved, node.names)
    names = tuple(
        ranked.schema[e.index].name if isinstance(e, InputRef) else rank.number or "" for e in moved
    )
    return Project(ranked, moved, names)


@remembered
def _key_columns(node: Node) -> frozenset[int]:
    """Return the columns of a node's upsert keys, which must stay in the input of a rank."""
    return frozenset(i for key in upsert_keys(top_n(node)) for i in key)


def _end(rank: Rank) -> tuple[int, ...]:
    return () if rank.ranks.end_column is None else (rank.ranks.end_column,)


def _number_name(node: Project, exprs: tuple[Expr, ...], column: int) -> str:
    """Return the name that the projection gives to the row number in `column`, by default `w0$o0`."""
    named = (
        n for n, e in zip(node.names, exprs, strict=True) if isinstance(e, InputRef) and e.index == column
    )
    return next(named, "w0$o0")


def _with_constant_number(
    exprs: tuple[Expr, ...], rest: Expr | None, rank: Rank
) -> tuple[tuple[Expr, ...], Expr | None]:
    """Return expressions with the row number replaced by its value, if only one rank is kept.

    Otherwise, return them unchanged. `exprs` are those of the projection above the rank. `rest` is the
    condition besides the bounds of the row number, None for none.
    """
    bounds = rank.ranks
    if rank.number is None or bounds.end is None or bounds.start != bounds.end:
        return exprs, rest
    columns: list[Expr] = list(identity(f.type for f in rank.schema))
    columns[-1] = Literal(bounds.start, NUMBER_TYPE)
    replaced = tuple(substitute(e, columns) for e in exprs)
    return replaced, None if rest is None else substitute(rest, columns)


def _narrowed(rank: Rank, kept: list[int], position: dict[int, int]) -> Rank:
    """Return the rank over only the columns `kept` of its input.

    `position` has the new position of each kept column by its old one.
    """
    below = rank.input
    if len(kept) == len(below.schema):
        return rank
    columns = identity(f.type for f in below.schema)
    picked = Project(below, tuple(columns[i] for i in kept), tuple(below.schema[i].name for i in kept))
    if isinstance(below, Project):
        picked = replace(below, exprs=tuple(below.exprs[i] for i in kept), names=picked.names)
    end = rank.ranks.end_column
    return replace(
        rank,
        input=picked,
        partition=tuple(position[i] for i in rank.partition),
        order=tuple(position[i] for i in rank.order),
        ranks=replace(rank.ranks, end_column=None if end is None else position[end]),
    )
