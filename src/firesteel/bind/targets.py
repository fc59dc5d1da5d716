"""Which columns of a sink an INSERT gives a value to: INSERT INTO t (b, a) SELECT ... ."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

from firesteel.errors import SourceRange, ValidationError
from firesteel.expr.nodes import Expr, Literal
from firesteel.types.sql import SqlType

T = TypeVar("T")


@dataclass(frozen=True)
class Targets:
    """The sink's columns in order: the query column that fills each (None: NULL), and their types.

    Flink rewrites the query itself (PreValidateReWriter): its SELECT items are put into the sink's order.
    """

    sources: tuple[int | None, ...]
    types: tuple[SqlType, ...]
    count: int

    def reorder(
        self, items: list[tuple[str | None, Expr]], place: SourceRange
    ) -> list[tuple[str | None, Expr]]:
        """The items in the sink's order. Raises ValidationError if there are not as many as columns named."""
        if len(items) != self.count:
            raise ValidationError("Number of columns must match number of query columns", range=place)
        return [
            (None, Literal(None, kind.with_nullable(True))) if source is None else items[source]
            for source, kind in zip(self.sources, self.types, strict=True)
        ]

    @property
    def fills_all(self) -> bool:
        return None not in self.sources
