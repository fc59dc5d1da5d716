"""The format avro-confluent: Avro messages whose schemas a registry stores. INSERT only.

Flink: RegistryAvroFormatFactory.
"""

from __future__ import annotations

from firesteel.changelog import INSERT_ONLY, ChangelogMode
from firesteel.errors import NotSupportedError, ValidationError
from firesteel.formats.avro.format import AvroMessages
from firesteel.formats.avro.registry_options import OPTIONS, plain, registry
from firesteel.formats.avro.schema import Schema, to_schema
from firesteel.formats.avro.schema_registry import Registered
from firesteel.formats.base import Decoder, Encoder, Fields, Framing, Options
from firesteel.types.sql import SqlType, row


class AvroConfluent:
    """The format `avro-confluent`, which reads and writes messages with schemas of a registry."""

    name = "avro-confluent"
    changelog_mode: ChangelogMode = INSERT_ONLY
    sink_mode = "insert-only"
    splittable = False
    options = OPTIONS
    no_subject = "Option avro-confluent.subject is required for serialization"

    def validate(self, options: Options, names: tuple[str, ...], types: tuple[SqlType, ...]) -> None:
        """Check the options.

        Raises:
            ValidationError: An option or a column's type is wrong.
            NotSupportedError: An option or its value is not supported, such as a key store that is not PEM.
        """
        registry(options, self.name)
        self.schema(row(names, types))

    def framing(self, options: Options) -> Framing:
        raise NotSupportedError(f"Files of {self.name} cannot be read, only messages such as Kafka's.")

    def decoder(self, fields: Fields, options: Options) -> Decoder:
        """Return the decoder of a split's messages. It decodes only the fields that the query needs.

        The decoder gets the schema with which a message was written from the registry.
        """
        return AvroMessages(fields, self.registered(fields.names, fields.types, options))

    def encoder(self, fields: Fields, options: Options) -> Encoder:
        """Return an encoder. Raises ValidationError if no subject is set."""
        self.check_subject(options)
        return AvroMessages(fields, self.registered(fields.all_names, fields.all_types, options))

    def schema(self, kind: SqlType) -> Schema:
        """Return the Avro schema of the messages of a table.

        Args:
            kind: ROW type of the table's columns.
        """
        return to_schema(kind.with_nullable(False))

    def registered(self, names: tuple[str, ...], types: tuple[SqlType, ...], options: Options) -> Registered:
        """Return the reader and writer of messages with these columns."""
        return Registered(registry(options, self.name), self.schema(row(names, types)), _subject(options))

    def check_subject(self, options: Options) -> None:
        """Raise ValidationError if no subject is set."""
        if _subject(options) is None:
            raise ValidationError(self.no_subject, hint="set the subject")


def _subject(options: Options) -> str | None:
    return plain(options).get("subject")
