"""Interface through which expressions resolve names."""

from __future__ import annotations

from typing import Protocol

from firesteel.errors import SourceRange
from firesteel.functions.expression.nodes import Expr


class Names(Protocol):
    """Resolves names to columns (bind/names.py: Scope)."""

    def resolve(self, path: tuple[str, ...], range: SourceRange | None) -> Expr:
        """Return the column or field that a name stands for.

        Raises:
            ValidationError: No column has the name, or more than one has.
        """
        ...
