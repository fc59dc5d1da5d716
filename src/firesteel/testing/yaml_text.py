"""YAML texts of rows, as a file of tests writes them."""

from __future__ import annotations

import re

import pyarrow as pa

from firesteel.changelog import field
from firesteel.testing.rows import Columns
from firesteel.types.sql import CHARACTER, SqlType, TypeRoot
from firesteel.types.text import plain_values, writer

_PLAIN = re.compile(r"[A-Za-z0-9_](?:[A-Za-z0-9_./+ -]*[A-Za-z0-9_./+-])?")
"""Pattern of texts that need no quotes as values in a YAML list such as `[1, some text]`."""
_NULL_WORDS = ("null", "Null", "NULL")
_KINDS_OF_LISTS = (TypeRoot.ARRAY, TypeRoot.ROW)


def row_lines(columns: Columns, changes: pa.Table) -> list[str]:
    """Return each row of a changes table as a list in brackets, without its row kind."""
    cells = [
        [cell_text(value, kind, columns.zone) for value in plain_values(changes.column(field(i)))]
        for i, kind in enumerate(columns.types)
    ]
    return [f"[{', '.join(row)}]" for row in zip(*cells, strict=True)]


def with_kind(kind: str, line: str) -> str:
    """Return the text of a row with a row kind in front of its values."""
    return f"[{kind}, {line[1:]}" if kind else line


def cell_text(value: object, kind: SqlType, zone: str) -> str:
    """Return the YAML text of a value.

    Args:
        value: The value as `plain_values` returns it.
        kind: Its type.
        zone: Time zone of TIMESTAMP_LTZ.
    """
    if value is None:
        return "null"
    if kind.root in _KINDS_OF_LISTS:
        assert isinstance(value, (list, tuple))
        types = kind.children if kind.root is TypeRoot.ROW else kind.children * len(value)
        return f"[{', '.join(cell_text(v, t, zone) for v, t in zip(value, types, strict=True))}]"
    if kind.root is TypeRoot.MAP:
        assert isinstance(value, list)
        key, member = kind.children
        pairs = (f"{cell_text(k, key, zone)}: {cell_text(v, member, zone)}" for k, v in value)
        return f"{{{', '.join(pairs)}}}"
    text = writer(kind, zone)(value)
    if kind.root in CHARACTER and (text in _NULL_WORDS or not _PLAIN.fullmatch(text)):
        return _quoted(text)
    return f'"{text}"' if text.startswith("x'") else text


def _quoted(text: str) -> str:
    """Return a text in quotes: single ones, or double ones with escapes if characters are not printable."""
    if text.isprintable():
        return "'" + text.replace("'", "''") + "'"
    escaped = "".join(c if c.isprintable() and c not in '"\\' else _escape(c) for c in text)
    return f'"{escaped}"'


def _escape(character: str) -> str:
    if character in '"\\':
        return f"\\{character}"
    return {"\n": "\\n", "\t": "\\t", "\r": "\\r"}.get(character, f"\\U{ord(character):08x}")
