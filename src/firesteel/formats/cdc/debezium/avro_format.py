"""The format debezium-avro-confluent: Debezium's changes in Avro, with schemas in a registry.

A message is a record of `before`, `after`, `op` and other fields. Flink: DebeziumAvroFormatFactory,
DebeziumAvroDeserializationSchema, DebeziumAvroSerializationSchema.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from firesteel.changelog import ALL, KIND, RowKind
from firesteel.formats.avro.confluent import AvroConfluent
from firesteel.formats.avro.format import Bodies, checked, read_body, to_records
from firesteel.formats.avro.schema import Schema, to_schema
from firesteel.formats.base import Decoder, Encoder, Fields, Indices, MessageError, Options
from firesteel.types.sql import STRING, SqlType, row

_FAILED = "Can't deserialize Debezium Avro message."
_NO_BEFORE = (
    'The "before" field of %s message is null, if you are using Debezium Postgres Connector, please check '
    "the Postgres table has been set REPLICA IDENTITY to FULL level."
)
_ADDS = (int(RowKind.INSERT), int(RowKind.UPDATE_AFTER))
_KINDS: Mapping[str, tuple[tuple[RowKind, str], ...]] = {
    "c": ((RowKind.INSERT, "after"),),
    "r": ((RowKind.INSERT, "after"),),
    "u": ((RowKind.UPDATE_BEFORE, "before"), (RowKind.UPDATE_AFTER, "after")),
    "d": ((RowKind.DELETE, "before"),),
}
"""Row kinds of the changes of each `op`, each with the field that holds its row."""


class DebeziumMessages:
    """Decoder and encoder of Debezium's messages.

    Args:
        fields: Columns of the table.
        bodies: Reader and writer of the Avro records {before, after, op}, in which `before` and `after` are
            rows with the columns in `fields`.
    """

    def __init__(self, fields: Fields, bodies: Bodies) -> None:
        self.causes = Counter[str]()
        self._fields, self._bodies = fields, bodies

    def decode(self, messages: pa.BinaryArray) -> tuple[pa.Table, Indices]:
        kinds: list[int] = []
        rows: list[dict[str, Any]] = []
        at: list[int] = []
        for index, message in enumerate(messages.to_pylist()):
            if not message:
                continue  # A tombstone has no rows.
            record = read_body(self._bodies, index, message, _FAILED)
            for kind, part in _changes(record or {}, index, message):
                kinds.append(int(kind))
                rows.append(part)
                at.append(index)
        return checked(rows, self._fields, at, _FAILED, kinds), np.array(at, np.int64)

    def encode(self, changes: pa.Table) -> pa.BinaryArray:
        """Return one message for each row.

        As in Flink, the rows of an update become a delete and an insert.
        """
        adds = np.isin(changes[KIND].to_numpy(), _ADDS).tolist()
        records = to_records(changes, self._fields)
        return pa.array(
            [self._bodies.write(_envelope(add, each)) for add, each in zip(adds, records, strict=True)],
            pa.binary(),
        )


def _changes(record: Mapping[str, Any], index: int, message: bytes) -> list[tuple[RowKind, dict[str, Any]]]:
    operation = record.get("op")
    if operation is None:
        raise MessageError(index, f'{_FAILED} The message has no "op".')
    kinds = _KINDS.get(operation)
    if kinds is None:
        text = message.decode("utf-8", "replace")
        raise MessageError(
            index, f'{_FAILED} Unknown "op" value "{operation}". The Debezium Avro message is \'{text}\''
        )
    return [(kind, _row(record, name, operation, index)) for kind, name in kinds]


def _row(record: Mapping[str, Any], name: str, operation: str, index: int) -> dict[str, Any]:
    found: dict[str, Any] | None = record.get(name)
    if found is not None:
        return found
    if name == "after":
        raise MessageError(index, f'{_FAILED} The "after" field of the message is null.')
    raise MessageError(index, f"{_FAILED} {_NO_BEFORE % ('UPDATE' if operation == 'u' else 'DELETE')}")


def _envelope(add: bool, record: dict[str, Any]) -> dict[str, Any]:
    return {"before": None if add else record, "after": record if add else None, "op": "c" if add else "d"}


class DebeziumAvro(AvroConfluent):
    """The format `debezium-avro-confluent`, which reads and writes Debezium's changes in Avro."""

    name = "debezium-avro-confluent"
    changelog_mode = ALL
    sink_mode = "all"
    no_subject = "Option 'debezium-avro-confluent.subject' is required for serialization"

    def decoder(self, fields: Fields, options: Options) -> Decoder:
        """Return the decoder of a split. It reads the columns `fields` of the rows `before` and `after`."""
        return DebeziumMessages(fields, self.registered(fields.names, fields.types, options))

    def encoder(self, fields: Fields, options: Options) -> Encoder:
        """Return an encoder. Raises ValidationError if no subject is set."""
        self.check_subject(options)
        return DebeziumMessages(fields, self.registered(fields.all_names, fields.all_types, options))

    def schema(self, kind: SqlType) -> Schema:
        """Return the schema of the messages of a table with these columns, a nullable record."""
        rows = kind.with_nullable(True)
        return to_schema(row(("before", "after", "op"), (rows, rows, STRING)).with_nullable(True))
