"""Compilation of calls of functions in the function table (functions/signatures/function.py)."""

from __future__ import annotations

from firesteel.functions.duckdb.compile.text import Compiler, Emit, quoted
from firesteel.functions.expression.nodes import Call
from firesteel.functions.signatures.function import Function
from firesteel.functions.signatures.table import FUNCTIONS
from firesteel.types.sql import STRING


def table_emitters() -> dict[str, Emit]:
    """Return, by function name, functions that compile a call to DuckDB SQL.

    The function table (signatures/table.py) may have several rows for a name. A call is compiled by the first
    of these rows whose parameters accept the types of the call's arguments.
    """
    return {name: _emitter(rows) for name, rows in FUNCTIONS.items()}


def _emitter(rows: tuple[Function, ...]) -> Emit:
    def emit(compiler: Compiler, call: Call) -> str:
        types = [a.type for a in call.args]
        row = next(row for row in rows if row.accepts(types))
        if row.body.startswith("@"):
            name, _, zoned = row.body[1:].partition(" ")
            arguments = [(compiler(a), a.type) for a in call.args]
            if zoned:  # Pass the session's time zone as the second argument.
                arguments.insert(1, (quoted(compiler.time_zone), STRING))
            return compiler.python(name, arguments, call.type)
        texts = [compiler(a) for a in call.args]
        return row.body.format(*texts, zone=quoted(compiler.time_zone))

    return emit
