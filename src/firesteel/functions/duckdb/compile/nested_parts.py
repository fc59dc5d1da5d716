"""Extraction of the parts of nested columns that a Calc reads: `buyer.city`, `items[1].cnt`, `tags['state']`.

They are extracted from the columns (runtime/columns/nested_parts.py) before DuckDB runs, and appended to the
input. DuckDB then reads plain values, or is not needed at all.
"""

from __future__ import annotations

from firesteel.functions.duckdb.compile.logic import takes_no_null
from firesteel.functions.expression.nodes import Call, Expr, InputRef, Literal
from firesteel.functions.expression.recursion import from_below
from firesteel.types.sql import CHARACTER, INTEGERS, STRING, SqlType, TypeRoot
from firesteel.types.value_parts import Path


class NestedParts:
    """Extracted parts, as columns after an input of `width` columns."""

    def __init__(self, width: int) -> None:
        self._width = width
        self._places: dict[tuple[int, Path], InputRef] = {}

    @property
    def taken(self) -> tuple[tuple[int, int, Path], ...]:
        """Return the position, input column and path of each part."""
        return tuple((ref.index, *place) for place, ref in self._places.items())

    def cut(self, expr: Expr) -> Expr:
        """Add the parts that an expression accesses, and return it with references to their columns."""
        return _cut(expr, self)

    def column(self, expr: Expr) -> Expr | None:
        """Return a reference to the part that an expression accesses, None if it is no part to extract."""
        of, back = expr, Path()
        while isinstance(of, Call) and (step := _step(of)) is not None:
            of, back = of.args[0], (*back, step)
        if not back or not isinstance(of, InputRef) or not _is_plain(expr.type):
            return None
        place = of.index, back[::-1]
        return self._places.setdefault(place, InputRef(self._width + len(self._places), expr.type))


def _is_plain(kind: SqlType) -> bool:
    """Return whether parts of a type are extracted: nullable scalars, except VARIANT.

    The comparison of arrays and VARIANTs depends on how they were created.
    """
    return kind.nullable and not kind.children and kind.root is not TypeRoot.VARIANT


@from_below
def _cut(expr: Expr, parts: NestedParts) -> Expr:
    column = parts.column(expr)
    if column is not None or not isinstance(expr, Call):
        return column or expr
    args = tuple(_cut(arg, parts) for arg in expr.args)
    return expr if args == expr.args else expr.with_args(args)


def _step(call: Call) -> str | int | None:
    """Return the ROW field, ARRAY index or MAP key that a call accesses.

    None for computed steps, and for accesses that replace NULL with a default.
    """
    root = call.args[0].type.root if call.args else None
    if call.function == "ITEM_FIELD" and root is TypeRoot.ROW:
        return call.options[0]
    key = call.args[1] if call.function == "ITEM" else None
    if not isinstance(key, Literal) or takes_no_null(call):
        return None
    if root is TypeRoot.ARRAY and key.type.root in INTEGERS:
        return key.value if isinstance(key.value, int) and key.value >= 1 else None
    is_text = root is TypeRoot.MAP and key.type.root in CHARACTER
    if is_text and call.args[0].type.children[0].same_as(STRING) and isinstance(key.value, str):
        return key.value
    return None
