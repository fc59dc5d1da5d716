"""Properties of Java's client, as librdkafka takes them."""

from __future__ import annotations

from pathlib import Path

import pytest

from firesteel.connectors.kafka.properties import _NONE, client_configuration, producer_configuration
from firesteel.errors import NotSupportedError, ValidationError


@pytest.mark.parametrize(
    ("java", "ours"),
    [
        ({"bootstrap.servers": "a:1", "group.id": "g"}, {"bootstrap.servers": "a:1", "group.id": "g"}),
        ({"fetch.max.wait.ms": "7"}, {"fetch.wait.max.ms": "7"}),
        ({"max.poll.records": "7", "key.deserializer": "x"}, {}),
        (
            {"sasl.jaas.config": 'o.a.k.c.s.scram.ScramLoginModule required username="u" password="p;\'q";'},
            {"sasl.username": "u", "sasl.password": "p;'q"},
        ),
        ({"ssl.endpoint.identification.algorithm": ""}, {"ssl.endpoint.identification.algorithm": "none"}),
        ({"ssl.truststore.location": "/ca", "ssl.truststore.type": "PEM"}, {"ssl.ca.location": "/ca"}),
        (
            {"ssl.keystore.location": "/k", "ssl.keystore.type": "PKCS12", "ssl.keystore.password": "p"},
            {"ssl.keystore.location": "/k", "ssl.keystore.password": "p"},
        ),
    ],
)
def test_known(java: dict[str, str], ours: dict[str, str]) -> None:
    assert client_configuration(java) == ours


@pytest.mark.parametrize(
    ("java", "message"),
    [
        ({"interceptor.classes": "X"}, "The property 'interceptor.classes' of Kafka's Java client has no"),
        ({"ssl.truststore.location": "/x.jks"}, r"cannot read the JKS file of 'properties\.ssl\.truststore"),
        ({"sasl.jaas.config": "com.sun.security.auth.module.Krb5LoginModule required;"}, "login module"),
    ],
)
def test_refused(java: dict[str, str], message: str) -> None:
    with pytest.raises(NotSupportedError, match=message):
        client_configuration(java)


def test_a_secret_is_not_shown() -> None:
    with pytest.raises(NotSupportedError) as caught:
        client_configuration({"sasl.jaas.config": 'x.Other required password="hunter2";'})
    assert "hunter2" not in str(caught.value)


# --- what librdkafka allows and couples otherwise ---------------------------------------------------
kafka = pytest.importorskip("confluent_kafka")
NAMES = Path(__file__).with_name("java_properties.txt")
"""The properties of the consumer (C) and the producer (P) of Kafka's Java client 4.1 with their defaults, or
with a value that Java takes."""
_FILES = ("ssl.keystore.location", "ssl.truststore.location")


def made(java: dict[str, str], kind: str = "C", name: str = "") -> dict[str, str]:
    """The configuration with which librdkafka makes a client, and takes a message, without a complaint."""
    servers = {"bootstrap.servers": "127.0.0.1:1", "log_level": "0"}
    if kind == "C":
        configuration = client_configuration(java)
        kafka.Consumer(servers | {"group.id": "g"} | configuration)
        return configuration
    configuration = producer_configuration(java, name)
    producer = kafka.Producer(servers | configuration)
    if not name:
        producer.produce("t", b"")
        producer.purge()
    return configuration


@pytest.mark.parametrize("line", NAMES.read_text().splitlines())
def test_each_property_of_java_is_taken_or_refused_by_its_name(line: str) -> None:
    kind, name, value = line.split("\t")
    if name in _NONE or name in _FILES:
        with pytest.raises(NotSupportedError, match=name.replace(".", r"\.")):
            made({name: value}, kind)
    else:
        made({name: value}, kind)


