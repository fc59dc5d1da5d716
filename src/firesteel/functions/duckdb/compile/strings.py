"""Compilation of string functions for which DuckDB has Flink's results for some arguments only."""

from __future__ import annotations

from firesteel.functions.duckdb.compile.text import Compiler, Emit
from firesteel.functions.expression.nodes import Call, Expr, Literal


def _constant(expr: Expr) -> int | None:
    return expr.value if isinstance(expr, Literal) and isinstance(expr.value, int) else None


def _substring(compiler: Compiler, call: Call) -> str:
    """Return the SQL of SUBSTRING: DuckDB's own if start and length are literals, else a call of Python.

    If a negative start is before the string, the result is empty.
    """
    start = _constant(call.args[1])
    length = _constant(call.args[2]) if len(call.args) > 2 else (1 << 31) - 1
    if start is None or length is None or length < 0:
        return compiler.call_python("strings.substring", call)
    text = compiler(call.args[0])
    if start >= 0:
        return f"substr({text}, {max(start, 1)}, {length})"
    part = f"substr({text}, {start}, {length})"
    return f"(CASE WHEN length({text}) >= {-start} THEN {part} ELSE left({text}, 0) END)"


def _side(compiler: Compiler, call: Call) -> str:
    count = _constant(call.args[1])
    name = call.function.lower()
    if count is None or count < 0:
        return compiler.call_python(f"strings.{name}", call)
    return f"{name}({compiler(call.args[0])}, {count})"


EMIT: dict[str, Emit] = {"SUBSTRING": _substring, "SUBSTR": _substring, "LEFT": _side, "RIGHT": _side}
