"""What an output column of a Calc shows that the same expression within another does not."""

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
"""What gives NULL for arguments that are not, under a type that says NOT NULL."""
_REFUSED = "error('flink:A column is NOT NULL, however, a null value is being written into it')"


def output(compiler: Compiler, expr: Expr) -> str:
    """The DuckDB text of an output column."""
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
    """What is read, for NULL, beyond an array of elements or at no key of a map of values that cannot be
    NULL: the value that Flink's code gives a variable without one (CodeGenUtils.primitiveDefaultValue)."""
    return _DEFAULTS.get(expr.type.root) if takes_no_null(expr) else None


def _stays_null(expr: Expr) -> bool:
    """Whether a NULL that its type forbids is written as one, and not as what Java has in its place: no other
    call looks at it on the way (Flink: ConstraintEnforcer refuses it)."""
    if not isinstance(expr, Call):
        return False
    if expr.function == "CONCAT":
        return any(map(_stays_null, expr.args))
    return expr.function in _NULL_AS_IT_IS


def _another_scale(call: Call) -> bool:
    """Whether a DECIMAL may be rounded to another scale than its type has."""
    if call.type.root is not TypeRoot.DECIMAL or len(call.args) < 2:
        return False
    value, to = call.args
    if not isinstance(to, Literal):
        return True
    return isinstance(to.value, int) and rounding(value.type, to.value).scale != call.type.scale
