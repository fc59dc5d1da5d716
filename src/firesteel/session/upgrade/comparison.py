"""Comparison of the plans of a statement before and after a change, operator by operator."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import Enum
from typing import NamedTuple

from firesteel.explain.sections import physical_line
from firesteel.plan.tree import Node


class Change(Enum):
    """The ways in which an upgrade changes an operator of a plan."""

    UNCHANGED = "unchanged"
    INPUT = "its input changes"
    CHANGED = "changed"
    NEW = "new"
    DROPPED = "dropped"


class OperatorChange(NamedTuple):
    """One line of a comparison.

    Attributes:
        operator: The operator as EXPLAIN prints it.
        change: What happens to it.
        before: The old operator as EXPLAIN prints it, if `change` is CHANGED; else "".
    """

    operator: str
    change: Change
    before: str = ""


def compare(before: Sequence[Node], after: Sequence[Node]) -> list[OperatorChange]:
    """Return what happens to each new operator, sources first, and then the old operators that are dropped.

    A new operator is compared with the first old operator that is found by one of these tests, in this order:

        UNCHANGED   EXPLAIN prints the same line for the operator, and the same lines for its whole input
        INPUT       EXPLAIN prints the same line for the operator, but its input differs
        CHANGED     the operators are of the same class

    A new operator that no test matches is NEW. No old operator is compared twice.
    """
    old, new = _operators(before), _operators(after)
    left = list(old)
    pairs: dict[int, tuple[_Operator, Change]] = {}
    tests: tuple[tuple[Change, Callable[[_Operator, _Operator], bool]], ...] = (
        (Change.UNCHANGED, lambda one, other: one.below == other.below),
        (Change.INPUT, lambda one, other: one.line == other.line),
        (Change.CHANGED, lambda one, other: one.kind == other.kind),
    )
    for change, fits in tests:
        for number, each in enumerate(new):
            match = next((o for o in left if number not in pairs and fits(each, o)), None)
            if match is not None:
                left.remove(match)
                pairs[number] = match, change
    found = []
    for number, each in enumerate(new):
        match, change = pairs.get(number, (None, Change.NEW))
        was = match.line if match is not None and change is Change.CHANGED else ""
        found.append(OperatorChange(each.line, change, was))
    return [*found, *(OperatorChange(each.line, Change.DROPPED) for each in left)]


class _Operator(NamedTuple):
    line: str
    kind: str
    below: tuple[object, ...]


def _operators(plans: Sequence[Node]) -> list[_Operator]:
    """Return the operators of plans, each once, inputs first."""
    found: dict[_Operator, None] = {}

    def visit(node: Node) -> tuple[object, ...]:
        inputs = tuple(visit(child) for child in node.children)
        line = physical_line(node)
        below = (line, inputs)
        found[_Operator(line, type(node).__name__, below)] = None
        return below

    for plan in plans:
        visit(plan)
    return list(found)
