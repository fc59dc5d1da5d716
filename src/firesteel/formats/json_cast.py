"""DuckDB expressions that turn the text of a matched JSON value (json_pattern) into its column."""

from __future__ import annotations

import json
from dataclasses import dataclass

from firesteel.formats.base import MESSAGES
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
        f"CASE WHEN NOT ({update}) THEN NULL WHEN {old} IS NOT NULL THEN {old} "
        f"WHEN contains({olds}, {key}) THEN NULL ELSE {new} END"
    )


@dataclass(frozen=True)
class ChangeStatement:
    """The DuckDB statement of an UpdateShape, level by level: short expressions are planned fast.

    paths: of what is read from the message by one parse: `head`, then each field's new text (n0, ...), then
    each one's old text (p0, ...). head: names with expressions over the list v of what the paths gave.
    new, before: expressions over n, p and head. wrong: a condition for messages of the exact path. kind:
    the row kind's byte. kept: columns of head that the answer keeps.
    """

    types: tuple[SqlType, ...]
    paths: tuple[str, ...]
    head: tuple[tuple[str, str], ...]
    new: tuple[str, ...]
    before: tuple[str, ...]
    kind: str
    wrong: str
    kept: tuple[str, ...] = ()

    @property
    def sql(self) -> str:
        count, first = len(self.types), len(self.paths) - 2 * len(self.types) + 1
        head = [name for name, _ in self.head]
        taken = [f"{text} AS {name}" for name, text in self.head]
        taken += [f"v[{first + j}] AS n{j}, v[{first + count + j}] AS p{j}" for j in range(count)]
        texts = [f"{self.new[j]} AS n{j}, {self.before[j]} AS p{j}" for j in range(count)]
        values, flags = [], [self.wrong]
        for j, kind in enumerate(self.types):
            values += [
                f"{cast_expression(f'n{j}', kind)} AS a{j}",
                f"{cast_expression(f'p{j}', kind)} AS b{j}",
            ]
            if kind.root in MAY_FAIL:
                values.append(f"n{j}, p{j}")
                flags += [f"(n{j} IS NOT NULL AND a{j} IS NULL)", f"(p{j} IS NOT NULL AND b{j} IS NULL)"]
        answer = [f"({self.kind})::TINYINT AS kind", *self.kept]
        answer += [f"a{j}, b{j}" for j in range(count)]
        sql = f"SELECT i, json_extract_string(l, [{', '.join(self.paths)}]) AS v FROM {MESSAGES}"
        for columns in (
            taken,
            [*head, *texts],
            [*head, *values],
            [*answer, f"({' OR '.join(flags)}) AS flag"],
        ):
            sql = f"SELECT i, {', '.join(columns)} FROM ({sql})"
        return sql
