"""One Spark session for the whole run, started at the first test that asks for it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from firesteel.spark.start.launch import Spark

LEAN_ON_PRIVATES = tuple(Path(__file__).parent / "spark" / name for name in ("internals", "start"))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """All tests of these packages are run on the oldest pyspark, too (`make test-spark-versions`)."""
    for item in items:
        if LEAN_ON_PRIVATES[0] in item.path.parents or LEAN_ON_PRIVATES[1] in item.path.parents:
            item.add_marker("private")


@pytest.fixture(scope="session")
def spark() -> Iterator[Spark]:
    """A local Spark as Firesteel starts it."""
    from firesteel.spark.start.launch import create_session

    session = create_session()
    yield session
    session.stop()
