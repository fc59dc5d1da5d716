"""Compilation of output columns.

The SQL of an expression may differ if it is an output column, not an argument of a call: Flink then treats
NULL values of a NOT NULL type, and rounded DECIMALs, differently.
"""

from __future__ import annotations

from firesteel.functions.duckdb.compile.logic import takes_no_null
from firesteel.functions.duckdb.compile.text import Compiler
from firesteel.functions.duckdb.compile.variant import packed
from firesteel.functions.expression.nodes import Call, Expr, Literal
from firesteel.types.decimals import rounding
from firesteel.types.sql import APPROXIMATE, CHARACTER, INTEGERS, INTERVALS, TypeRoot

_MISREAD = {"ROUND": "numbers.round_misread", "TRUNCATE": "numbers.truncate_misread"}
_DEFAULTS = {
    **dict.fromkeys((*INTEGERS, *APPROXIMATE, *INTERVALS), "-1"),
    **dict.fromkeys(CHARACTER, "''"),
    TypeRoot.BOOLEAN: "FALSE",
    TypeRoot.DATE: "DATE '1969-12-31'",
    TypeRoot.TIME: "TIME '00:00:00'",
}


_NULL_AS_IT_IS = ("LPAD", "RPAD", "REGEXP_REPLACE")
"""Functions that return NULL for non-NULL arguments although their type is NOT NULL."""
_REFUSED = "error('flink:A column is NOT NULL, however, a null value is being written into it')"


def output(compiler: Compiler, expr: Expr) -> str:
    """Return the SQL of an output column."""
    if not expr.type.nullable and _stays_null(expr):
        return f"coalesce({compiler(expr)}, {_REFUSED})"
    if isinstance(expr, Call) and expr.function in _MISREAD and _another_scale(expr):
        return compiler.call_python(_MISREAD[expr.function], expr)
    text = packed(compiler, expr, compiler(expr))
    missing = _without_null(expr)
    return (
        text if missing is None else f"coalesce({text}, CAST({missing} AS {compiler.type_name(expr.type)}))"
    )


def _without_null(expr: Expr) -> str | None:
    """Return the SQL of the default value that replaces NULL in an output column, None if NULL stays.

    Flink has such a default (CodeGenUtils.primitiveDefaultValue) if an index is outside an array whose
    elements are NOT NULL, or if a key is not in a map whose values are NOT NULL.
    """
    return _DEFAULTS.get(expr.type.root) if takes_no_null(expr) else None


def _stays_null(expr: Expr) -> bool:
    """Return whether NULL of a NOT NULL type reaches the sink, where Flink's ConstraintEnforcer rejects it.

    The NULL of LPAD, RPAD and REGEXP_REPLACE, and of a CONCAT with one of them as argument, reaches the sink.
    The NULL of any other NOT NULL expression becomes Java's default value before the sink.
    """
    if not isinstance(expr, Call):
        return False
    if expr.function == "CONCAT":
        return any(map(_stays_null, expr.args))
    return expr.function in _NULL_AS_IT_IS


def _another_scale(call: Call) -> bool:
    """Return whether ROUND or TRUNCATE of a DECIMAL may have a result with another scale than its type."""
    if call.type.root is not TypeRoot.DECIMAL or len(call.args) < 2:
        return False
    value, to = call.args
    if not isinstance(to, Literal):
        return True
    return isinstance(to.value, int) and rounding(value.type, to.value).scale != call.type.scale
