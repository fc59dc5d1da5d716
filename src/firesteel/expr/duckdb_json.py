"""JSON functions in DuckDB, which does not know which of its timestamps are instants."""

from __future__ import annotations

from collections.abc import Iterator

from firesteel.expr.duckdb_text import Compiler, Emit, quoted
from firesteel.expr.nodes import Call
from firesteel.types.sql import STRING, TIMESTAMPS, SqlType, TypeRoot


def _string(compiler: Compiler, call: Call) -> str:
    (value,) = call.args
    arguments = [(compiler(value), value.type), (quoted("".join(_zones(value.type))), STRING)]
    return compiler.python("json.string", arguments, call.type)


def _zones(kind: SqlType) -> Iterator[str]:
    """z for each TIMESTAMP_LTZ within the type, t for each TIMESTAMP."""
    if kind.root in TIMESTAMPS:
        yield "z" if kind.root is TypeRoot.TIMESTAMP_LTZ else "t"
    for child in kind.children:
        yield from _zones(child)


EMIT: dict[str, Emit] = {"JSON_STRING": _string}
