"""Terms of a condition above a join, and of the join's own condition, and the inputs to which they move.

Flink: FlinkFilterJoinRule. A condition on columns that the join equates is copied to both inputs. If a
condition above rejects the padded rows of an outer join, the join becomes stricter.

    Filter(l.v > 3 AND r.w = 1)  Join(LEFT, l.k = r.k)
        ->  Join(INNER, l.k = r.k)  Filter(l, v > 3)  Filter(r, w = 1)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from firesteel.functions.expression.nodes import Expr, InputRef
from firesteel.plan.expressions.operations import (
    TRUE,
    cast_to,
    conjunction,
    conjuncts,
    identity,
    input_refs,
    is_true,
    rewrite,
)
from firesteel.plan.nodes.join.join_type import JoinType, equal_columns
from firesteel.plan.nodes.join.logical import Join
from firesteel.plan.nodes.join.not_distinct import collapse_not_distinct
from firesteel.plan.nodes.logical import Project
from firesteel.plan.properties.filter_pushdown import Pushed
from firesteel.plan.simplify import simplify_condition
from firesteel.plan.simplify.logic import never_true
from firesteel.plan.tree import Field, Node


@dataclass
class JoinTerms:
    """Terms of a condition above a join and of the join's own condition, while they are moved.

    Attributes:
        join: The original join.
        above: Terms that stay above the join.
        join_type: Type of the join, stricter if a term above rejects padded rows.
        within: Terms that stay in the join's condition.
        sides: Terms that have moved to the left and to the right input, over the columns of this input.
    """

    join: Join
    above: list[Expr]
    within: list[Expr] = field(init=False)
    sides: tuple[list[Expr], list[Expr]] = field(default_factory=lambda: ([], []))

    def __post_init__(self) -> None:
        self.width = self.join.left_width
        self.given = tuple(self.above)
        self.given_within = tuple(conjuncts(self.join.condition))
        self.within = list(self.given_within)
        self.join_type = _stricter(self.join, self.above)

    @classmethod
    def of(cls, join: Join, condition: Expr | None) -> JoinTerms:
        """Return the terms, moved to the inputs as far as possible.

        Args:
            join: The join.
            condition: Condition of the filter above it, None for no filter.
        """
        terms = cls(join, [collapse_not_distinct(term) for term in conjuncts(condition)])
        terms.from_above()
        terms.from_join()
        if terms.moved:
            terms.to_other_side()
        return terms

    def pushed(self) -> Pushed | None:
        """Return the filters of both inputs and the join over them, None if nothing has moved."""
        if not self.moved:
            return None
        left, right = map(_simplified, self.sides)
        return Pushed((left, right), _simplified(self.above), self._joined)

    def _joined(self, inputs: Sequence[Node]) -> Node:
        left, right = inputs
        condition = conjunction(self.within) or TRUE
        joined = replace(self.join, inputs=(left, right), join_type=self.join_type, condition=condition)
        return _with_types(joined, self.join.schema)

    @property
    def moved(self) -> bool:
        kept = (self.given, self.given_within) == (tuple(self.above), tuple(self.within))
        return not kept or self.join_type is not self.join.join_type

    def from_above(self) -> None:
        """Move terms above the join to an input, or into the condition of an INNER or SEMI join.

        A term moves to an input if it reads columns of this input only, and the join never sends NULL in
        place of these columns.
        """
        pushes = not self.join_type.pads_left, not self.join_type.pads_right
        into = self.join_type in (JoinType.INNER, JoinType.SEMI)
        kept = []
        for term in self.above:
            if self._to_side(term, pushes):
                continue
            if not into:
                kept.append(term)
            elif term not in self.within:
                self.within.append(term)
        self.above = kept

    def from_join(self) -> None:
        """Move terms of the join's condition to an input whose rows are sent only with a partner.

        The terms of an ANTI join stay.
        """
        if self.join_type is JoinType.ANTI:
            return
        pushes = not self.join_type.pads_right, not self.join_type.pads_left
        self.within = [term for term in self.within if not self._to_side(term, pushes)]

    def _to_side(self, term: Expr, pushes: tuple[bool, bool]) -> bool:
        read = input_refs(term)
        if pushes[0] and all(i < self.width for i in read):
            self._add(0, term)
        elif pushes[1] and all(i >= self.width for i in read):
            self._add(1, _moved(term, {i: i - self.width for i in read}, self.join.inputs[1].schema))
        else:
            return False
        return True

    def to_other_side(self) -> None:
        """Copy terms from one input to the other: for `l.k = r.k`, `l.k > 1` also gives `r.k > 1`.

        A term is copied if the join equates each column that it reads with a column of the other input.
        """
        if self.join_type in (JoinType.INNER, JoinType.LEFT, JoinType.RIGHT):
            self._across(self.given)
        if self.join_type is JoinType.INNER:
            self._across(self.given_within)

    def _across(self, terms: Iterable[Expr]) -> None:
        equal = equal_columns(self.join.condition, self.width)
        if not equal.left:
            equal = equal_columns(conjunction(self.within) or TRUE, self.width)
        right = [self.width + i for i in equal.right]
        for term in terms:
            read = set(input_refs(term))
            if is_true(term) or not read:
                continue
            if read <= set(equal.left) and not self.join_type.pads_left:
                self._add(1, _moved(term, dict(zip(equal.left, equal.right, strict=True)), self._fields(1)))
            elif read <= set(right) and not self.join_type.pads_right:
                self._add(0, _moved(term, dict(zip(right, equal.left, strict=True)), self._fields(0)))

    def _fields(self, side: int) -> tuple[Field, ...]:
        return self.join.inputs[side].schema

    def _add(self, side: int, term: Expr) -> None:
        if term not in self.sides[side]:
            self.sides[side].append(term)


def _stricter(join: Join, above: Sequence[Expr]) -> JoinType:
    """Return the join's type, stricter if the terms above reject padded rows (RelOptUtil.simplifyJoin).

    A LEFT join becomes INNER if a term of `above` is never TRUE for rows with NULL in all right columns.
    RIGHT and FULL joins change likewise.
    """
    found, width = join.join_type, join.left_width
    if found not in (JoinType.LEFT, JoinType.RIGHT, JoinType.FULL):
        return found
    left, right = found.pads_left, found.pads_right
    for term in above:
        left = left and not _rejects_nulls(term, range(width))
        right = right and not _rejects_nulls(term, range(width, len(join.schema)))
    return JoinType.padding(left, right)


def _rejects_nulls(term: Expr, columns: range) -> bool:
    """Return whether a condition cannot be TRUE if all these columns are NULL."""
    return never_true(term, frozenset(columns))


def _moved(term: Expr, position: Mapping[int, int], fields: Sequence[Field]) -> Expr:
    """Return a term with column i renumbered to `position[i]`, and with the types of `fields`."""

    def rule(expr: Expr) -> Expr:
        if not isinstance(expr, InputRef):
            return expr
        place = position[expr.index]
        return InputRef(place, fields[place].type)

    return rewrite(term, rule)


def _simplified(terms: Sequence[Expr]) -> Expr | None:
    """Return the AND of the terms, None if they hold for every row."""
    condition = conjunction(terms)
    if condition is None:
        return None
    condition = simplify_condition(condition)
    return None if is_true(condition) else condition


def _with_types(join: Join, fields: Sequence[Field]) -> Node:
    """Return the join, below a projection that casts its columns to the types of `fields` if they differ.

    A stricter join has fewer nullable columns, but the nodes above expect the original types.
    """
    if tuple(join.schema) == tuple(fields):
        return join
    columns = identity(field.type for field in join.schema)
    exprs = tuple(cast_to(expr, field.type) for expr, field in zip(columns, fields, strict=True))
    return Project(join, exprs, tuple(field.name for field in fields))
