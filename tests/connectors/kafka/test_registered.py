"""Messages whose schemas a registry keeps, through a broker."""

from __future__ import annotations

import pytest
from tools.kafka_broker import Broker

from firesteel.errors import DataError
from tests.connectors.kafka.reading import now, source
from tests.connectors.kafka.writing import messages, sink, write
from tests.formats.schema_registry import running

pytest.importorskip("fastavro")
pytestmark = pytest.mark.slow

ROWS = [("+I", 1, "x"), ("-U", 1, "x"), ("+U", 1, None), ("-D", 1, None)]


def test_keys_and_changes_in_avro(broker: Broker) -> None:
    topic = broker.create("registered")
    with running() as registry:
        options = {
            "format": "",
            "key_format": "avro-confluent",
            "key_fields": "a",
            "key_avro__confluent_url": registry.url,
            "value_format": "debezium-avro-confluent",
            "value_debezium__avro__confluent_url": registry.url,
        }
        write(sink(broker.servers, topic, **options), ROWS)
        assert set(registry.subjects) == {f"{topic}-key", f"{topic}-value"}
        (key,) = {each.key() for each in messages(broker, topic, 4)}
        assert key[5:] == b"\x02\x02"
        broker.send(topic, [(key, None)])
        read = source(broker.servers, topic, **options)
        assert now(read) == [("+I", 1, "x"), ("-D", 1, "x"), ("+I", 1, None), ("-D", 1, None)]
        broker.send(topic, [(key, b"\x00\x00\x00\x03\xe8\x00")])
        with pytest.raises(DataError, match=r"(?s)partition 0, offset 5.*Could not find schema with id 1000"):
            now(read)
