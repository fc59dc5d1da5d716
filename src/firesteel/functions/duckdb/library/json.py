"""JSON_STRING, and JSON_OBJECT with computed names.

Flink: JsonStringCallGen, JsonObjectCallGen, JsonGenerateUtils.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Iterator
from typing import Any

import pyarrow as pa

from firesteel.errors import JobError
from firesteel.functions.duckdb.registry import columnar
from firesteel.types.arrow import is_entries
from firesteel.types.json_text import number, quoted, timestamp
from firesteel.types.text import plain_values
from firesteel.types.variant import variant_text

Write = Callable[[Any], str]


@columnar
def string(column: pa.Array, marks: pa.Array) -> pa.Array:
    """Return the values as JSON texts, NULL for NULL.

    Args:
        column: The values.
        marks: A text that is the same in every row. It has a letter for each TIMESTAMP_LTZ (z), TIMESTAMP
            (t), VARIANT (v) and BYTES type (y) in the type of the values, from left to right. For
            ROW<a TIMESTAMP, b ARRAY<BYTES>> it is `ty`.
    """
    write = _writer(column.type, iter(marks[0].as_py() if len(marks) else "t" * 1000))
    texts = [None if value is None else write(value) for value in plain_values(column)]
    return pa.array(texts, pa.string())


@columnar
def object(names: pa.Array, texts: pa.Array) -> pa.Array:
    """Return JSON objects from lists of names and of JSON texts. Members whose text is NULL are left out."""
    rows = zip(names.to_pylist(), texts.to_pylist(), strict=True)
    return pa.array([_object(_present(*row)) for row in rows], pa.string())


def _present(names: list[str], texts: list[str | None]) -> dict[str, str]:
    return {name: text for name, text in zip(names, texts, strict=True) if text is not None}


def _writer(kind: pa.DataType, marks: Iterator[str]) -> Write:
    if pa.types.is_timestamp(kind):
        zoned = next(marks) == "z"
        return lambda value: timestamp(value, zoned)
    if is_entries(kind):
        item = _nullable(_writer(kind.value_type.field(1).type, marks))
        return lambda value: _object(_members(value, item))
    if pa.types.is_list(kind):
        element = _nullable(_writer(kind.value_type, marks))
        return lambda value: f"[{','.join(map(element, value))}]"
    if pa.types.is_struct(kind):
        fields = [(field.name, _nullable(_writer(field.type, marks))) for field in kind]
        return lambda value: _object(
            {name: write(each) for (name, write), each in zip(fields, value, strict=True)}
        )
    if pa.types.is_floating(kind):
        return number
    if pa.types.is_boolean(kind):
        return lambda value: "true" if value else "false"
    if pa.types.is_binary(kind):
        if next(marks) == "v":
            return variant_text
        return lambda value: f'"{b64encode(value).decode()}"'
    return quoted if pa.types.is_string(kind) else str


def _nullable(write: Write) -> Write:
    return lambda value: "null" if value is None else write(value)


def _members(pairs: list[tuple[Any, Any]], item: Write) -> dict[str, str]:
    for index, (key, _) in enumerate(pairs):
        if key is None:
            raise JobError(f"Key at index {index} was null. This is not supported during conversion to JSON.")
    return {key: item(each) for key, each in pairs}


def _object(members: dict[str, str]) -> str:
    """Return the text of an object with members sorted by name, as Java compares strings."""
    names = sorted(members, key=lambda name: name.encode("utf-16-be", "surrogatepass"))
    return "{" + ",".join(f"{quoted(name)}:{members[name]}" for name in names) + "}"
