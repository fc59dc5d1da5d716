"""Compilation of HASH_CODE, which only the planner uses: for the buckets of split DISTINCT aggregates."""

from __future__ import annotations

from firesteel.errors import NotSupportedError
from firesteel.functions.duckdb.compile.text import Compiler, Emit
from firesteel.functions.expression.nodes import Call
from firesteel.types.sql import CHARACTER, NUMERIC, SqlType, TypeRoot

_HASHED = (*CHARACTER, *NUMERIC, TypeRoot.BOOLEAN, TypeRoot.DATE, TypeRoot.TIME, TypeRoot.TIMESTAMP)


def check_hashed(kind: SqlType) -> None:
    """Raise NotSupportedError with Flink's text if HASH_CODE does not accept a type."""
    if kind.root not in _HASHED:
        raise NotSupportedError(
            f"Unsupported call: HASH_CODE({kind.with_nullable(True)})",
            hint="SET 'table.optimizer.distinct-agg.split.enabled' = 'false'",
        )


def _hash_code(compiler: Compiler, call: Call) -> str:
    check_hashed(call.args[0].type)
    return compiler.call_python("hashes.hash_code", call)


EMIT: dict[str, Emit] = {"HASH_CODE": _hash_code}
