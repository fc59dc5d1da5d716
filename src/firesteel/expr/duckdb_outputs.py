"""What an output column of a Calc shows that the same expression within another does not."""

from __future__ import annotations

from firesteel.expr.duckdb_text import Compiler
from firesteel.expr.duckdb_variant import packed
from firesteel.expr.nodes import Call, Expr, Literal
from firesteel.types.decimals import rounding
from firesteel.types.sql import TypeRoot

_MISREAD = {"ROUND": "numbers.round_misread", "TRUNCATE": "numbers.truncate_misread"}


def output(compiler: Compiler, expr: Expr) -> str:
    """The DuckDB text of an output column."""
    if isinstance(expr, Call) and expr.function in _MISREAD and _another_scale(expr):
        return compiler.call_python(_MISREAD[expr.function], expr)
    return packed(compiler, expr, compiler(expr))


def _another_scale(call: Call) -> bool:
    """Whether a DECIMAL may be rounded to another scale than its type has."""
    if call.type.root is not TypeRoot.DECIMAL or len(call.args) < 2:
        return False
    value, to = call.args
    if not isinstance(to, Literal):
        return True
    return isinstance(to.value, int) and rounding(value.type, to.value).scale != call.type.scale
