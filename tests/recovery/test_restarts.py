"""A job from Kafka to PostgreSQL comes back by itself after a kill of its JVM, a worker, the database."""

from __future__ import annotations

from pathlib import Path

import pytest
from tools.kafka_broker import NoJarsError, jars

from tests.connectors.jdbc.postgres import NoServerError, programs
from tests.recovery.restarts import KINDS, run
from tests.scale import FULL

pytest.importorskip("confluent_kafka")
pytest.importorskip("psycopg")


@pytest.mark.spark
@pytest.mark.slow
@pytest.mark.timeout(900)
def test_the_job_comes_back_by_itself(tmp_path: Path) -> None:
    try:
        jars(), programs()
    except (NoJarsError, NoServerError) as error:
        pytest.skip(f"no Kafka broker or no PostgreSQL: {error}")
    said = run(tmp_path, [*KINDS] if FULL else ["jvm"])
    assert "; 0 restarts" not in said
