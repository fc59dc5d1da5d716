"""Read values of one Avro schema as values of another schema, as Flink reads messages of a registry.

Flink: RegistryAvroDeserializationSchema gives Avro's GenericDatumReader the writer's schema and the table's.
Avro's rules apply: numbers are widened, and a missing field takes its default or is an error. There are two
differences:

- The names of two record types need not be equal. Fields are still matched by name.
- Logical types are ignored. A decimal is read as the bytes of its unscaled value, and a time as its plain
  number, whether the writer declares milliseconds or microseconds.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from io import BytesIO
from typing import Any

from firesteel.formats.avro.schema import Schema, with_logical_types

_VALUE = "value"


class Resolved:
    """Reader of values that were written by one schema, as values of another schema.

    The schema of a message may be a union of null and a record. For two unions, fastavro works out again for
    each message which members match. For two records, it does so once and caches the result. So both schemas
    are wrapped in a record with one field, which is faster. The bytes of a message stay the same, because
    Avro writes a record as its fields alone.
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

    fastavro skips a field that only the writer's schema has. It does not notice if the message ends within
    this field. So this function adds a zero byte to the message. If fastavro reads or skips this byte, the
    message is too short.

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
    """Return the reader's schema, with the names of the writer's record types as aliases of its record types.

    fastavro matches two record types only if they have the same name, or if the writer's name is an alias in
    the reader's schema. Flink ignores the names. With the aliases, fastavro matches as Flink does.

    Args:
        writers: The writer's schemas for the value that `reader` describes. A union adds its members, so
            there may be several.
        reader: Schema of the reader, or the part of it that describes one value.
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
    """Yield the schemas that are dictionaries, with unions and names of types resolved.

    - A union (list) is replaced by the schemas of its members.
    - The name of a type is replaced by the type's schema in `named`.
    - The name of a primitive type, such as "string", is left out.
    """
    for schema in schemas:
        if isinstance(schema, list):
            yield from _alternatives(schema, named)
        elif isinstance(schema, dict):
            yield schema
        elif schema in named:
            yield named[schema]
