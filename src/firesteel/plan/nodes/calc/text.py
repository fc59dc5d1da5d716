"""Text of projections in physical plans."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from firesteel.functions.expression.nodes import Expr, InputRef


def selected(expr: Expr, name: str, names: Sequence[str], text: Callable[[Expr, Sequence[str]], str]) -> str:
    """Return the text of a projected column: `a`, `+(a, 1) AS b`.

    Args:
        expr: The projected expression.
        name: Name of the column.
        names: Names of the input's columns.
        text: Returns the text of an expression over named columns.
    """
    shown = text(expr, names)
    return name if isinstance(expr, InputRef) and shown == name else f"{shown} AS {name}"
