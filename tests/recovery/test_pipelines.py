"""A pipeline over Kafka with a database and two topics behind it, parts of which are killed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.recovery.pipelines import SINKS, Numbers, run
from tests.scale import FULL


@pytest.mark.spark
@pytest.mark.slow
@pytest.mark.full
@pytest.mark.timeout(900)
@pytest.mark.usefixtures("servers")
def test_what_stands_there_is_the_answer(tmp_path: Path) -> None:
    numbers = Numbers(2, 2, 2, 2) if FULL else Numbers(kills=1)
    run(SINKS, tmp_path, numbers)
