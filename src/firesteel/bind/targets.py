"""Columns of a sink in an INSERT: those that the query fills, and the values of the others.

Example: INSERT INTO t PARTITION (c = 1) (b, a) SELECT ...
"""

from __future__ import annotations

from dataclasses import dataclass

from firesteel.errors import SourceRange, ValidationError
from firesteel.functions.expression.nodes import Expr


@dataclass(frozen=True)
class Targets:
    """Source of each column of a sink, in the order of the sink.

    Flink rewrites the query itself (PreValidateReWriter): its SELECT items are put into the sink's order.

    Attributes:
        sources: For each column of the sink, the position of the query column that fills it. If none does,
            the expression of its value.
        named: Number of columns in the column list of the INSERT, without those that PARTITION sets. None if
            there is no column list.
    """

    sources: tuple[int | Expr, ...]
    named: int | None = None

    def reorder(
        self, items: list[tuple[str | None, Expr]], place: SourceRange
    ) -> list[tuple[str | None, Expr]]:
        """Return the SELECT items in the order of the sink's columns.

        Without a column list (`named` is None), `items` may have any length. Surplus items come last, and
        bind/statements/insert.py refuses them when it compares the result with the columns of the sink.

        Raises:
            ValidationError: There is a column list, and the number of items is not `named`.
        """
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
