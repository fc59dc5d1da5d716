"""The format avro: messages without their schema, and Avro container files. INSERT only.

Flink: AvroFormatFactory, AvroRowDataDeserializationSchema, AvroFileFormatFactory.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from io import BytesIO
from itertools import islice
from typing import Any, BinaryIO, Protocol

import numpy as np
import pyarrow as pa

from firesteel.changelog import INSERT_ONLY, KIND, RowKind, field
from firesteel.config.option import Kind, Option, TypedOptions
from firesteel.errors import DataError, FiresteelError, NotSupportedError, missing_package
from firesteel.formats.avro.container_files import file_records
from firesteel.formats.avro.resolution import plain, read_whole
from firesteel.formats.avro.row_decoder import to_avro, to_column
from firesteel.formats.avro.schema import Schema, to_schema, with_logical_types
from firesteel.formats.base import Decoder, Encoder, Fields, Framing, Indices, MessageError, Options
from firesteel.types.sql import SqlType, row

_ROWS = 20_000
_FAILED = "Failed to deserialize Avro record."
_CODECS = {"null": "null", "deflate": "deflate", "snappy": "snappy", "bzip2": "bzip2", "xz": "xz"}


def fastavro() -> Any:
    """Return the package fastavro.

    Raises:
        UsageError: It is not installed.
    """
    try:
        import fastavro
    except ImportError:
        raise missing_package("The format 'avro'", "fastavro", "avro") from None
    return fastavro


def _in_millis(logical_type: str) -> str:
    return logical_type.replace("-micros", "-millis")


class Bodies(Protocol):
    """Reader and writer of messages that contain one Avro record.

    A message is only the record (Plain), or the number of its schema and then the record (Registered).
    """

    def read(self, message: bytes) -> dict[str, Any] | None:
        """Return the record of a message, None for Avro's null. Any exception means a bad message."""
        ...

    def write(self, record: dict[str, Any]) -> bytes: ...


class Plain:
    """Reader and writer of messages that are only an Avro value (Bodies).

    The message does not name its schema: reader and writer must use the same one. As in Flink, times and
    timestamps are read and written as milliseconds, even if the schema has the logical type
    `timestamp-micros`, as for TIMESTAMP(6).
    """

    def __init__(self, schema: Schema) -> None:
        self._avro = fastavro()
        self._schema = self._avro.parse_schema(with_logical_types(schema, _in_millis))
        self._plain = self._avro.parse_schema(plain(schema))

    def read(self, message: bytes) -> dict[str, Any] | None:
        found: dict[str, Any] | None = read_whole(self._avro, message, self._plain)
        return found

    def write(self, record: dict[str, Any]) -> bytes:
        out = BytesIO()
        self._avro.schemaless_writer(out, self._schema, record)
        return out.getvalue()


class AvroMessages:
    """Decoder and encoder of INSERT messages."""

    def __init__(self, fields: Fields, bodies: Bodies, legacy: bool = True) -> None:
        self.causes = Counter[str]()
        self._fields, self._bodies, self._legacy = fields, bodies, legacy

    def decode(self, messages: pa.BinaryArray) -> tuple[pa.Table, Indices]:
        at, records = [], []
        for index, message in enumerate(messages.to_pylist()):
            record = None if message is None else read_body(self._bodies, index, message, _FAILED)
            if record is not None:
                at.append(index)
                records.append(record)
        return checked(records, self._fields, at, _FAILED), np.array(at, np.int64)

    def encode(self, changes: pa.Table) -> pa.BinaryArray:
        return pa.array(
            [self._bodies.write(record) for record in to_records(changes, self._fields, self._legacy)],
            pa.binary(),
        )


def read_body(bodies: Bodies, index: int, message: bytes, failed: str) -> dict[str, Any] | None:
    """Return the record of the message at `index`, None for Avro's null.

    Raises:
        MessageError: The message is bad. The error's text begins with `failed`.
    """
    try:
        return bodies.read(message)
    except DataError as error:
        raise MessageError(index, f"{failed} {error.message}") from None
    except FiresteelError:
        raise
    except EOFError:
        raise MessageError(index, f"{failed} The message ends too early.") from None
    except Exception as error:
        raise MessageError(index, f"{failed} {error}") from None


def checked(
    records: Sequence[dict[str, Any]],
    fields: Fields,
    at: Sequence[int],
    failed: str,
    kinds: Sequence[int] | None = None,
) -> pa.Table:
    """Return a changes table (without sequence) of records, one row a record. A missing field is NULL.

    If a value does not fit its column, the records are converted one by one to find the bad message.

    Args:
        records: The records.
        fields: The wanted fields.
        at: Index of each record's message, for errors.
        failed: Beginning of an error's text.
        kinds: Row kind of each record. None if all are INSERT.

    Raises:
        MessageError: A value does not fit its column. The error has the index of the value's message.
    """
    try:
        return changes(records, fields, kinds)
    except (FiresteelError, MemoryError):
        raise
    except Exception:  # A value of an unexpected type may cause any error.
        for index, record in zip(at, records, strict=True):
            try:
                changes([record], fields)
            except Exception as error:
                raise MessageError(index, f"{failed} {error}") from None
        raise


