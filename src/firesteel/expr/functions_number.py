"""Functions of numbers. Flink: BuiltInFunctionDefinitions, SqlFunctionUtils."""

from __future__ import annotations

from collections.abc import Sequence

from firesteel.expr.functions import Function, same_as_first
from firesteel.expr.nodes import Expr
from firesteel.types.sql import SqlType, TypeRoot, decimal


def _whole(args: Sequence[Expr]) -> SqlType:
    """FLOOR and CEIL: a DECIMAL loses its scale."""
    kind = args[0].type
    if kind.root is TypeRoot.DECIMAL:
        return decimal(kind.precision or 0, 0).with_nullable(kind.nullable)
    return kind


NUMBER_FUNCTIONS: tuple[Function, ...] = (
    Function("ABS", "n", same_as_first, ""),
    Function("FLOOR", "n", _whole, "@numbers.floor"),
    Function("CEIL", "n", _whole, "@numbers.ceil"),
)
