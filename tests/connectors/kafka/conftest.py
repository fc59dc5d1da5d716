"""One broker for the whole run, started at the first test that asks for it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tools.kafka_broker import Broker, NoJarsError


@pytest.fixture(scope="session")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Broker]:
    """A Kafka broker of its own; where its jars cannot be had the tests that need one are skipped."""
    pytest.importorskip("confluent_kafka")
    try:
        made = Broker(tmp_path_factory.mktemp("kafka"))
    except NoJarsError as error:
        pytest.skip(f"no Kafka broker: its jars cannot be fetched ({error})")
    yield made
    made.stop()
