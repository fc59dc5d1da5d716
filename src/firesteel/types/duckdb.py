"""DuckDB names of SQL types, and Arrow types of these names.

In DuckDB, a TIMESTAMP_LTZ is a plain TIMESTAMP in UTC. An interval is its number of months (INTEGER) or
milliseconds (BIGINT).
"""

from __future__ import annotations

import re

import pyarrow as pa

from firesteel.types.arrow import KEY, VALUE
from firesteel.types.sql import SqlType, TypeRoot

_NAMES = {
    TypeRoot.NULL: "INTEGER",
    TypeRoot.BOOLEAN: "BOOLEAN",
    TypeRoot.TINYINT: "TINYINT",
    TypeRoot.SMALLINT: "SMALLINT",
    TypeRoot.INTEGER: "INTEGER",
    TypeRoot.BIGINT: "BIGINT",
    TypeRoot.FLOAT: "FLOAT",
    TypeRoot.DOUBLE: "DOUBLE",
    TypeRoot.CHAR: "VARCHAR",
    TypeRoot.VARCHAR: "VARCHAR",
    TypeRoot.BINARY: "BLOB",
    TypeRoot.VARBINARY: "BLOB",
    TypeRoot.DATE: "DATE",
    TypeRoot.TIME: "TIME",
    TypeRoot.INTERVAL_YEAR_MONTH: "INTEGER",
    TypeRoot.INTERVAL_DAY_TIME: "BIGINT",
    TypeRoot.VARIANT: "BLOB",
    TypeRoot.BITMAP: "BLOB",
}
_ARROW = {
    "BOOLEAN": pa.bool_(),
    "TINYINT": pa.int8(),
    "SMALLINT": pa.int16(),
    "INTEGER": pa.int32(),
    "BIGINT": pa.int64(),
    "FLOAT": pa.float32(),
    "DOUBLE": pa.float64(),
    "VARCHAR": pa.string(),
    "BLOB": pa.binary(),
    "DATE": pa.date32(),
    "TIME": pa.time64("us"),
    "TIMESTAMP": pa.timestamp("us"),
    "TIMESTAMP_NS": pa.timestamp("ns"),
}


def to_duckdb(kind: SqlType) -> str:
    """Return the DuckDB type that carries values of a SQL type.

    Raises:
        KeyError: The type is RAW.
    """
    root = kind.root
    if root is TypeRoot.DECIMAL:
        return f"DECIMAL({kind.precision},{kind.scale})"
    if root in (TypeRoot.TIMESTAMP, TypeRoot.TIMESTAMP_LTZ):
        return "TIMESTAMP" if (kind.precision or 0) <= 6 else "TIMESTAMP_NS"
    if root is TypeRoot.ARRAY:
        return f"{to_duckdb(kind.children[0])}[]"
    if root is TypeRoot.MAP:
        return _entries(to_duckdb(kind.children[0]), to_duckdb(kind.children[1]))
    if root is TypeRoot.MULTISET:
        return _entries(to_duckdb(kind.children[0]), "INTEGER")
    if root is TypeRoot.ROW:
        fields = zip(kind.names, kind.children, strict=True)
        return f"STRUCT({','.join(f'{quote(name)} {to_duckdb(child)}' for name, child in fields)})"
    return _NAMES[root]


def _entries(key: str, value: str) -> str:
    """Return the type of maps as lists of entries (types/arrow.py): DuckDB's maps have no NULL key."""
    return f"STRUCT({quote(KEY)} {key},{quote(VALUE)} {value})[]"


def quote(name: str) -> str:
    """Return a quoted DuckDB identifier."""
    return '"' + name.replace('"', '""') + '"'


def arrow_of(text: str) -> pa.DataType:
    """Return the Arrow type of a type name from `to_duckdb`."""
    if text.endswith("[]"):
        return pa.list_(arrow_of(text[:-2]))
    if text.startswith("STRUCT("):
        fields = [re.match(r'"((?:[^"]|"")*)" (.*)$', part, re.DOTALL) for part in _split(text[7:-1])]
        return pa.struct([pa.field(f[1].replace('""', '"'), arrow_of(f[2])) for f in fields if f])
    if text.startswith("DECIMAL("):
        precision, scale = text[8:-1].split(",")
        return pa.decimal128(int(precision), int(scale))
    return _ARROW[text]


def _split(text: str) -> list[str]:
    """Split a text at the commas that are neither in parentheses nor in quoted names."""
    parts, depth, quoted, start = [], 0, False, 0
    for i, letter in enumerate(text):
        if letter == '"':
            quoted = not quoted
        elif quoted:
            continue
        elif letter == "(":
            depth += 1
        elif letter == ")":
            depth -= 1
        elif letter == "," and depth == 0:
            parts.append(text[start:i])
            start = i + 1
    return [*parts, text[start:]]
