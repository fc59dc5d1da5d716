"""DuckDB expressions that turn the text of a matched JSON value (json_pattern) into its column."""

from __future__ import annotations

import json

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


def before_text(update: str, old: str, new: str, olds: str, name: str) -> str:
    """The text of a field before an UPDATE whose message holds only what changed.

    olds: the part of the message with the old values, as compact JSON: the name is a key in it exactly
    where `"name":` is. A name that is not there takes the new value.
    """
    key = "'" + (json.dumps(name, ensure_ascii=False) + ":").replace("'", "''") + "'"
    return (
        f"(CASE WHEN NOT ({update}) THEN NULL WHEN {old} IS NOT NULL THEN {old} "
        f"WHEN contains({olds}, {key}) THEN NULL ELSE {new} END)"
    )


def change_columns(
    types: tuple[SqlType, ...], new: list[str], before: list[str]
) -> tuple[list[str], list[str]]:
    """The columns a0, b0, ... of the texts of each field's new and old value, and conditions that are true
    where a text is no value of its type."""
    columns, flags = [], []
    for index, kind in enumerate(types):
        for prefix, text in (("a", new[index]), ("b", before[index])):
            value = cast_expression(text, kind)
            columns.append(f"{value} AS {prefix}{index}")
            if kind.root in MAY_FAIL:
                flags.append(f"({text} IS NOT NULL AND {value} IS NULL)")
    return columns, flags
