"""Properties of Java's client, as librdkafka takes them."""

from __future__ import annotations

import pytest

from firesteel.connectors.kafka.properties import client_configuration
from firesteel.errors import NotSupportedError


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
