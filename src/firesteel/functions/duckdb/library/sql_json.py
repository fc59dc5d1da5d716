"""JSON_VALUE, JSON_QUERY, JSON_EXISTS, IS JSON and JSON() over columns (functions/json_path/sql_json.py).

A cache keeps parsed texts for other rows and other calls. A call processes each distinct text of a batch
once. The column `clauses` of a function has the clauses of the SQL call, such as ON EMPTY, as a JSON object.
It has the same text in every row.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import lru_cache
from typing import Any, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc

from firesteel.errors import JobError
from firesteel.functions.duckdb.registry import columnar
from firesteel.functions.json_path import sql_json
from firesteel.functions.json_path.document import well_formed
from firesteel.functions.json_path.errors import PathFailure
from firesteel.functions.json_path.sql_json import Behaviour, Document

Column: TypeAlias = "pa.Array | pa.ChunkedArray"

_MOST_TEXTS, _MOST_CHARACTERS = 4096, 4_000_000
"""Maximum number of parsed texts in the cache, and of the characters that they have together.

DuckDB calls a function with up to 2048 rows at a time, so the cache has room for the texts of two calls.
A larger cache would slow down Python's garbage collector, which traverses the parsed objects.
"""
_TYPES = {"BOOLEAN": pa.bool_(), "INTEGER": pa.int32(), "DOUBLE": pa.float64(), "VARCHAR": pa.string()}


class _Documents:
    """Cache of recently parsed texts."""

    def __init__(self) -> None:
        self._known: dict[str, Document] = {}
        self._characters = 0

    def __call__(self, text: str) -> Document:
        found = self._known.get(text)
        if found is None:
            if len(self._known) >= _MOST_TEXTS or self._characters > _MOST_CHARACTERS:
                self._known, self._characters = {}, 0
            self._known[text] = found = sql_json.document(text)
            self._characters += len(text)
        return found


_document = _Documents()


@columnar
def value(texts: Column, paths: Column, clauses: Column) -> pa.Array:
    """Return JSON_VALUE.

    Args:
        clauses: {"returning": type, "empty": behaviour, "error": behaviour}. A behaviour is an object with
            the attributes of `Behaviour` (functions/json_path/sql_json.py).
    """
    said = _clauses(clauses)
    behaviours = _behaviours(said)
    returning = said.get("returning", "VARCHAR")

    def one(text: str, path: str) -> Any:
        return sql_json.json_value(_document(text), path, returning, *behaviours)

    return _each(texts, paths, one, _TYPES[returning])


@columnar
def query(texts: Column, paths: Column, clauses: Column) -> pa.Array:
    """Return JSON_QUERY.

    Args:
        clauses: {"wrapper": kind, "array": bool, "empty": behaviour, "error": behaviour}. With "array", the
            result is an ARRAY<STRING>, else a text.
    """
    said = _clauses(clauses)
    behaviours = _behaviours(said)
    wrapper, as_array = said.get("wrapper", "WITHOUT_ARRAY"), said.get("array", False)

    def one(text: str, path: str) -> Any:
        return sql_json.json_query(_document(text), path, wrapper, as_array, *behaviours)

    return _each(texts, paths, one, pa.list_(pa.string()) if as_array else pa.string())


@columnar
def exists(texts: Column, paths: Column, on_error: Column) -> pa.Array:
    """Return JSON_EXISTS.

    Args:
        on_error: TRUE, FALSE, UNKNOWN or ERROR.
    """
    word = on_error[0].as_py() if len(on_error) else "FALSE"
    return _each(texts, paths, lambda t, p: sql_json.json_exists(_document(t), p, word), pa.bool_())


@columnar
def tested(texts: Column, kinds: Column) -> pa.Array:
    """Return IS JSON.

    Args:
        kinds: VALUE, SCALAR, OBJECT or ARRAY.
    """
    return _each(texts, kinds, lambda t, kind: sql_json.is_json(_document(t), kind), pa.bool_())


@columnar
def document(texts: Column) -> pa.Array:
    """Return JSON()."""
    return _mapped(texts, sql_json.json_document, pa.string())


@columnar
def quoted(texts: Column) -> pa.Array:
    """Return JSON_QUOTE."""
    return _mapped(texts, sql_json.json_quoted, pa.string())


@columnar
def unquoted(texts: Column) -> pa.Array:
    """Return JSON_UNQUOTE."""
    return _mapped(texts, sql_json.json_unquoted, pa.string())


@lru_cache(maxsize=100)
def _parsed(clauses: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(clauses)
    return found


def _clauses(column: Column) -> dict[str, Any]:
    return _parsed(column[0].as_py()) if len(column) else {}


def _behaviours(said: dict[str, Any]) -> list[Behaviour]:
    return [Behaviour(**said.get(event, {})) for event in ("empty", "error")]


def _each(texts: Column, others: Column, one: Callable[[str, str], Any], kind: pa.DataType) -> pa.Array:
    """Return the results of `one` for each row, NULL if the row's text or other argument is NULL.

    If the other argument, such as a path, is the same in all rows, `one` runs only once for each distinct
    text. Otherwise it runs once for each row.
    """
    distinct = others.unique()
    if len(distinct) > 1:
        rows = list(zip(texts.to_pylist(), others.to_pylist(), strict=True))
        return _guarded(lambda: [None if None in row else one(*row) for row in rows], kind)
    other = distinct[0].as_py() if len(distinct) else None
    if other is None:
        return pa.nulls(len(texts), kind)
    return _mapped(texts, lambda text: one(text, other), kind)


def _mapped(texts: Column, one: Callable[[str], Any], kind: pa.DataType) -> pa.Array:
    column = texts.combine_chunks() if isinstance(texts, pa.ChunkedArray) else texts
    encoded = column.dictionary_encode()
    results = _guarded(lambda: [one(text) for text in encoded.dictionary.to_pylist()], kind)
    return pc.take(results, encoded.indices)


def _guarded(run: Callable[[], list[Any]], kind: pa.DataType) -> pa.Array:
    try:
        values = run()
    except PathFailure as failure:
        raise JobError(str(failure)) from None
    try:
        return pa.array(values, kind)
    except UnicodeEncodeError:
        return pa.array([_writable(each) for each in values], kind)


def _writable(value: Any) -> Any:
    if isinstance(value, str):
        return well_formed(value)
    return [_writable(each) for each in value] if isinstance(value, list) else value
