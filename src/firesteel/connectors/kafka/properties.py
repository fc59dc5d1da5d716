"""`properties.*`: the Java client's configuration, said to librdkafka."""

from __future__ import annotations

import re
from collections.abc import Mapping

from firesteel.errors import NotSupportedError

PREFIX = "properties."

_RENAMED = {
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
    )
)
"""What Flink sets itself, what only tunes Java's client or its groups, which Flink's source does not join,
and what is read together with another property."""

_NONE = frozenset(
    (
        *("interceptor.classes", "metric.reporters", "security.providers", "ssl.engine.factory.class"),
        *("ssl.keymanager.algorithm", "ssl.trustmanager.algorithm", "ssl.provider", "ssl.cipher.suites.java"),
        *("sasl.client.callback.handler.class", "sasl.login.callback.handler.class", "sasl.login.class"),
        *("ssl.secure.random.implementation", "ssl.enabled.protocols", "sasl.kerberos.ticket.renew.jitter"),
        *("sasl.kerberos.ticket.renew.window.factor", "config.providers"),
        *("partitioner.class", "partitioner.ignore.keys"),
    )
)
"""What Java's client has and librdkafka has not."""

_LOGIN = re.compile(r"""\b(username|password)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s;"']+))""")
_PASSWORD_LOGIN = ("plain.PlainLoginModule", "scram.ScramLoginModule")


def check_properties(properties: Mapping[str, str]) -> None:
    """Raises NotSupportedError for a property that librdkafka has nothing for."""
    client_configuration(properties)


def client_configuration(properties: Mapping[str, str]) -> dict[str, str]:
    """librdkafka's configuration. Raises NotSupportedError for a property that it has nothing for."""
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
            made[_RENAMED.get(key, key)] = value
    return made


_OF_A_PRODUCER = {
    "partitioner": "murmur2_random",  # Java's, for messages with a key
    "delivery.timeout.ms": "120000",  # Java's default
}
_TRANSACTION_TIMEOUT = "300000"
"""Milliseconds; brokers allow 900,000 where they are not told otherwise."""


def producer_configuration(properties: Mapping[str, str], name: str = "") -> dict[str, str]:
    """librdkafka's configuration of a producer. name: its transactional id, "" for none.

    As in Java a producer is idempotent where the properties do not rule that out. Raises NotSupportedError.
    """
    given = client_configuration(properties)
    made = dict(_OF_A_PRODUCER)
    if name:
        made |= {"transactional.id": name, "transaction.timeout.ms": _TRANSACTION_TIMEOUT}
    elif given.get("acks", "all") in ("all", "-1") and given.get("retries") != "0":
        made["enable.idempotence"] = "true"
    return made | given


def _login(text: str) -> dict[str, str]:
    """A user's name and password, of the login modules that take them."""
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
