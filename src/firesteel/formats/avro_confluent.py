"""avro-confluent: messages of Avro whose schema a registry keeps; inserts alone.

A message is a zero byte, the schema's number in four bytes, and the value. Flink: RegistryAvroFormatFactory,
ConfluentSchemaRegistryCoder. The registry is asked over HTTP for a schema that is not known yet.
"""

from __future__ import annotations

import json
from functools import lru_cache
from io import BytesIO
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import quote
from urllib.request import Request, urlopen

from firesteel.changelog import INSERT_ONLY
from firesteel.errors import DataError, JobError, NotSupportedError, ValidationError
from firesteel.formats.avro import AvroMessages, fastavro
from firesteel.formats.avro_schema import Schema, to_schema
from firesteel.formats.base import Decoder, Encoder, Fields, Framing, Options
from firesteel.option import Kind, Option
from firesteel.types.sql import SqlType, row

_MAGIC = 0
_HEAD = 5
_SECONDS = 30
_TYPE = "application/vnd.schemaregistry.v1+json"
_FALLBACK = "schema-registry."
"""In front of keys, as older versions of Flink had them."""
_NOT_YET = ("ssl.", "basic-auth.", "bearer-auth.", "properties")


class Registered:
    """Bodies (avro.py) with their schemas' numbers. subject: what is written is registered there."""

    def __init__(self, url: str, schema: Schema, subject: str | None) -> None:
        self._avro, self._url, self._schema, self._subject = fastavro(), url.rstrip("/"), schema, subject
        self._written: tuple[bytes, Any] | None = None

    def read(self, message: bytes) -> dict[str, Any] | None:
        """See Bodies. Raises DataError for a number that the registry does not know."""
        if len(message) < _HEAD or message[0] != _MAGIC:
            raise ValueError("Unknown data format. Magic number does not match")
        schema = schema_of(self._url, int.from_bytes(message[1:_HEAD], "big"))
        found: dict[str, Any] | None = self._avro.schemaless_reader(BytesIO(message[_HEAD:]), schema, None)
        return found

    def write(self, record: dict[str, Any]) -> bytes:
        """See Bodies."""
        if self._written is None:
            assert self._subject is not None
            number = register(self._url, self._subject, json.dumps(self._schema))
            head = bytes([_MAGIC]) + number.to_bytes(_HEAD - 1, "big")
            self._written = head, self._avro.parse_schema(self._schema)
        head, schema = self._written
        out = BytesIO(head)
        out.seek(_HEAD)
        self._avro.schemaless_writer(out, schema, record)
        return out.getvalue()


@lru_cache(maxsize=1000)
def schema_of(url: str, number: int) -> Any:
    """The schema of a number, as fastavro has it. A number never gets another one.

    Raises DataError where there is none, JobError where the registry does not answer.
    """
    try:
        answer = _asked(f"{url}/schemas/ids/{number}")
    except HTTPError as error:
        if error.code == 404:
            raise DataError(f"Could not find schema with id {number} in registry {url}") from None
        raise _failed(url, error) from None
    return fastavro().parse_schema(json.loads(answer["schema"]))


@lru_cache(maxsize=1000)
def register(url: str, subject: str, schema: str) -> int:
    """The number of a schema in a subject, to which it is added where it is new. Raises JobError."""
    try:
        return int(_asked(f"{url}/subjects/{quote(subject, safe='')}/versions", {"schema": schema})["id"])
    except HTTPError as error:
        raise _failed(url, error) from None


def _asked(address: str, body: dict[str, str] | None = None) -> dict[str, Any]:
    data = None if body is None else json.dumps(body).encode()
    try:
        with urlopen(
            Request(address, data, {"Content-Type": _TYPE, "Accept": _TYPE}), timeout=_SECONDS
        ) as answer:
            found: dict[str, Any] = json.load(answer)
            return found
    except HTTPError:
        raise
    except (URLError, OSError) as error:
        raise JobError(f"The schema registry does not answer: {address}: {error}") from None


def _failed(url: str, error: HTTPError) -> JobError:
    said = error.read().decode("utf-8", "replace").strip()
    return JobError(f"The schema registry {url} answered {error.code}: {said}")


class AvroConfluent:
    """The format `avro-confluent`."""

    name = "avro-confluent"
    changelog_mode = INSERT_ONLY
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
    )

    def validate(self, options: Options, names: tuple[str, ...], types: tuple[SqlType, ...]) -> None:
        """Raises ValidationError, NotSupportedError for a registry that asks who comes."""
        _url(options)
        for key in options:
            if key.startswith(_NOT_YET) or key.removeprefix(_FALLBACK) == "schema":
                raise NotSupportedError(f"'{self.name}.{key}' is not supported")
        to_schema(row(names, types))

    def framing(self, options: Options) -> Framing:
        raise NotSupportedError("Files of avro-confluent cannot be read, only messages such as Kafka's.")

    def decoder(self, fields: Fields, options: Options) -> Decoder:
        return self._messages(fields, options)

    def encoder(self, fields: Fields, options: Options) -> Encoder:
        if _subject(options) is None:
            raise ValidationError(
                "Option avro-confluent.subject is required for serialization", hint="set the subject"
            )
        return self._messages(fields, options)

    def _messages(self, fields: Fields, options: Options) -> AvroMessages:
        kind = row(fields.all_names, fields.all_types).with_nullable(False)
        return AvroMessages(fields, Registered(_url(options), to_schema(kind), _subject(options)))


def _subject(options: Options) -> str | None:
    return options.get("subject", options.get(f"{_FALLBACK}subject"))


def _url(options: Options) -> str:
    found = options.get("url", options.get(f"{_FALLBACK}url"))
    if found is None:
        raise ValidationError(
            "One or more required options are missing.\n\nMissing required options are:\n\nurl",
            hint="'avro-confluent.url' is the schema registry's address",
        )
    return found
