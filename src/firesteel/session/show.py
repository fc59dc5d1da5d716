"""Answers of SHOW and DESCRIBE, with Flink's columns and rows.

Rules: Flink's `ShowColumnsOperation`, `DescribeTableOperation` and `ShowCreateUtil`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from firesteel.catalog.catalog import Catalog
from firesteel.catalog.databases import CatalogEntry
from firesteel.catalog.schema import Column, Table, View
from firesteel.connectors.registry import secret_keys
from firesteel.errors import ValidationError
from firesteel.functions.expression.nodes import Call
from firesteel.functions.signatures.aggregate_functions import AGGREGATES
from firesteel.functions.signatures.table import FUNCTIONS
from firesteel.plan.tree import Field
from firesteel.sensitive import HIDDEN, redacted, shown
from firesteel.session.result import RowsResult
from firesteel.sql.unparse_text import expression_text
from firesteel.types.sql import BOOLEAN, STRING, SqlType, quoted_name


def names(title: str, found: Iterable[str]) -> RowsResult:
    """Return a result with one column of names."""
    return RowsResult([Field(title, STRING)], [[name] for name in found])


def full_modules() -> RowsResult:
    """Return the answer of SHOW FULL MODULES."""
    return RowsResult([Field("module name", STRING), Field("used", BOOLEAN)], [["core", True]])


def like(found: Iterable[str], pattern: str | None, negated: bool, ignore_case: bool = False) -> list[str]:
    """Return the names that match a LIKE pattern, or all names without a pattern.

    Args:
        found: The names.
        pattern: The pattern: % matches any characters, _ matches one.
        negated: Whether to return the names that do not match.
        ignore_case: Whether to compare as ILIKE does.
    """
    if pattern is None:
        return list(found)
    parts = [".*" if c == "%" else "." if c == "_" else re.escape(c) for c in pattern]
    expression = re.compile("".join(parts), re.DOTALL | (re.IGNORECASE if ignore_case else 0))
    return [name for name in found if (expression.fullmatch(name) is None) == negated]


def describe(table: Table | View, pattern: str | None = None, negated: bool = False) -> RowsResult:
    """Return the answer of DESCRIBE: name, type, null, key, extras and watermark of each column.

    A column `comment` is added if any column has a comment. `pattern` and `negated` select columns by name.
    """
    rows = _view_rows(table) if isinstance(table, View) else [_column_row(table, c) for c in table.columns]
    kept = set(like([str(row[0]) for row in rows], pattern, negated))
    schema = [Field(name, STRING) for name in ("name", "type", "null", "key", "extras", "watermark")]
    schema[2] = Field("null", BOOLEAN)
    if isinstance(table, Table) and any(column.comment for column in table.columns):
        schema.append(Field("comment", STRING))
    return RowsResult(schema, [row[: len(schema)] for row in rows if row[0] in kept])


def _column_row(table: Table, column: Column) -> Sequence[object]:
    kind, watermark = str(column.type.with_nullable(True)), None
    if table.watermark is not None and table.watermark.column == column.name:
        kind, watermark = f"{kind} *ROWTIME*", expression_text(table.watermark.sql)
    elif isinstance(column.computed, Call) and column.computed.function == "PROCTIME":
        kind += " *PROCTIME*"
    key = f"PRI({', '.join(table.primary_key)})" if column.name in table.primary_key else None
    return [column.name, kind, column.type.nullable, key, _extras(table, column), watermark, column.comment]


def _extras(table: Table, column: Column) -> str | None:
    if column.computed is not None:
        return f"AS {expression_text(column.computed_sql or '')}"
    if column.metadata is None:
        return None
    return "METADATA" + _metadata_key(column) + (" VIRTUAL" if column.virtual else "")


def _metadata_key(column: Column) -> str:
    return "" if column.metadata == column.name else f" FROM '{column.metadata}'"


def _view_rows(view: View) -> list[Sequence[object]]:
    columns = zip(view.columns, view.column_types, view.column_times, strict=True)
    return [
        [name, str(kind.with_nullable(True)) + _mark(time), kind.nullable, None, None, None]
        for name, kind, time in columns
    ]


def _mark(time: str) -> str:
    return f" *{time}*" if time else ""


def create_table(table: Table) -> RowsResult:
    """Return the answer of SHOW CREATE TABLE: the statement that would create the table."""
    lines = [f"  {_definition(table, column)}" for column in table.columns]
    if table.watermark is not None:
        lines.append(
            f"  WATERMARK FOR {quoted_name(table.watermark.column)} AS {expression_text(table.watermark.sql)}"
        )
    if table.primary_key:
        constraint = quoted_name(table.primary_key_name or f"PK_{'_'.join(table.primary_key)}")
        key = ", ".join(map(quoted_name, table.primary_key))
        lines.append(f"  CONSTRAINT {constraint} PRIMARY KEY ({key}) NOT ENFORCED")
    text = f"CREATE {'TEMPORARY ' if table.temporary else ''}TABLE {_path(table)} (\n" + ",\n".join(lines)
    text += "\n)\n"
    if table.comment:
        text += f"COMMENT {_string(table.comment)}\n"
    if table.partition_keys:
        text += f"PARTITIONED BY ({', '.join(map(quoted_name, table.partition_keys))})\n"
    options = ",\n".join(
        f"  {_string(k)} = {_string(v)}" for k, v in _shown(table.options, secret_keys(dict(table.options)))
    )
    return _text(f"{text}WITH (\n{options}\n)\n" if options else text)


def _definition(table: Table, column: Column) -> str:
    text = quoted_name(column.name)
    if column.computed is not None:
        text += f" AS {expression_text(column.computed_sql or '')}"
    else:
        text += f" {_serialized(column.type)}"
        if column.metadata is not None:
            text += " METADATA" + _metadata_key(column) + (" VIRTUAL" if column.virtual else "")
    return text + (f" COMMENT {_string(column.comment)}" if column.comment else "")


_IN_FULL = {"STRING": "VARCHAR(2147483647)", "BYTES": "VARBINARY(2147483647)"}
_TEXT_TYPES = re.compile(r"`(?:[^`]|``)*`|STRING|BYTES")


def _serialized(kind: SqlType) -> str:
    """Return a type as SHOW CREATE writes it: VARCHAR(2147483647) where DESCRIBE has STRING, for example."""
    text = _TEXT_TYPES.sub(lambda m: _IN_FULL.get(m.group(), m.group()), str(kind.with_nullable(True)))
    text = re.sub(r"TIMESTAMP_LTZ(\(\d\))", r"TIMESTAMP\1 WITH LOCAL TIME ZONE", text)
    return text + ("" if kind.nullable else " NOT NULL")


def create_view(view: View) -> RowsResult:
    """Return the answer of SHOW CREATE VIEW: the statement that would create it, with its expanded query."""
    columns = ",\n".join(f"  {quoted_name(name)}" for name in view.columns)
    comment = f"COMMENT {_string(view.comment)}\n" if view.comment else ""
    kind = "TEMPORARY VIEW" if view.temporary else "VIEW"
    return _text(f"CREATE {kind} {_path(view)} (\n{columns}\n)\n{comment}AS {redacted(view.query)}\n")


def create_catalog(name: str, entry: CatalogEntry) -> RowsResult:
    """Return the answer of SHOW CREATE CATALOG: the statement that would create the catalog."""
    comment = "" if entry.comment is None else f"COMMENT {_string(entry.comment)}\n"
    options = ",\n".join(f"  {_string(k)} = {_string(v)}" for k, v in _shown((entry.options or {}).items()))
    return _text(f"CREATE CATALOG {quoted_name(name)}\n{comment}WITH (\n{options}\n)\n")


def only_for(expected: str, found: Table | View) -> ValidationError:
    """Return the error of SHOW CREATE TABLE for a view, or of SHOW CREATE VIEW for a table."""
    other = "VIEW" if expected == "TABLE" else "TABLE"
    return ValidationError(
        f"SHOW CREATE {expected} is only supported for {expected.lower()}s, but {_path(found)} is a "
        f"{other.lower()}. Please use SHOW CREATE {other} instead."
    )


def _text(text: str) -> RowsResult:
    return RowsResult([Field("result", STRING)], [[text]])


def _path(table: Table | View) -> str:
    return ".".join(map(quoted_name, table.path))


def _shown(options: Iterable[tuple[str, str]], secret: Iterable[str] = ()) -> list[tuple[str, str]]:
    hidden = set(secret)
    return [(key, HIDDEN if key in hidden else shown(key, value)) for key, value in sorted(options)]


def _string(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def options(found: dict[str, str]) -> RowsResult:
    """Return the answer of SET without a key: the options that are set, as in Flink's SQL client."""
    return RowsResult([Field("key", STRING), Field("value", STRING)], _shown(found.items()))


def functions(catalog: Catalog) -> list[str]:
    """Return the names of all built-in and registered functions, as SQL writes them, in lower case.

    Flink lists some under other names, such as `charLength`.
    """
    return sorted({name.lower() for name in (*FUNCTIONS, *AGGREGATES)} | set(catalog.functions.names()))
