"""Decisions of a Calc: its filter, and each CASE and IF that the query has, as expressions over its input."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from firesteel.functions.expression.nodes import Call, Expr, Literal
from firesteel.plan.expressions.operations import walk
from firesteel.plan.expressions.text import infix_text
from firesteel.testing.coverage.written_text import CHOICES, WrittenText
from firesteel.types.sql import INT

_NULL = Literal(None, INT)
Wrap = Callable[[Expr], Expr]
"""Function that takes an expression, and returns one that is NULL for rows that do not reach the expression.

Such rows do not pass the filter of the Calc, or take another branch of a CASE.
"""


@dataclass(frozen=True)
class Decision:
    """A filter, CASE or IF, which takes one of its branches for each row that reaches it.

    Attributes:
        branch: Expression that gives the number of the row's branch, from 0. It is NULL for a row that does
            not reach the decision.
        name: Text of the filter, CASE or IF.
        branches: Texts of the branches, in the order of their numbers.
    """

    branch: Expr
    name: str
    branches: tuple[str, ...]


def decisions_of(
    exprs: Sequence[Expr], condition: Expr | None, names: Sequence[str], written: WrittenText
) -> list[Decision]:
    """Return the decisions of a Calc. Of decisions with equal texts, only the first one is returned.

    A CASE without a `range` (position in the SQL text) is left out: a planner rule has added it.

    Args:
        exprs: Output columns.
        condition: Filter, or None.
        names: Names of the input columns.
        written: Text of the statement.
    """
    found = []
    wrap: Wrap = _whole
    if condition is not None:
        found += list(_within(condition, _whole, names, written))
        text = written.of(condition) or infix_text(condition, names)
        passes = _case((condition,), (_number(0), _number(1)))
        found.append(Decision(passes, f"WHERE {text}", ("passes", "does not pass")))
        wrap = _Branch((condition,), 0, _whole)
    for expr in exprs:
        found += list(_within(expr, wrap, names, written))
    by_text = {(each.name, each.branches): each for each in reversed(found)}
    return [each for each in found if by_text[each.name, each.branches] is each]


def has_user_function(exprs: Sequence[Expr]) -> bool:
    """Return whether expressions call a user-defined function.

    A probe must not evaluate such expressions: a second call of the function may have side effects.
    """
    return any(isinstance(part, Call) and part.user is not None for expr in exprs for part in walk(expr))


def _whole(expr: Expr) -> Expr:
    return expr


@dataclass(frozen=True)
class _Branch:
    """Function that makes an expression NULL for the rows that do not reach one part of a CASE.

    An expression e within CASE WHEN a THEN x WHEN b THEN y END:

        e is part of y -> CASE WHEN a THEN NULL WHEN b THEN e ELSE NULL END
        e is part of b -> CASE WHEN a THEN NULL ELSE e END

    Attributes:
        conditions: For a result, all conditions of the CASE; for a condition, those before it.
        number: Index of the condition that must hold; the number of conditions if none may hold.
        outer: Function that makes an expression NULL for the rows that do not reach the CASE itself.
    """

    conditions: tuple[Expr, ...]
    number: int
    outer: Wrap

    def __call__(self, expr: Expr) -> Expr:
        results = [_NULL] * (len(self.conditions) + 1)
        chosen: list[Expr] = [*results]
        chosen[self.number] = expr
        return self.outer(_case(self.conditions, chosen))


def _within(expr: Expr, wrap: Wrap, names: Sequence[str], written: WrittenText) -> Iterator[Decision]:
    """Yield the decisions in an expression. For rows that do not reach it, `wrap` makes a decision NULL."""
    if not isinstance(expr, Call):
        return
    if expr.function not in CHOICES:
        for arg in expr.args:
            yield from _within(arg, wrap, names, written)
        return
    conditions, results = _arms(expr)
    if expr.range is not None:
        yield _decision(expr, conditions, wrap, names, written)
    for number, condition in enumerate(conditions):
        before = conditions[:number]
        yield from _within(condition, _Branch(before, number, wrap) if before else wrap, names, written)
    for number, result in enumerate(results):
        yield from _within(result, _Branch(conditions, number, wrap), names, written)


def _decision(
    call: Call, conditions: tuple[Expr, ...], wrap: Wrap, names: Sequence[str], written: WrittenText
) -> Decision:
    text = written.of(call)
    numbers = [_number(i) for i in range(len(conditions) + 1)]
    texts = [
        (written.of(condition) if text else None) or infix_text(condition, names) for condition in conditions
    ]
    return Decision(
        wrap(_case(conditions, numbers)),
        text or infix_text(call, names),
        (*(f"WHEN {text}" for text in texts), "ELSE"),
    )


def _arms(call: Call) -> tuple[tuple[Expr, ...], tuple[Expr, ...]]:
    """Return the conditions and the results of a CASE or an IF. The last result is that of ELSE."""
    return call.args[:-1:2], (*call.args[1:-1:2], call.args[-1])


def _case(conditions: Sequence[Expr], results: Sequence[Expr]) -> Expr:
    """Return a CASE with one result for each condition, and one for ELSE."""
    pairs = [part for pair in zip(conditions, results, strict=False) for part in pair]
    return Call("CASE", (*pairs, results[-1]), INT)


def _number(value: int) -> Literal:
    return Literal(value, INT)
