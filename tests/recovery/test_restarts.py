"""A job from Kafka to PostgreSQL comes back by itself after a kill of its JVM, a worker, the database."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.recovery.restarts import KINDS, run


@pytest.mark.spark
@pytest.mark.slow
@pytest.mark.full
@pytest.mark.timeout(900)
@pytest.mark.usefixtures("servers")
def test_the_job_comes_back_by_itself(tmp_path: Path) -> None:
    said = run(tmp_path, [*KINDS])
    assert "; 0 restarts" not in said
