"""JSON functions in DuckDB, which cannot tell instants from other timestamps, nor VARIANTs from bytes."""

from __future__ import annotations

from collections.abc import Iterator

from firesteel.expr.duckdb_text import Compiler, Emit, quoted
from firesteel.expr.nodes import Call
from firesteel.types.sql import BYTES_LIKE, STRING, TIMESTAMPS, SqlType, TypeRoot


def _string(compiler: Compiler, call: Call) -> str:
    (value,) = call.args
    arguments = [(compiler(value), value.type), (quoted("".join(_marks(value.type))), STRING)]
    return compiler.python("json.string", arguments, call.type)


def _marks(kind: SqlType) -> Iterator[str]:
    """z for each TIMESTAMP_LTZ in the type, t for each TIMESTAMP, v for each VARIANT, y for other bytes."""
    if kind.root in TIMESTAMPS:
        yield "z" if kind.root is TypeRoot.TIMESTAMP_LTZ else "t"
    if kind.root is TypeRoot.VARIANT or kind.root in BYTES_LIKE:
        yield "v" if kind.root is TypeRoot.VARIANT else "y"
    for child in kind.children:
        yield from _marks(child)


EMIT: dict[str, Emit] = {"JSON_STRING": _string}
