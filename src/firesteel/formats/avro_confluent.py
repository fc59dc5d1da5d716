"""avro-confluent: messages of Avro whose schema a registry keeps; inserts alone.

Flink: RegistryAvroFormatFactory.
"""

from __future__ import annotations

from base64 import b64encode
from urllib.parse import urlsplit

from firesteel.changelog import INSERT_ONLY, ChangelogMode
from firesteel.errors import NotSupportedError, ValidationError
from firesteel.formats.avro import AvroMessages
from firesteel.formats.avro_schema import Schema, to_schema
from firesteel.formats.base import Decoder, Encoder, Fields, Framing, Options
from firesteel.formats.schema_registry import Registered, Registry
from firesteel.option import Kind, Option
from firesteel.types.sql import SqlType, row

_FALLBACK = "schema-registry."
"""In front of keys, as older versions of Flink had them."""
_NOT_YET = ("ssl.", "properties")
_BASIC, _BEARER = "basic-auth", "bearer-auth"
_WHO, _USER, _TOKEN = "credentials-source", f"{_BASIC}.user-info", f"{_BEARER}.token"


class AvroConfluent:
    """The format `avro-confluent`."""

    name = "avro-confluent"
    changelog_mode: ChangelogMode = INSERT_ONLY
    sink_mode = "insert-only"
    splittable = False
    options = (
        Option("url", Kind.STRING, None, "The registry's address.", required=True),
        Option(
            "subject",
            Kind.STRING,
            None,
            "Where a sink registers its schema; of Kafka TOPIC-value, TOPIC-key.",
        ),
        Option(f"{_BASIC}.{_WHO}", Kind.STRING, None, f"USER_INFO: `{_USER}` says who asks."),
        Option(_USER, Kind.STRING, None, "NAME:PASSWORD."),
        Option(f"{_BEARER}.{_WHO}", Kind.STRING, None, f"STATIC_TOKEN: `{_TOKEN}` says who asks."),
        Option(_TOKEN, Kind.STRING, None, "The token."),
    )
    no_subject = "Option avro-confluent.subject is required for serialization"

    def validate(self, options: Options, names: tuple[str, ...], types: tuple[SqlType, ...]) -> None:
        """Raises ValidationError, NotSupportedError for other ways to tell a registry who asks."""
        _registry(options, self.name)
        for key in options:
            if key.startswith(_NOT_YET) or key.removeprefix(_FALLBACK) == "schema":
                raise NotSupportedError(f"'{self.name}.{key}' is not supported")
        self.schema(row(names, types))

    def framing(self, options: Options) -> Framing:
        raise NotSupportedError(f"Files of {self.name} cannot be read, only messages such as Kafka's.")

    def decoder(self, fields: Fields, options: Options) -> Decoder:
        """Of one split; of the writer's record it reads the wanted fields."""
        return AvroMessages(fields, self.registered(fields.names, fields.types, options))

    def encoder(self, fields: Fields, options: Options) -> Encoder:
        """Of one writer. Raises ValidationError where no subject is set."""
        self.check_subject(options)
        return AvroMessages(fields, self.registered(fields.all_names, fields.all_types, options))

    def schema(self, kind: SqlType) -> Schema:
        """Of the messages of a table with these columns."""
        return to_schema(kind.with_nullable(False))

    def registered(self, names: tuple[str, ...], types: tuple[SqlType, ...], options: Options) -> Registered:
        """The messages of these columns."""
        return Registered(_registry(options, self.name), self.schema(row(names, types)), _subject(options))

    def check_subject(self, options: Options) -> None:
        """Raises ValidationError where none is set."""
        if _subject(options) is None:
            raise ValidationError(self.no_subject, hint="set the subject")


def _subject(options: Options) -> str | None:
    return options.get("subject", options.get(f"{_FALLBACK}subject"))


def _registry(options: Options, name: str) -> Registry:
    url = _url(options, name).rstrip("/")
    if "@" in urlsplit(url).netloc:
        raise NotSupportedError(
            f"A name and a password in '{name}.url' are not supported",
            hint=f"'{name}.{_BASIC}.{_WHO}' = 'USER_INFO', and both in '{name}.{_USER}'",
        )
    return Registry(url, _authorization(options, name))


def _authorization(options: Options, name: str) -> str | None:
    """The header that says who asks. As for Confluent's client a user or a token without its source counts
    for nothing."""
    found = None
    for kind, source, key in ((_BASIC, "USER_INFO", _USER), (_BEARER, "STATIC_TOKEN", _TOKEN)):
        wanted = options.get(f"{kind}.{_WHO}")
        if wanted is None:
            continue
        if wanted != source:
            raise NotSupportedError(
                f"'{name}.{kind}.{_WHO}' = '{wanted}' is not supported", hint=f"use {source}"
            )
        if key not in options:
            raise ValidationError(f"'{name}.{kind}.{_WHO}' = '{source}' needs '{name}.{key}'")
        said = options[key]
        found = f"Bearer {said}" if kind == _BEARER else f"Basic {b64encode(said.encode()).decode()}"
    return found


def _url(options: Options, name: str) -> str:
    found = options.get("url", options.get(f"{_FALLBACK}url"))
    if found is None:
        raise ValidationError(
            "One or more required options are missing.\n\nMissing required options are:\n\nurl",
            hint=f"'{name}.url' is the schema registry's address",
        )
    return found
