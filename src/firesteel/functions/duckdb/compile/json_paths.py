"""Compilation of JSON_VALUE with a plain path to DuckDB's JSON functions, if they return the same as Jackson.

This holds for TRUE, FALSE, and a text or integer under names that occur once in the document. Python handles
all other cases: input that DuckDB accepts and Jackson does not (a comma before a closing bracket, NaN,
exponents of any size), escapes by number, repeated names (DuckDB takes the first, Jackson the last), long
documents and all other values.
"""

from __future__ import annotations

import re

from firesteel.functions.duckdb.compile.text import quoted
from firesteel.functions.expression.nodes import Call, InputRef, Literal
from firesteel.types.sql import TypeRoot

_PLAIN = re.compile(r"(?:\s*(?:lax|strict)\s+)?(\$(?:\.[A-Za-z_]\w*|\[\d{1,6}\])+)", re.ASCII | re.IGNORECASE)
_LENIENT = r"\\u|,\s*[\]}]|(?i:nan|inf)|[eE][+-]?\d{8}"
_LONGEST = 1000
"""Maximum length in bytes of a document that DuckDB reads.

So short a document cannot exceed Jackson's limits of 1,000 levels and 1,000 digits.
"""


def plain_path(call: Call) -> str | None:
    """Return the path of a JSON_VALUE, or None if Python must evaluate it.

    DuckDB can evaluate it if the document is a text column, the result is a STRING, and the path consists of
    names and indexes only.
    """
    text, path = call.args[:2]
    if call.type.root is not TypeRoot.VARCHAR or not isinstance(text, InputRef) or not text.type.is_character:
        return None
    if not isinstance(path, Literal) or not isinstance(path.value, str):
        return None
    match = _PLAIN.fullmatch(path.value)
    return match[1] if match else None


def with_duckdb(text: str, path: str, otherwise: str) -> str:
    """Return the SQL of the value at `path` in the document `text`.

    Args:
        otherwise: SQL of the value, for documents and values that DuckDB may read differently than Jackson.
    """
    place = quoted(path)
    names = dict.fromkeys(re.findall(r"\.(\w+)", path))
    once = "".join(_stands_once(text, f'"{name}"') for name in names)
    safe = (
        f"strlen({text}) <= {_LONGEST} AND json_valid({text})"
        f" AND NOT regexp_matches({text}, {quoted(_LENIENT)}){once}"
    )
    kind = f"CASE WHEN {safe} THEN json_type({text}, {place}) END"
    known = "'VARCHAR', 'BIGINT', 'UBIGINT', 'BOOLEAN'"
    return f"(CASE WHEN ({kind}) IN ({known}) THEN json_extract_string({text}, {place}) ELSE {otherwise} END)"


def _stands_once(text: str, name: str) -> str:
    return f" AND strlen(replace({text}, {quoted(name)}, '')) = strlen({text}) - {len(name)}"
