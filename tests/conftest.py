"""One Spark session for the whole run, started at the first test that asks for it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from firesteel.spark.launch import Spark


@pytest.fixture(scope="session")
def spark() -> Iterator[Spark]:
    """A local Spark as Firesteel starts it."""
    from firesteel.spark.launch import create_session

    session = create_session()
    yield session
    session.stop()
