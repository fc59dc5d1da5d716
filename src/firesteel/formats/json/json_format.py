"""Base of the formats whose messages are JSON objects."""

from __future__ import annotations

from abc import ABC, abstractmethod

import pyarrow as pa

from firesteel.changelog import ALL, ChangelogMode
from firesteel.config.option import Option
from firesteel.formats.base import Decoder, Encoder, Fields, Framing, Options
from firesteel.formats.json.json_encoder import JsonEncoder, envelopes
from firesteel.formats.json.options import CDC_OPTIONS, JsonOptions, check_options, json_options
from firesteel.formats.messages.lines import Lines
from firesteel.formats.messages.message_decoder import Columns, Exact, MessageDecoder, changes_schema
from firesteel.types.sql import SqlType

Around = tuple[str, str]
"""Texts before and after a row's object."""


class JsonFormat(ABC):
    """Format of JSON objects, one in each line.

    The CDC formats write an update as DELETE and INSERT, as in Flink. The format `json` writes inserts only.

    Attributes:
        insert: Texts around the row of an INSERT.
        delete: Texts around the row of a DELETE.
    """

    name: str
    changelog_mode: ChangelogMode = ALL
    sink_mode = "all"
    splittable = True
    options: tuple[Option, ...] = CDC_OPTIONS
    insert: Around = ("", "")
    delete: Around = ("", "")

    @abstractmethod
    def exact(self, fields: Fields, options: JsonOptions) -> Exact:
        """Return the exact reader of single messages."""

    @abstractmethod
    def columns(self, fields: Fields, options: JsonOptions, schema: pa.Schema) -> Columns | None:
        """Return the columnar reader, or None if it does not support the fields.

        Args:
            fields: Columns of the table that the reader returns.
            options: Options of the format.
            schema: Arrow schema of the reader's result: the row kind and the fields.
        """

    def validate(self, options: Options, names: tuple[str, ...], types: tuple[SqlType, ...]) -> None:
        check_options(self.name, self.options, options)

    def decoder(self, fields: Fields, options: Options) -> Decoder:
        parsed, schema = json_options(self.name, options), changes_schema(fields.types)
        return MessageDecoder(
            self.exact(fields, parsed),
            self.columns(fields, parsed, schema),
            schema,
            keeps_line_end=not fields.in_file,
            ignores=parsed.ignore_parse_errors,
        )

    def framing(self, options: Options) -> Framing:
        return Lines()

    def encoder(self, fields: Fields, options: Options) -> Encoder:
        return JsonEncoder(fields, json_options(self.name, options), envelopes(self.insert, self.delete))
