"""A pipeline over Kafka with a database and two topics behind it, parts of which are killed."""

from __future__ import annotations

from pathlib import Path

import pytest
from tools.kafka_broker import NoJarsError, jars

from tests.connectors.jdbc.postgres import NoServerError, programs
from tests.recovery.pipelines import SINKS, Numbers, run
from tests.scale import FULL

pytest.importorskip("confluent_kafka")
pytest.importorskip("psycopg")


@pytest.mark.spark
@pytest.mark.slow
@pytest.mark.full
@pytest.mark.timeout(900)
def test_what_stands_there_is_the_answer(tmp_path: Path) -> None:
    try:
        jars(), programs()
    except (NoJarsError, NoServerError) as error:
        pytest.skip(f"no Kafka broker or no PostgreSQL: {error}")
    numbers = Numbers(2, 2, 2, 2) if FULL else Numbers(kills=1)
    run(SINKS, tmp_path, numbers)
