"""Which columns of a sink an INSERT's query gives a value to, and what the others get:
INSERT INTO t PARTITION (c = 1) (b, a) SELECT ... .
"""

from __future__ import annotations

from dataclasses import dataclass

from firesteel.errors import SourceRange, ValidationError
from firesteel.functions.expression.nodes import Expr


@dataclass(frozen=True)
class Targets:
    """The sink's columns in order: the query column that fills each, or an expression where none does.

    named: how many columns the INSERT names, None where it names none: there the types say what is wrong.
    Flink rewrites the query itself (PreValidateReWriter): its SELECT items are put into the sink's order.
    """

    sources: tuple[int | Expr, ...]
    named: int | None = None

    def reorder(
        self, items: list[tuple[str | None, Expr]], place: SourceRange
    ) -> list[tuple[str | None, Expr]]:
        """The items in the sink's order. Raises ValidationError if there are not as many as columns named."""
        if self.named is not None and len(items) != self.named:
            raise ValidationError("Number of columns must match number of query columns", range=place)
        found: list[tuple[str | None, Expr]] = []
        for source in self.sources:
            found += [(None, source)] if isinstance(source, Expr) else items[source : source + 1]
        wanted = sum(isinstance(source, int) for source in self.sources)
        return [*found, *items[wanted:]]

    @property
    def fills_all(self) -> bool:
        return not any(isinstance(source, Expr) for source in self.sources)
