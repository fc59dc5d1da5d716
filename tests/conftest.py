"""One Spark session for the whole run, started at the first test that asks for it; which tests run where."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.scale import FULL

if TYPE_CHECKING:
    from firesteel.spark.launch.launch import Spark

LEAN_ON_PRIVATES = {Path(__file__).parent / "spark" / name for name in ("internals", "launch")}
STARTED_ONCE = ("spark", "broker")
"""Fixtures that take long to start: all tests which use one run in one process."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Which tests run at all, which on the oldest pyspark, too (`make test-spark-versions`), and for
    `--dist loadgroup` which run in one process: those that share what is dear to start, else a file's. Beside
    the first run those that keep one core busy; those that start processes come last."""
    for item in items:
        if not LEAN_ON_PRIVATES.isdisjoint(item.path.parents):
            item.add_marker("private")
        if item.get_closest_marker("full") and not FULL:
            item.add_marker(pytest.mark.skip(reason="only at full size: make test-all"))
        shared = not set(STARTED_ONCE).isdisjoint(getattr(item, "fixturenames", ()))
        item.add_marker(pytest.mark.xdist_group("session" if shared else item.path.stem))
    items.sort(key=_turn)


def _turn(item: pytest.Item) -> int:
    group = item.get_closest_marker("xdist_group")
    assert group is not None
    if group.args == ("session",):
        return 0
    return 2 if item.get_closest_marker("slow") else 1


@pytest.fixture(scope="session")
def spark() -> Iterator[Spark]:
    """A local Spark as Firesteel starts it."""
    from firesteel.spark.launch.launch import create_session

    session = create_session()
    yield session
    session.stop()
