"""Projections as physical plans print them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from firesteel.functions.expression.nodes import Expr, InputRef


def selected(expr: Expr, name: str, names: Sequence[str], text: Callable[[Expr, Sequence[str]], str]) -> str:
    """Return a column of a projection: `a`, `+(a, 1) AS b`.

    Args:
        expr: What is projected.
        name: Name of the column.
        names: Names of the input's columns.
        text: Prints an expression over named columns.
    """
    shown = text(expr, names)
    return name if isinstance(expr, InputRef) and shown == name else f"{shown} AS {name}"
