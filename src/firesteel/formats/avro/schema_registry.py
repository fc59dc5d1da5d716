"""Client of Confluent's schema registry over HTTP. Schemas are cached.

A message is a zero byte, the schema's number in four bytes, and the value.
Flink: ConfluentSchemaRegistryCoder.
"""

from __future__ import annotations

import json
import ssl
from dataclasses import dataclass, field
from functools import lru_cache
from io import BytesIO
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import quote
from urllib.request import Request, urlopen

from firesteel.errors import DataError, JobError, UnavailableError
from firesteel.formats.avro.format import fastavro
from firesteel.formats.avro.resolution import Resolved, wrapped
from firesteel.formats.avro.schema import Schema

_MAGIC = 0
_HEAD = 5
_SECONDS = 30
_TYPE = "application/vnd.schemaregistry.v1+json"


@dataclass(frozen=True)
class Tls:
    """TLS settings of a registry.

    Attributes:
        trusted: PEM file with trusted certificates, None for those of the system.
        own: PEM file with a client key and its certificates, None for none.
        password: Password of the key.
        checks_host: Whether the server's name must match its certificate.
    """

    trusted: str | None = None
    own: str | None = None
    password: str | None = field(default=None, repr=False)
    checks_host: bool = True


@dataclass(frozen=True)
class Registry:
    """Address and credentials of a registry.

    Attributes:
        url: The address.
        authorization: The header `Authorization`, None for no credentials.
        tls: TLS settings, None for the default.
    """

    url: str
    authorization: str | None = field(default=None, repr=False)
    tls: Tls | None = None


class Registered:
    """Reader and writer of messages that begin with their schema's number (format.py: Bodies).

    Args:
        schema: Schema of the table.
        subject: Subject under which the schema is registered before a message is written.
    """

    def __init__(self, registry: Registry, schema: Schema, subject: str | None) -> None:
        self._avro, self._registry, self._schema, self._subject = fastavro(), registry, schema, subject
        self._read: dict[int, Resolved] = {}
        self._written: tuple[bytes, Any] | None = None

    def read(self, message: bytes) -> dict[str, Any] | None:
        """Return the record of a message, None for Avro's null.

        Raises:
            ValueError: The message does not begin with a zero byte and a schema's number.
            DataError: The registry does not know the schema's number.
            JobError: The schema registry does not answer.
            Exception: Any exception of fastavro, which means that the message is bad.
        """
        if len(message) < _HEAD or message[0] != _MAGIC:
            raise ValueError("Unknown data format. Magic number does not match")
        number = int.from_bytes(message[1:_HEAD], "big")
        resolved = self._read.get(number)
        if resolved is None:
            resolved = Resolved(self._avro, schema_of(self._registry, number), self._schema)
            self._read[number] = resolved
        found: dict[str, Any] | None = resolved.value(message, _HEAD)
        return found

    def write(self, record: dict[str, Any]) -> bytes:
        if self._written is None:
            assert self._subject is not None
            number = register(self._registry, self._subject, json.dumps(self._schema))
            head = bytes([_MAGIC]) + number.to_bytes(_HEAD - 1, "big")
            self._written = head, self._avro.parse_schema(wrapped("message", self._schema))
        head, schema = self._written
        out = BytesIO(head)
        out.seek(_HEAD)
        self._avro.schemaless_writer(out, schema, {"value": record})
        return out.getvalue()


@lru_cache(maxsize=1000)
def schema_of(registry: Registry, number: int) -> Schema:
    """Return the schema with a number. The number of a schema never changes.

    Raises:
        DataError: The registry does not know the number.
        JobError: The registry does not answer.
    """
    try:
        answer = _asked(registry, f"schemas/ids/{number}")
    except HTTPError as error:
        if error.code == 404:
            raise DataError(f"Could not find schema with id {number} in registry {registry.url}") from None
        raise _failed(registry, error) from None
    return json.loads(answer["schema"])


@lru_cache(maxsize=1000)
def register(registry: Registry, subject: str, schema: str) -> int:
    """Return the number of a schema in a subject, after adding it if it is new. Raises JobError."""
    try:
        path = f"subjects/{quote(subject, safe='')}/versions"
        return int(_asked(registry, path, {"schema": schema})["id"])
    except HTTPError as error:
        raise _failed(registry, error) from None


def _asked(registry: Registry, path: str, body: dict[str, str] | None = None) -> dict[str, Any]:
    address = f"{registry.url}/{path}"
    data = None if body is None else json.dumps(body).encode()
    request = Request(address, data, {"Content-Type": _TYPE, "Accept": _TYPE})
    if registry.authorization is not None:
        request.add_unredirected_header("Authorization", registry.authorization)
    try:
        with urlopen(request, timeout=_SECONDS, context=_context(registry.tls)) as answer:
            found: dict[str, Any] = json.load(answer)
            return found
    except HTTPError:
        raise
    except (URLError, OSError) as error:
        raise UnavailableError(f"The schema registry does not answer: {address}: {error}") from None


@lru_cache(maxsize=100)
def _context(tls: Tls | None) -> ssl.SSLContext | None:
    """Return the TLS context. Raises JobError if a file cannot be used."""
    if tls is None:
        return None
    file = tls.trusted
    try:
        made = ssl.create_default_context(cafile=tls.trusted)
        made.check_hostname = tls.checks_host
        if (file := tls.own) is not None:
            # without a password, OpenSSL would ask for one on the terminal
            made.load_cert_chain(file, password=tls.password or "")
    except (OSError, ValueError) as error:
        raise JobError(f"The certificates in {file} cannot be used: {error}") from None
    return made


def _failed(registry: Registry, error: HTTPError) -> JobError:
    said = error.read().decode("utf-8", "replace").strip()
    hint = "is 'basic-auth.user-info' or 'bearer-auth.token' right?" if error.code in (401, 403) else None
    return JobError(f"The schema registry {registry.url} answered {error.code}: {said}", hint=hint)
