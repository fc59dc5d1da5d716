"""Base of the CDC formats whose messages are JSON objects with one change each."""

from __future__ import annotations

from firesteel.changelog import ALL
from firesteel.config.option import Option
from firesteel.formats.base import Decoder, Encoder, Fields, Framing, Options
from firesteel.formats.cdc.batch_decoder import EnvelopeColumns
from firesteel.formats.cdc.row_decoder import Envelope, EnvelopeMessages
from firesteel.formats.json.batch_values import in_columns
from firesteel.formats.json.json_encoder import JsonEncoder, envelopes
from firesteel.formats.json.options import CDC_OPTIONS, check_options, json_options
from firesteel.formats.messages.lines import Lines
from firesteel.formats.messages.message_decoder import MessageDecoder, changes_schema
from firesteel.types.sql import SqlType

Around = tuple[str, str]
"""Texts before and after a row."""


class EnvelopeJson:
    """CDC format described by its envelope.

    As in Flink, the rows of updates are written as INSERT and DELETE.

    Attributes:
        envelope: The envelope.
        insert: Texts around the row of an INSERT.
        delete: Texts around the row of a DELETE.
    """

    name: str
    envelope: Envelope
    insert: Around
    delete: Around
    changelog_mode = ALL
    sink_mode = "all"
    splittable = True
    options: tuple[Option, ...] = CDC_OPTIONS

    def validate(self, options: Options, names: tuple[str, ...], types: tuple[SqlType, ...]) -> None:
        """Check the options. Raises ValidationError."""
        check_options(self.name, self.options, options)

    def decoder(self, fields: Fields, options: Options) -> Decoder:
        parsed, schema = json_options(self.name, options), changes_schema(fields.types)
        columns = EnvelopeColumns(self.envelope, fields, parsed, schema) if in_columns(fields) else None
        return MessageDecoder(
            EnvelopeMessages(self.envelope, fields, parsed),
            columns,
            schema,
            keeps_line_end=not fields.in_file,
            ignores=parsed.ignore_parse_errors,
        )

    def framing(self, options: Options) -> Framing:
        """Return a framing of one message in each line."""
        return Lines()

    def encoder(self, fields: Fields, options: Options) -> Encoder:
        return JsonEncoder(fields, json_options(self.name, options), envelopes(self.insert, self.delete))