@pytest.mark.parametrize(
    ("java", "ours"),
    [
        ({"fetch.max.bytes": "500000"}, {"fetch.max.bytes": "500000", "message.max.bytes": "500000"}),
        ({"fetch.max.bytes": "0"}, {"fetch.max.bytes": "1000", "message.max.bytes": "1000"}),
        ({"fetch.max.bytes": "2147483647"}, {"fetch.max.bytes": "2147483135"}),
        ({"max.partition.fetch.bytes": "2147483647"}, {"max.partition.fetch.bytes": "1000000000"}),
        ({"max.partition.fetch.bytes": "0"}, {"max.partition.fetch.bytes": "1"}),
        ({"fetch.min.bytes": "0"}, {"fetch.min.bytes": "1"}),
        ({"fetch.max.wait.ms": "600000"}, {"fetch.wait.max.ms": "300000"}),
        ({"request.timeout.ms": "600000"}, {"socket.timeout.ms": "300000"}),
        ({"metadata.max.age.ms": "0"}, {"metadata.max.age.ms": "1"}),
        ({"connections.max.idle.ms": "-1"}, {"connections.max.idle.ms": "0"}),
        ({"receive.buffer.bytes": "-1"}, {"socket.receive.buffer.bytes": "0"}),
        ({"send.buffer.bytes": "-1"}, {"socket.send.buffer.bytes": "0"}),
        ({"retry.backoff.ms": "0"}, {"retry.backoff.ms": "1"}),
        ({"socket.connection.setup.timeout.ms": "500"}, {"socket.connection.setup.timeout.ms": "1000"}),
        (
            {"reconnect.backoff.ms": "20000"},
            {"reconnect.backoff.ms": "20000", "reconnect.backoff.max.ms": "20000"},
        ),
        (
            {"reconnect.backoff.max.ms": "50"},
            {"reconnect.backoff.max.ms": "50", "reconnect.backoff.ms": "50"},
        ),
        ({"max.poll.interval.ms": "10000", "session.timeout.ms": "400000"}, {}),
        ({"max.request.size": "2147483647"}, {"message.max.bytes": "1000000000"}),
    ],
)
def test_settings_of_any_client(java: dict[str, str], ours: dict[str, str]) -> None:
    assert made(java) == ours


MESSAGES, TRANSACTION = "delivery.timeout.ms", "transaction.timeout.ms"


@pytest.mark.parametrize(
    ("java", "ours"),
    [
        ({}, {MESSAGES: "120000", "enable.idempotence": "true"}),
        ({"acks": "1"}, {MESSAGES: "120000", "acks": "1"}),
        ({"acks": "-1"}, {MESSAGES: "120000", "acks": "-1", "enable.idempotence": "true"}),
        ({"retries": "0"}, {MESSAGES: "120000", "retries": "0"}),
        (
            {"max.in.flight.requests.per.connection": "10"},
            {MESSAGES: "120000", "max.in.flight.requests.per.connection": "10"},
        ),
        ({"linger.ms": "200000"}, {MESSAGES: "230000", "linger.ms": "200000", "enable.idempotence": "true"}),
        ({"batch.size": "0"}, {MESSAGES: "120000", "batch.size": "1", "enable.idempotence": "true"}),
        (
            {"compression.type": "zstd", "compression.zstd.level": "22", "compression.lz4.level": "3"},
            {
                MESSAGES: "120000",
                "compression.type": "zstd",
                "compression.level": "12",
                "enable.idempotence": "true",
            },
        ),
    ],
)
def test_settings_of_a_producer(java: dict[str, str], ours: dict[str, str]) -> None:
    assert made(java, "P") == ours | {"partitioner": "murmur2_random"}


@pytest.mark.parametrize(
    ("java", "ours"),
    [
        ({}, {MESSAGES: "120000", TRANSACTION: "300000"}),
        ({TRANSACTION: "60000"}, {MESSAGES: "60000", TRANSACTION: "60000"}),
        ({TRANSACTION: "900000"}, {MESSAGES: "120000", TRANSACTION: "900000"}),
        ({TRANSACTION: "500"}, {MESSAGES: "1000", TRANSACTION: "1000"}),
        ({MESSAGES: "600000"}, {MESSAGES: "600000", TRANSACTION: "600000"}),
        ({MESSAGES: "2147483647"}, {MESSAGES: "900000", TRANSACTION: "900000"}),
        (
            {"request.timeout.ms": "300000"},
            {"socket.timeout.ms": "300000", MESSAGES: "120000", TRANSACTION: "300100"},
        ),
        (
            {TRANSACTION: "60000", MESSAGES: "50000", "request.timeout.ms": "40000"},
            {TRANSACTION: "60000", MESSAGES: "50000", "socket.timeout.ms": "40000"},
        ),
    ],
)
def test_settings_of_transactions(java: dict[str, str], ours: dict[str, str]) -> None:
    expected = ours | {"partitioner": "murmur2_random", "transactional.id": "x"}
    assert made(java, "P", "x") == expected


@pytest.mark.parametrize(
    ("java", "most"),
    [
        ({TRANSACTION: "60000", MESSAGES: "120000"}, 60000),
        ({TRANSACTION: "60000", "request.timeout.ms": "60000"}, 59900),
    ],
)
def test_two_settings_that_do_not_go_together(java: dict[str, str], most: int) -> None:
    other = list(java)[1]
    with pytest.raises(ValidationError) as raised:
        producer_configuration(java, "x")
    assert raised.value.message == (
        f"'properties.{other}' = '{java[other]}' is longer than 'properties.{TRANSACTION}' = '60000' allows."
    )
    assert raised.value.hint == f"set 'properties.{other}' to at most {most}, or leave one of the two out"
    producer_configuration(java)
