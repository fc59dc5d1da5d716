"""Options for a schema registry: its address, credentials and TLS certificates.

Flink: AvroConfluentFormatOptions. In Flink, these options and `properties` configure Confluent's client.
"""

from __future__ import annotations

from base64 import b64encode
from urllib.parse import urlsplit

from firesteel.config.option import Kind, Option
from firesteel.errors import NotSupportedError, ValidationError
from firesteel.formats.avro.schema_registry import Registry, Tls
from firesteel.formats.base import Options

_FALLBACK = "schema-registry."
"""Prefix of the keys in older versions of Flink."""
_BASIC, _BEARER = "basic-auth", "bearer-auth"
_WHO, _USER, _TOKEN = "credentials-source", f"{_BASIC}.user-info", f"{_BEARER}.token"
_PROPERTIES = "properties."
_CLIENT = "schema.registry."
"""Prefix of the TLS properties of Confluent's client."""


def _option(key: str, doc: str, *, required: bool = False) -> Option:
    return Option(key, Kind.STRING, None, doc, required=required)


OPTIONS = (
    _option("url", "The registry's address.", required=True),
    _option("subject", "Where a sink registers its schema; of Kafka TOPIC-value, TOPIC-key."),
    _option(f"{_BASIC}.{_WHO}", f"USER_INFO: `{_USER}` says who asks."),
    _option(_USER, "NAME:PASSWORD."),
    _option(f"{_BEARER}.{_WHO}", f"STATIC_TOKEN: `{_TOKEN}` says who asks."),
    _option(_TOKEN, "The token."),
    _option("ssl.truststore.location", "A PEM file with the certificates that are trusted."),
    _option("ssl.truststore.password", "None, of a PEM file."),
    _option("ssl.keystore.location", "A PEM file with the key and the certificates of who asks."),
    _option("ssl.keystore.password", "None, of a PEM file."),
    _option("properties.#", "A property of the registry's client: schema.registry.ssl.truststore.type..."),
)


def registry(options: Options, name: str) -> Registry:
    """Return the registry of a format.

    Raises:
        ValidationError: An option is wrong.
        NotSupportedError: An option or its value is not supported, such as a key store that is not PEM.
    """
    texts = plain(options)
    if "schema" in texts:
        raise NotSupportedError(f"'{name}.schema' is not supported")
    url = _url(texts, name).rstrip("/")
    if "@" in urlsplit(url).netloc:
        raise NotSupportedError(
            f"A name and a password in '{name}.url' are not supported",
            hint=f"'{name}.{_BASIC}.{_WHO}' = 'USER_INFO', and both in '{name}.{_USER}'",
        )
    return Registry(url, _authorization(texts, name), _tls(texts, name))


def plain(options: Options) -> dict[str, str]:
    """Return the options under their current keys, without the older prefixes."""
    older = {key.removeprefix(_FALLBACK): text for key, text in options.items() if key.startswith(_FALLBACK)}
    return older | dict(options)


def _url(options: dict[str, str], name: str) -> str:
    if "url" not in options:
        raise ValidationError(
            "One or more required options are missing.\n\nMissing required options are:\n\nurl",
            hint=f"'{name}.url' is the schema registry's address",
        )
    return options["url"]


def _authorization(options: dict[str, str], name: str) -> str | None:
    """Return the value of the HTTP header `Authorization`, None for a request without credentials.

    As in Confluent's client, credentials are ignored unless `*.credentials-source` is set, too.
    """
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


# --- TLS ------------------------------------------------------------------------------------------
_OF_TLS = (
    *("ssl.truststore.location", "ssl.truststore.type", "ssl.truststore.password"),
    *("ssl.keystore.location", "ssl.keystore.type", "ssl.keystore.password", "ssl.key.password"),
    "ssl.endpoint.identification.algorithm",
)


def _tls(options: dict[str, str], name: str) -> Tls | None:
    """Return the TLS settings, None if no option sets one.

    Raises:
        NotSupportedError: A property is not supported, or a key store or trust store is not PEM.
        ValidationError: A PEM file has the password of a store, which PEM does not have.
    """
    properties: dict[str, str] = {}
    for key, text in options.items():
        property_ = key.removeprefix(_PROPERTIES)
        if key.startswith(_PROPERTIES):
            if property_.removeprefix(_CLIENT) not in _OF_TLS or not property_.startswith(_CLIENT):
                raise NotSupportedError(f"'{name}.{key}' is not supported", hint="leave it out")
            properties[property_.removeprefix(_CLIENT)] = text
    properties |= {key: text for key, text in options.items() if key.startswith("ssl.")}
    if not properties:
        return None
    return Tls(
        trusted=_pem(properties, "truststore", name),
        own=_pem(properties, "keystore", name),
        password=properties.get("ssl.key.password"),
        checks_host=properties.get("ssl.endpoint.identification.algorithm", "https") != "",
    )


def _pem(properties: dict[str, str], store: str, name: str) -> str | None:
    """Return the path of the PEM file of a key store or trust store, None if no option sets it.

    Args:
        properties: The TLS properties by key, such as `ssl.keystore.location`.
        store: `keystore` or `truststore`.
        name: Name of the format, for errors.

    Raises:
        NotSupportedError: The type of the store is not PEM.
        ValidationError: The store has a password, which PEM does not have.
    """
    location, kind = properties.get(f"ssl.{store}.location"), properties.get(f"ssl.{store}.type", "JKS")
    if location is None:
        return None
    if kind.upper() != "PEM":
        raise NotSupportedError(
            f"The {kind.upper()} file of '{name}.ssl.{store}.location' cannot be read",
            hint=f"convert it to PEM and set '{name}.{_PROPERTIES}{_CLIENT}ssl.{store}.type' = 'PEM'",
        )
    if f"ssl.{store}.password" in properties:
        raise ValidationError(
            f"SSL {store.replace('store', ' store')} password cannot be specified for PEM format",
            hint=f"leave '{name}.ssl.{store}.password' out; a key's own password is "
            f"'{name}.{_PROPERTIES}{_CLIENT}ssl.key.password'",
        )
    return location
