"""Texts of expressions as a statement writes them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass

from firesteel.errors import SourceRange
from firesteel.functions.expression.nodes import Call, Expr

CHOICES = ("CASE", "IF")
"""Functions with branches."""


class WrittenText:
    """Text of a statement, from which the texts of its expressions are taken by their ranges.

    If an expression of a query comes from a view, its range is a range of the view's text. Such a range must
    not be used. So a range is used only if a node of the parsed statement has the same range.

    Args:
        statement: The parsed statement.
        sql: The text that it was parsed from.
    """

    def __init__(self, statement: object, sql: str) -> None:
        self._sql = sql
        self._places = {(place.start, place.end) for place in _ranges(statement)}

    def of(self, expr: Expr) -> str | None:
        """Return the text of an expression; None if the expression is not part of the statement.

        Also return None for a CASE or IF that comes from another function: its text begins with another word.
        """
        place = expr.range
        if place is None or (place.start, place.end) not in self._places:
            return None
        text = self._sql[place.start : place.end]
        is_choice = isinstance(expr, Call) and expr.function in CHOICES
        if is_choice and not text.upper().startswith(CHOICES):
            return None
        return " ".join(text.split()) or None


def _ranges(part: object) -> Iterator[SourceRange]:
    """Yield the ranges of all parts of a parsed statement."""
    stack = [part]
    while stack:
        part = stack.pop()
        if isinstance(part, SourceRange):
            yield part
        elif isinstance(part, (tuple, list)):
            stack.extend(part)
        elif is_dataclass(part):
            stack.extend(getattr(part, each.name) for each in fields(part))
