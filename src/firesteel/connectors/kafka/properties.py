"""Conversion of `properties.*`, the configuration of Kafka's Java client, for librdkafka."""

from __future__ import annotations

import re
from collections.abc import Mapping

from firesteel.connectors.kafka.couplings import compression_level, coupled, in_range, producer_coupled
from firesteel.errors import NotSupportedError

PREFIX = "properties."

_RENAMED = {
    "fetch.message.max.bytes": "max.partition.fetch.bytes",
    "max.in.flight": "max.in.flight.requests.per.connection",
    "message.timeout.ms": "delivery.timeout.ms",
    "queue.buffering.max.ms": "linger.ms",
    "request.required.acks": "acks",
    "fetch.max.wait.ms": "fetch.wait.max.ms",
    "max.request.size": "message.max.bytes",
    "receive.buffer.bytes": "socket.receive.buffer.bytes",
    "request.timeout.ms": "socket.timeout.ms",
    "sasl.oauthbearer.token.endpoint.url": "sasl.oauthbearer.token.endpoint.url",
    "send.buffer.bytes": "socket.send.buffer.bytes",
    "socket.connection.setup.timeout.ms": "socket.connection.setup.timeout.ms",
    "ssl.keystore.certificate.chain": "ssl.certificate.pem",
    "ssl.keystore.key": "ssl.key.pem",
    "ssl.truststore.certificates": "ssl.ca.pem",
}
_WITHOUT_EFFECT = frozenset(
    (
        *(
            "auto.offset.reset",
            "enable.auto.commit",
            "auto.commit.interval.ms",
            "commit.offsets.on.checkpoint",
        ),
        *("max.poll.records", "max.poll.interval.ms", "session.timeout.ms", "heartbeat.interval.ms"),
        *("group.instance.id", "group.protocol", "group.remote.assignor", "partition.assignment.strategy"),
        *("key.deserializer", "value.deserializer", "partition.discovery.interval.ms"),
        *("client.id.prefix", "register.consumer.metrics", "default.api.timeout.ms", "client.dns.lookup"),
        *("socket.connection.setup.timeout.max.ms", "metrics.num.samples", "metrics.recording.level"),
        *("metrics.sample.window.ms", "exclude.internal.topics", "internal.leave.group.on.close"),
        *("auto.include.jmx.reporter", "enable.metrics.push", "ssl.protocol", "ssl.truststore.type"),
        *("ssl.keystore.type", "ssl.truststore.password", "reconnect.backoff.ms.jitter"),
        *("key.serializer", "value.serializer", "max.block.ms", "buffer.memory", "metadata.max.idle.ms"),
        *("partitioner.availability.timeout.ms", "partitioner.adaptive.partitioning.enable"),
        *("transactional.id", "flink.disable-metrics", "register.producer.metrics"),
        *("transaction.two.phase.commit.enable", "share.acknowledgement.mode"),
        *("internal.throw.on.fetch.stable.offset.unsupported", "sasl.login.connect.timeout.ms"),
        *("sasl.login.read.timeout.ms", "sasl.login.refresh.buffer.seconds"),
        *("sasl.login.refresh.min.period.seconds", "sasl.login.refresh.window.factor"),
        *("sasl.login.refresh.window.jitter", "sasl.login.retry.backoff.max.ms"),
        *("sasl.login.retry.backoff.ms", "sasl.oauthbearer.clock.skew.seconds"),
        *("sasl.oauthbearer.expected.audience", "sasl.oauthbearer.expected.issuer"),
        *("sasl.oauthbearer.jwks.endpoint.refresh.ms", "sasl.oauthbearer.jwks.endpoint.retry.backoff.max.ms"),
        *("sasl.oauthbearer.jwks.endpoint.retry.backoff.ms", "sasl.oauthbearer.jwks.endpoint.url"),
        "sasl.oauthbearer.scope.claim.name",
        *("compression.gzip.level", "compression.lz4.level", "compression.zstd.level"),
    )
)
"""Properties of Java's client that are accepted but not passed to librdkafka.

A property is in this set for one of three reasons:

- Flink sets it itself, such as `enable.auto.commit`.
- It tunes only Java's client, or its consumer groups, which Flink's source does not join.
- It is read where another property is converted: `ssl.truststore.type` with `ssl.truststore.location`.
"""

