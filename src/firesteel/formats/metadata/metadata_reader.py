"""Read the metadata keys of messages (message_metadata.py), all keys in one pass."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from firesteel.changelog import RowKind, field
from firesteel.formats.base import Fields, Flags, Format, MessageError, Options
from firesteel.formats.json.batch_decoder import JsonRows
from firesteel.formats.json.nested_columns import in_columns
from firesteel.formats.json.options import JsonOptions, json_options
from firesteel.formats.json.row_decoder import TreeConverters
from firesteel.formats.messages.control_messages import quoted
from firesteel.formats.messages.json_limits import BadMessage
from firesteel.formats.messages.json_parser import parse_tree
from firesteel.formats.messages.message_decoder import MessageDecoder, Row, changes_schema
from firesteel.formats.metadata.message_metadata import MessageKey, metadata_of
from firesteel.types.sql import SqlType, row
from firesteel.types.value_parts import WHOLE, Parts

_PAYLOAD = "payload"
_Member = tuple[str, SqlType]


@dataclass(frozen=True)
class MessageMetadata:
    """Metadata of messages.

    Attributes:
        columns: Values of each key, one for each message, NULL if it is missing.
        bad: bool[n], True for a message to skip because of an invalid value (`ignore-parse-errors`).
    """

    columns: dict[str, pa.Array]
    bad: Flags


class MetadataReader:
    """Reader of the metadata keys of messages that have rows.

    Args:
        found: Format of the messages.
        keys: Wanted metadata keys.
        options: Options of the format.
    """

    def __init__(self, found: Format, keys: Sequence[str], options: Options) -> None:
        self._keys = {key: metadata_of(found)[key] for key in keys}
        self._options = json_options(found.name, options)
        self._inner, self._outer = self._members(in_payload=True), self._members(in_payload=False)
        fields = self._fields()
        self._exact = _Members(found.name, fields, self._options)
        schema = changes_schema(fields.types)
        columns = JsonRows(fields, self._options, schema, as_written=False) if in_columns(fields) else None
        self._decoder = MessageDecoder(self._exact, columns, schema, keeps_line_end=True)

    def read(self, messages: pa.BinaryArray) -> MessageMetadata:
        """Return the metadata of messages.

        Raises:
            MessageError: A message has an invalid value.
        """
        table, _ = self._decoder.decode(messages)
        columns: dict[str, pa.Array] = {}
        bad: Flags = np.zeros(len(messages), dtype=bool)
        for key, each in self._keys.items():
            made = each.make(self._values(table, each)).fitting()
            for at, reason in made.bad.items():
                if not self._options.ignore_parse_errors:
                    text = self._exact.error(messages[at].as_py(), reason)
                    raise MessageError(at, text)
                bad[at] = True
            columns[key] = made.values
        return MessageMetadata(columns, bad)

    def _members(self, *, in_payload: bool) -> dict[_Member, Parts]:
        """Return the message's members that hold the wanted metadata keys.

        The value of a member lists what to read of it: () for the whole value, (key,) for one map entry.

        Args:
            in_payload: True: the members in Debezium's object `payload`. False: the members beside it.
        """
        found: dict[_Member, Parts] = {}
        for each in self._keys.values():
            if each.in_payload == in_payload:
                part = () if each.part is None else (each.part,)
                member = (each.member, each.read_as)
                found[member] = (*found.get(member, ()), part)
        return found

    def _fields(self) -> Fields:
        """Return the members to read as fields of a message.

        With `schema-include`, a message is {"schema": ..., "payload": {...}}. The fields are then the members
        beside the payload, and the payload as one ROW. Otherwise, they are the members of the message itself.
        """
        inner, parts = tuple(self._inner), tuple(self._inner.values())
        if self._options.schema_include:
            payload = row(tuple(name for name, _ in inner), tuple(kind for _, kind in inner))
            of_payload = tuple((name, *part) for (name, _), each in self._inner.items() for part in each)
            inner = (*self._outer, *(((_PAYLOAD, payload),) if inner else ()))
            parts = (*(WHOLE for _ in self._outer), *((of_payload,) if of_payload else ()))
        names, types = tuple(name for name, _ in inner), tuple(kind for _, kind in inner)
        return Fields(names, types, names, types, parts)

    def _values(self, table: pa.Table, key: MessageKey) -> pa.Array:
        place = list(self._inner if key.in_payload else self._outer).index((key.member, key.read_as))
        if not self._options.schema_include:
            if not key.in_payload:
                return pa.nulls(table.num_rows, pa.string())
            return table[field(place)].combine_chunks()
        if not key.in_payload:
            return table[field(place)].combine_chunks()
        return pc.struct_field(table[field(len(self._outer))].combine_chunks(), [place])


class _Members:
    """Exact reader (message_decoder.Exact): one row for each message, with the values of `fields`."""

    ignored: Exception | None = None

    def __init__(self, name: str, fields: Fields, options: JsonOptions) -> None:
        self._title = name.removesuffix("-json").capitalize()
        self._row = TreeConverters(
            iso=options.iso_timestamps, ignore_errors=options.ignore_parse_errors, exact=False
        ).row(fields.names, fields.types)

    def error(self, message: bytes, reason: str) -> str:
        return f"Corrupt {self._title} JSON message '{quoted(message)}'. {reason}"

    def read(self, message: bytes) -> Sequence[Row]:
        root: Any = parse_tree(message)
        if not isinstance(root, dict):
            raise BadMessage("The message is no JSON object.")
        return [(RowKind.INSERT, tuple(self._row(root).values()))]
