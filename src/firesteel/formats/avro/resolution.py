"""Read values of one Avro schema as values of another schema, as Flink reads messages of a registry.

Flink: RegistryAvroDeserializationSchema gives Avro's GenericDatumReader the writer's schema and the table's.
Avro's rules apply: numbers are widened, and a missing field takes its default or is an error. But records
match whatever their names are. Logical types are ignored: a decimal is its digits, and a time is its number,
whatever unit the writer declares.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from io import BytesIO
from typing import Any

from firesteel.formats.avro.schema import Schema, with_logical_types

_VALUE = "value"


class Resolved:
    """Reader of values that were written by one schema, as values of another schema.

    A schema may be a union with null. fastavro matches two unions again for each message, but caches how it
    matches two records. So both schemas are wrapped in a record of one field, which is faster
    and does not change the bytes of a message.
    """

    def __init__(self, avro: Any, writer: Schema, reader: Schema) -> None:
        named: dict[str, Any] = {}
        self._avro = avro
        self._writer = avro.parse_schema(wrapped("writer", plain(writer)), named)
        self._reader = avro.parse_schema(_aligned([self._writer], wrapped("reader", plain(reader)), named))

    def value(self, message: bytes, start: int) -> Any:
        """Return the value that begins at `start`, with plain numbers and bytes for logical types.

        Any exception of fastavro means that the message is bad.
        """
        return read_whole(self._avro, message[start:], self._writer, self._reader)[_VALUE]


def read_whole(avro: Any, message: bytes, writer: Schema, reader: Schema | None = None) -> Any:
    """Return the value of a message.

    fastavro does not notice if the message ends within a skipped value. So it gets one more byte, which it
    must not read.

    Args:
        avro: The package fastavro.
        message: The bytes.
        writer: Parsed schema of the writer.
        reader: Parsed schema of the reader, None for the writer's.

    Raises:
        EOFError: The message ends within the value.
    """
    stream = BytesIO(message + b"\0")
    found = avro.schemaless_reader(stream, writer, reader, handle_unicode_errors="replace")
    if stream.tell() > len(message):
        raise EOFError("the message ends too early")
    return found


def wrapped(name: str, schema: Schema) -> Schema:
    """Return a record schema with one field, `value`, of the given schema."""
    return {"type": "record", "name": f"firesteel.{name}", "fields": [{"name": _VALUE, "type": schema}]}


def plain(schema: Schema) -> Schema:
    """Return the schema without logical types."""
    return with_logical_types(schema, lambda logical_type: None)


def _aligned(writers: list[Schema], reader: Schema, named: Mapping[str, Schema]) -> Schema:
    """Return the reader's schema, whose records have the names of the writer's records as aliases.

    Avro matches records only if their names are equal. Flink ignores the names, and the aliases do the same.

    Args:
        writers: Schemas of the writer that stand at the position of `reader`: several in a union.
        reader: Schema of the reader.
        named: The writer's record types by name.
    """
    if isinstance(reader, list):
        return [_aligned(writers, each, named) for each in reader]
    if not isinstance(reader, dict):
        return reader
    kind = reader["type"]
    there = [each for each in _alternatives(writers, named) if each["type"] == kind]
    if kind == "record":
        fields = [_aligned_field(there, field, named) for field in reader["fields"]]
        return {**reader, "aliases": [each["name"] for each in there], "fields": fields}
    part = {"array": "items", "map": "values"}.get(kind)
    if part is None:
        return reader
    return {**reader, part: _aligned([each[part] for each in there], reader[part], named)}


def _aligned_field(records: Iterable[Schema], field: Schema, named: Mapping[str, Schema]) -> Schema:
    writers = [
        each["type"] for record in records for each in record["fields"] if each["name"] == field["name"]
    ]
    return {**field, "type": _aligned(writers, field["type"], named)}


def _alternatives(schemas: Iterable[Schema], named: Mapping[str, Schema]) -> Iterator[Schema]:
    """Yield the schemas, but the members of a union one by one, and a named type's own schema from `named`.

    Primitive types such as "string" are left out.
    """
    for schema in schemas:
        if isinstance(schema, list):
            yield from _alternatives(schema, named)
        elif isinstance(schema, dict):
            yield schema
        elif schema in named:
            yield named[schema]
