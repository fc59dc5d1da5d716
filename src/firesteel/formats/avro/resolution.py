"""A value written by one Avro schema, read by another, as Flink reads messages of a registry.

Flink: RegistryAvroDeserializationSchema gives Avro's GenericDatumReader the writer's schema and the table's.
It resolves by Avro's rules (numbers are widened, a field that is missing takes its default or is an error)
but for names: a record stands for any other. Logical types have no part in it: a decimal is its digits,
a time its number, whatever the writer says of their unit.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from io import BytesIO
from typing import Any

from firesteel.formats.avro.schema import Schema, with_logical_types

_VALUE = "value"


class Resolved:
    """Reads what `writer` has written as `reader` has it.

    Both are wrapped in a record of one field, which is written as the field is: fastavro keeps what it has
    found out about a record, of a union it finds it out for each message.
    """

    def __init__(self, avro: Any, writer: Schema, reader: Schema) -> None:
        named: dict[str, Any] = {}
        self._avro = avro
        self._writer = avro.parse_schema(wrapped("writer", plain(writer)), named)
        self._reader = avro.parse_schema(_aligned([self._writer], wrapped("reader", plain(reader)), named))

    def value(self, message: bytes, start: int) -> Any:
        """The value that begins at `start`, its logical types as plain numbers and bytes. Raises whatever
        fastavro does."""
        return read_whole(self._avro, message[start:], self._writer, self._reader)[_VALUE]


def read_whole(avro: Any, message: bytes, writer: Schema, reader: Schema | None = None) -> Any:
    """A value of schemas that fastavro has parsed. Raises EOFError where the message ends before it does:
    fastavro does not see that of what it skips, so it is given a byte that it must not read."""
    stream = BytesIO(message + b"\0")
    found = avro.schemaless_reader(stream, writer, reader, handle_unicode_errors="replace")
    if stream.tell() > len(message):
        raise EOFError("the message ends too early")
    return found


def wrapped(name: str, schema: Schema) -> Schema:
    """A record of one field, `value`."""
    return {"type": "record", "name": f"firesteel.{name}", "fields": [{"name": _VALUE, "type": schema}]}


def plain(schema: Schema) -> Schema:
    """The schema without logical types."""
    return with_logical_types(schema, lambda logical_type: None)


def _aligned(writers: list[Schema], reader: Schema, named: Mapping[str, Schema]) -> Schema:
    """The reader's schema, whose records have for aliases the names of those that the writer has there."""
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
    """What a value may be, names looked up; simple types left out."""
    for schema in schemas:
        if isinstance(schema, list):
            yield from _alternatives(schema, named)
        elif isinstance(schema, dict):
            yield schema
        elif schema in named:
            yield named[schema]