def changes(
    records: Sequence[dict[str, Any]], fields: Fields, kinds: Sequence[int] | None = None
) -> pa.Table:
    """Return a changes table (without sequence) of records, one row a record. A missing field is NULL.

    Args:
        records: The records.
        fields: The wanted fields.
        kinds: Row kind of each record. None if all are INSERT.
    """
    insert = pa.scalar(int(RowKind.INSERT), pa.int8())
    columns = {KIND: pa.repeat(insert, len(records)) if kinds is None else pa.array(kinds, pa.int8())}
    for place, (name, kind) in enumerate(zip(fields.names, fields.types, strict=True)):
        columns[field(place)] = to_column([record.get(name) for record in records], kind)
    return pa.table(columns)


def to_records(table: pa.Table, fields: Fields, legacy: bool = True) -> Iterator[dict[str, Any]]:
    """Yield the rows in the form that fastavro writes. `legacy`: see `to_schema` (schema.py)."""
    makers = [to_avro(kind, legacy) for kind in fields.types]
    columns = [
        [make(value) for value in table[field(place)].to_pylist()] for place, make in enumerate(makers)
    ]
    return (dict(zip(fields.names, values, strict=True)) for values in zip(*columns, strict=True))


class AvroReader:
    """Reader of Avro container files, by the files' schemas."""

    def __init__(self, fields: Fields) -> None:
        self._avro, self._fields = fastavro(), fields

    def read(self, path: str) -> Iterator[pa.Table]:
        records = file_records(self._avro, path)
        read = 0
        while part := list(islice(records, _ROWS)):
            rows = [record for record in part if record is not None]
            try:
                yield checked(rows, self._fields, range(len(rows)), "")
            except MessageError as error:
                raise DataError(
                    f"{path}, record {read + error.index + 1}: cannot be read:{error.text}"
                ) from None
            read += len(part)


class AvroWriter:
    """Writer of Avro container files. As in Flink, the files' schema is a union of null and the record."""

    def __init__(self, fields: Fields, codec: str, stream: BinaryIO) -> None:
        from fastavro.write import Writer

        self._fields = fields
        schema = to_schema(row(fields.names, fields.types).with_nullable(True))
        self._writer = Writer(stream, fastavro().parse_schema(schema), codec=codec)

    def write(self, changes: pa.Table) -> None:
        for record in to_records(changes, self._fields):
            self._writer.write(record)

    def close(self) -> None:
        self._writer.flush()


class Avro:
    """The format `avro`, which reads and writes messages without their schema, and container files."""

    name = "avro"
    changelog_mode = INSERT_ONLY
    sink_mode = "insert-only"
    splittable = False
    options = (
        Option("codec", Kind.ENUM, "snappy", "How files are compressed.", tuple(_CODECS)),
        Option("encoding", Kind.STRING, "binary", "Of messages: binary is the one there is."),
        Option(
            *("timestamp_mapping.legacy", Kind.BOOLEAN, "true"),
            "A TIMESTAMP is Avro's timestamp, of 3 digits; else its local one, and TIMESTAMP_LTZ the other.",
        ),
    )

    def validate(self, options: Options, names: tuple[str, ...], types: tuple[SqlType, ...]) -> None:
        """Check options and types.

        Raises:
            ValidationError: An option or type is wrong. The text is Flink's.
        """
        values = TypedOptions(self.options, options)
        _ = values["codec"]
        if values["encoding"].lower() != "binary":
            raise NotSupportedError(f"'avro.encoding' = '{values['encoding']}' is not supported")
        to_schema(row(names, types), values["timestamp_mapping.legacy"])

    def framing(self, options: Options) -> Framing:
        raise NotSupportedError("Files of avro are no lines.")

    def decoder(self, fields: Fields, options: Options) -> Decoder:
        return self._messages(fields, options)

    def encoder(self, fields: Fields, options: Options) -> Encoder:
        return self._messages(fields, options)

    def _messages(self, fields: Fields, options: Options) -> AvroMessages:
        legacy = TypedOptions(self.options, options)["timestamp_mapping.legacy"]
        kind = row(fields.all_names, fields.all_types).with_nullable(False)
        return AvroMessages(fields, Plain(to_schema(kind, legacy)), legacy)

    def file_reader(self, fields: Fields, options: Options) -> AvroReader:
        return AvroReader(fields)

    def file_writer(self, fields: Fields, options: Options, stream: BinaryIO) -> AvroWriter:
        return AvroWriter(fields, _CODECS[TypedOptions(self.options, options)["codec"]], stream)
