"""The format json: one object, or an array of objects, in each line. INSERT only.

Flink: JsonParserRowDataDeserializationSchema, JsonFormatFactory.
"""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from firesteel.changelog import INSERT_ONLY, RowKind
from firesteel.formats.base import Fields
from firesteel.formats.json.batch_decoder import JsonRows
from firesteel.formats.json.json_format import JsonFormat
from firesteel.formats.json.json_stream import END_ARRAY, START_ARRAY, START_OBJECT, StreamConverters, Tokens
from firesteel.formats.json.nested_columns import in_columns
from firesteel.formats.json.options import JSON_OPTIONS, JsonOptions
from firesteel.formats.json.row_decoder import has_decimal
from firesteel.formats.messages.control_messages import quoted
from firesteel.formats.messages.json_limits import BadMessage
from firesteel.formats.messages.json_parser import parse_members
from firesteel.formats.messages.message_decoder import Row
from firesteel.types.sql import SqlType, row


class JsonMessages:
    """Exact reader of single json messages (message_decoder.Exact)."""

    def __init__(self, fields: Fields, options: JsonOptions) -> None:
        self._options = options
        self.ignored: Exception | None = None
        self._converter = StreamConverters(
            iso=options.iso_timestamps,
            ignore_errors=options.ignore_parse_errors,
            exact=any(map(has_decimal, fields.types)),
            fail_on_missing=options.fail_on_missing_field,
        ).converter(_row_type(fields))

    def error(self, message: bytes, reason: str) -> str:
        return f"Failed to deserialize JSON '{quoted(message)}'. {reason}"

    def read(self, message: bytes) -> Sequence[Row] | None:
        if not message:
            return ()
        rows: list[Row] = []
        self.ignored = None
        try:
            tokens = Tokens(parse_members(message))
            if tokens.kind not in (START_OBJECT, START_ARRAY):
                raise BadMessage("No content to map due to end-of-input")
            if tokens.kind is START_OBJECT:
                self._add(tokens, rows)
            else:
                while tokens.next() is not END_ARRAY:
                    self._add(tokens, rows)
        except (BadMessage, ValueError) as error:
            if not self._options.ignore_parse_errors:
                raise
            self.ignored = error
        return rows or (None if self._options.ignore_parse_errors else ())

    def _add(self, tokens: Tokens, rows: list[Row]) -> None:
        if tokens.kind is None:
            raise BadMessage("Unexpected end of the message")
        row = self._converter(tokens)
        if row is not None:
            rows.append((RowKind.INSERT, row))


def _row_type(fields: Fields) -> SqlType:
    return row(fields.names, fields.types)


class Json(JsonFormat):
    """The format `json`, which reads and writes objects as INSERT."""

    name = "json"
    changelog_mode = INSERT_ONLY
    sink_mode = "insert-only"
    options = JSON_OPTIONS

    def exact(self, fields: Fields, options: JsonOptions) -> JsonMessages:
        return JsonMessages(fields, options)

    def columns(self, fields: Fields, options: JsonOptions, schema: pa.Schema) -> JsonRows | None:
        return JsonRows(fields, options, schema, as_written=True) if in_columns(fields) else None
