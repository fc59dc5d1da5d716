"""DuckDB expressions that turn the text of a matched JSON value (json_pattern) into its column."""

from __future__ import annotations

from firesteel.types.duckdb import to_duckdb
from firesteel.types.sql import CHARACTER, SqlType, TypeRoot

MAY_FAIL = (TypeRoot.DATE, TypeRoot.TIMESTAMP, TypeRoot.TIMESTAMP_LTZ)
"""Types whose pattern lets values through that are none (2023-02-29): the cast gives NULL."""


def cast_expression(text: str, kind: SqlType) -> str:
    """The value of `text`, an expression of type VARCHAR that matched the type's pattern."""
    root = kind.root
    if root in CHARACTER:
        return text
    if root is TypeRoot.BOOLEAN:
        return f"(lower({text}) = 'true')"
    if root is TypeRoot.TIMESTAMP_LTZ:
        nanos = (kind.precision or 0) > 6
        return f"TRY_CAST(rtrim({text}, 'Z') AS {'TIMESTAMP_NS' if nanos else 'TIMESTAMP'})"
    if root in MAY_FAIL:
        return f"TRY_CAST({text} AS {to_duckdb(kind)})"
    return f"CAST({text} AS {to_duckdb(kind)})"
