"""What messages of the CDC formats say besides their rows: database, table, times...

Flink: ReadableMetadata of CanalJsonDecodingFormat, DebeziumJsonDecodingFormat, MaxwellJsonDecodingFormat and
OggJsonDecodingFormat. Each key is a member of the message's object, read as the format `json` reads one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from firesteel.formats.base import Decoder, Fields, Format, Options
from firesteel.formats.json import JsonMessages
from firesteel.formats.json_columns import in_columns
from firesteel.formats.json_options import json_options
from firesteel.formats.json_rows import JsonRows
from firesteel.formats.message_decoder import MessageDecoder, changes_schema
from firesteel.runtime.spec import field
from firesteel.types.sql import BIGINT, INT, STRING, SqlType, array, map_of, row, timestamp_ltz

_PAYLOAD = "payload"
_STRINGS = array(STRING)
_SOURCE = row(("ts_ms", "db", "schema", "table"), (STRING,) * 4)
_MILLIS = pa.timestamp("ms", tz="UTC")


@dataclass(frozen=True)
class MessageKey:
    """A key. type: of its column. member: of the message, and read_as the type it is read as; make: from that
    column to its own. in_payload: whether it is where Debezium's rows are."""

    type: SqlType
    member: str
    read_as: SqlType
    make: Callable[[pa.Array], pa.Array] = lambda values: values
    in_payload: bool = True


class MetadataReader:
    """Reads keys of messages. found: their format, options: its own."""

    def __init__(self, found: Format, keys: Sequence[str], options: Options) -> None:
        self._keys = {key: metadata_of(found)[key] for key in keys}
        parsed = json_options(found.name, options)
        self._wrapped = parsed.schema_include
        self._decoders: dict[tuple[str, SqlType, bool], Decoder] = {}
        for each in self._keys.values():
            wrapped = self._wrapped and each.in_payload
            kind = row((each.member,), (each.read_as,)) if wrapped else each.read_as
            names, types = (_PAYLOAD if wrapped else each.member,), (kind,)
            fields, schema = Fields(names, types, names, types), changes_schema(types)
            columns = JsonRows(fields, parsed, schema) if in_columns(fields) else None
            place = (each.member, each.read_as, each.in_payload)
            self._decoders[place] = MessageDecoder(JsonMessages(fields, parsed), columns, schema)

    def columns(self, messages: pa.BinaryArray) -> dict[str, pa.Array]:
        """By key the values, one a message; NULL where it says none. Raises MessageError."""
        read = {place: self._read(place, messages) for place in self._decoders}
        return {key: e.make(read[e.member, e.read_as, e.in_payload]) for key, e in self._keys.items()}

    def _read(self, place: tuple[str, SqlType, bool], messages: pa.BinaryArray) -> pa.Array:
        table, of = self._decoders[place].decode(messages)
        values = table[field(0)].combine_chunks()
        if self._wrapped and place[2]:
            values = pc.struct_field(values, [0])
        at = np.full(len(messages), -1, np.int64)
        at[of] = np.arange(len(of))
        return values.take(pa.array(at, mask=at < 0))


def metadata_of(found: Format) -> Mapping[str, MessageKey]:
    """The keys that a format's messages have."""
    return _KEYS.get(found.name, {})


def _of_millis(values: pa.Array) -> pa.Array:
    return values.cast(pa.int64()).cast(_MILLIS)


def _of_seconds(values: pa.Array) -> pa.Array:
    return pc.multiply(values, 1000).cast(_MILLIS)


def _of_text(values: pa.Array) -> pa.Array:
    """A time as in UTC, `2020-05-13 15:40:06.000000` or with a T."""
    return values.cast(pa.timestamp("us")).cast(pa.timestamp("us", tz="UTC"))


def _member(
    name: str, make: Callable[[pa.Array], pa.Array] = lambda values: values
) -> Callable[[pa.Array], pa.Array]:
    return lambda values: make(pc.struct_field(values, name))


_TIME, _PRECISE = timestamp_ltz(3), timestamp_ltz(6)

_KEYS: Mapping[str, Mapping[str, MessageKey]] = {
    "canal-json": {
        "database": MessageKey(STRING, "database", STRING),
        "table": MessageKey(STRING, "table", STRING),
        "sql-type": MessageKey(map_of(STRING, INT), "sqlType", map_of(STRING, INT)),
        "pk-names": MessageKey(_STRINGS, "pkNames", _STRINGS),
        "ingestion-timestamp": MessageKey(_TIME, "ts", BIGINT, _of_millis),
        "event-timestamp": MessageKey(_TIME, "es", BIGINT, _of_millis),
    },
    "debezium-json": {
        "schema": MessageKey(STRING, "schema", STRING, in_payload=False),
        "ingestion-timestamp": MessageKey(_TIME, "ts_ms", BIGINT, _of_millis),
        "source.timestamp": MessageKey(_TIME, "source", _SOURCE, _member("ts_ms", _of_millis)),
        "source.database": MessageKey(STRING, "source", _SOURCE, _member("db")),
        "source.schema": MessageKey(STRING, "source", _SOURCE, _member("schema")),
        "source.table": MessageKey(STRING, "source", _SOURCE, _member("table")),
        "source.properties": MessageKey(map_of(STRING, STRING), "source", map_of(STRING, STRING)),
    },
    "maxwell-json": {
        "database": MessageKey(STRING, "database", STRING),
        "table": MessageKey(STRING, "table", STRING),
        "primary-key-columns": MessageKey(_STRINGS, "primary_key_columns", _STRINGS),
        "ingestion-timestamp": MessageKey(_TIME, "ts", BIGINT, _of_seconds),
    },
    "ogg-json": {
        "table": MessageKey(STRING, "table", STRING),
        "primary-keys": MessageKey(_STRINGS, "primary_keys", _STRINGS),
        "ingestion-timestamp": MessageKey(_PRECISE, "current_ts", STRING, _of_text),
        "event-timestamp": MessageKey(_PRECISE, "op_ts", STRING, _of_text),
    },
}
"""Of each format, in Flink's order."""