_NONE = frozenset(
    (
        *("interceptor.classes", "metric.reporters", "security.providers", "ssl.engine.factory.class"),
        *("ssl.keymanager.algorithm", "ssl.trustmanager.algorithm", "ssl.provider", "ssl.cipher.suites.java"),
        *("sasl.client.callback.handler.class", "sasl.login.callback.handler.class", "sasl.login.class"),
        *("ssl.secure.random.implementation", "ssl.enabled.protocols", "sasl.kerberos.ticket.renew.jitter"),
        *("sasl.kerberos.ticket.renew.window.factor", "config.providers"),
        *("partitioner.class", "partitioner.ignore.keys", "sasl.oauthbearer.jwt.retriever.class"),
        *("sasl.oauthbearer.jwt.validator.class", "sasl.oauthbearer.assertion.template.file"),
        "sasl.oauthbearer.header.urlencode",
    )
)
"""Properties of Java's client that librdkafka does not support."""

_LOGIN = re.compile(r"""\b(username|password)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s;"']+))""")
_PASSWORD_LOGIN = ("plain.PlainLoginModule", "scram.ScramLoginModule")


def check_properties(properties: Mapping[str, str], in_transactions: bool = False) -> None:
    """Check the properties of a table.

    Args:
        properties: `properties.*`, without the prefix.
        in_transactions: Whether the table is written in transactions.

    Raises:
        NotSupportedError: librdkafka does not support a property.
        ValidationError: librdkafka rejects two properties together.
    """
    producer_configuration(properties, "checked" if in_transactions else "")


def client_configuration(properties: Mapping[str, str]) -> dict[str, str]:
    """Return librdkafka's configuration for the properties of a table.

    Raises:
        NotSupportedError: librdkafka does not support a property.
    """
    made: dict[str, str] = {}
    for key, value in properties.items():
        if key in _NONE:
            raise NotSupportedError(
                f"The property '{key}' of Kafka's Java client has no counterpart in librdkafka.",
                hint=f"leave '{PREFIX}{key}' out",
            )
        if key == "sasl.jaas.config":
            made.update(_login(value))
        elif key == "ssl.truststore.location":
            made["ssl.ca.location"] = _pem(key, value, properties.get("ssl.truststore.type", "JKS"))
        elif key == "ssl.keystore.location":
            made.update(_keystore(value, properties.get("ssl.keystore.type", "JKS")))
        elif key == "ssl.endpoint.identification.algorithm":
            made[key] = value or "none"
        elif key not in _WITHOUT_EFFECT:
            name = _RENAMED.get(key, key)
            made[name] = in_range(name, value)
    return made | coupled(made) | compression_level(properties)


_PARTITIONER = {"partitioner": "murmur2_random"}
"""librdkafka's setting for the partitioner of Java's client, which hashes the keys of messages."""


def producer_configuration(properties: Mapping[str, str], name: str = "") -> dict[str, str]:
    """Return librdkafka's configuration of a producer.

    As in Java, a producer is idempotent unless the properties rule that out.

    Args:
        properties: `properties.*` of the table, without the prefix.
        name: Transactional ID of the producer, "" for none.

    Raises:
        NotSupportedError: librdkafka does not support a property.
        ValidationError: librdkafka rejects two properties together.
    """
    given = client_configuration(properties)
    made = {"transactional.id": name} if name else {}
    return _PARTITIONER | made | given | producer_coupled(given, bool(name))


def _login(text: str) -> dict[str, str]:
    """Return the user's name and password from a login module's configuration."""
    if not any(module in text for module in _PASSWORD_LOGIN):
        raise NotSupportedError(
            "The login module of 'sasl.jaas.config' has no counterpart in librdkafka.",
            hint="PlainLoginModule and ScramLoginModule have; for others use librdkafka's sasl.* properties",
        )
    found = {m[1]: next(text for text in m.groups()[1:] if text is not None) for m in _LOGIN.finditer(text)}
    return {f"sasl.{name}": value for name, value in found.items()}


def _pem(key: str, value: str, kind: str) -> str:
    if kind.upper() != "PEM":
        raise NotSupportedError(
            f"librdkafka cannot read the {kind} file of '{PREFIX}{key}'.",
            hint=f"convert it to PEM and set '{PREFIX}{key.removesuffix('location')}type' = 'PEM'",
        )
    return value


def _keystore(value: str, kind: str) -> dict[str, str]:
    if kind.upper() == "PKCS12":
        return {"ssl.keystore.location": value}
    path = _pem("ssl.keystore.location", value, kind)
    return {"ssl.certificate.location": path, "ssl.key.location": path}
