"""Parts of nested columns that expressions read (types/value_parts.py)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from firesteel.functions.expression.nodes import Call, Expr, InputRef, Literal
from firesteel.types.sql import CHARACTER, STRING, TypeRoot
from firesteel.types.value_parts import Part, Parts


def value_parts(exprs: Iterable[Expr]) -> dict[int, Parts]:
    """Return the parts of each column that the expressions read, by column index.

    The part `()` stands for the whole column.
    """
    found: dict[int, dict[Part, None]] = defaultdict(dict)
    pending = list(exprs)
    while pending:
        expr, back = pending.pop(), Part()
        while isinstance(expr, Call) and (step := _step(expr)):
            pending += expr.args[1:]
            expr, back = expr.args[0], back + step
        if isinstance(expr, InputRef):
            found[expr.index][back[::-1]] = None
        elif isinstance(expr, Call):
            pending += expr.args
    return {index: tuple(parts) for index, parts in found.items()}


def field_of(expr: Expr) -> tuple[int, Part] | None:
    """Return (column index, path of fields) if the expression is a column or a nested field, else None."""
    back = Part()
    while isinstance(expr, Call) and expr.function == "ITEM_FIELD":
        back = (*back, expr.options[0])
        expr = expr.args[0]
    return (expr.index, back[::-1]) if isinstance(expr, InputRef) else None


def _step(call: Call) -> Part:
    """Return the part of its first argument that a call reads; () if it may read the whole argument."""
    if call.function == "ITEM_FIELD":
        return (call.options[0],)
    if call.function != "ITEM":
        return ()
    value, key = call.args
    if value.type.root is TypeRoot.ARRAY:
        return (None,)
    if value.type.root is TypeRoot.MAP and isinstance(key, Literal) and key.type.root in CHARACTER:
        # If the map's keys are CHAR(n) or VARCHAR(n), the literal is padded or truncated before it is looked
        # up. Then the key in the map may differ from the literal, so the whole map is read.
        as_it_is = value.type.children[0].same_as(STRING)
        return (key.value,) if isinstance(key.value, str) and as_it_is else ()
    return ()
