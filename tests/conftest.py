"""One Spark session for each process, started at the first test that asks for it; which tests run where."""

from __future__ import annotations

import gc
from collections import defaultdict
from collections.abc import Iterator, Sequence
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING
from unittest.mock import patch

import pytest

from tests.scale import FULL

pytest.register_assert_rewrite("tests.goldens")

if TYPE_CHECKING:
    from firesteel.spark.launch.java import Java
    from firesteel.spark.launch.launch import Spark

LEAN_ON_PRIVATES = {Path(__file__).parent / "spark" / name for name in ("internals", "launch")}
STARTED_ONCE = ("spark", "broker")
"""Fixtures that take long to start: tests of the same one run in one process, those of Spark in two."""
OTHER_SPARK = tuple(str(Path(__file__).parent / name) for name in ("cases", "guide", "recovery"))
"""Folders whose tests use the second of two Sparks: half of the time of all tests with Spark."""


@pytest.hookimpl(tryfirst=True)  # before pytest-xdist adds the groups to the tests' ids
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark which tests run at all, and which run on the oldest pyspark, too (`make test-spark-versions`).

    With `--dist loadgroup` the tests of a group run in one process: those that use the first Spark or the
    second, those that use a broker only, and those of each other file. The Sparks and the broker begin, one
    in each process. Small tests come last, so that all processes end at the same time.
    """
    for item in items:
        if not LEAN_ON_PRIVATES.isdisjoint(item.path.parents):
            item.add_marker("private")
        if item.get_closest_marker("full") and not FULL:
            item.add_marker(pytest.mark.skip(reason="only at full size: make test-all"))
        item.add_marker(pytest.mark.xdist_group(_group(item)))
    items.sort(key=_turn)


def _group(item: pytest.Item) -> str:
    used = getattr(item, "fixturenames", ())
    if "spark" in used and str(item.path).startswith(OTHER_SPARK):
        return "other spark"
    return next((name for name in STARTED_ONCE if name in used), str(item.path))


def _turn(item: pytest.Item) -> int:
    if not _group(item).startswith("/"):
        return 0
    return 1 if item.get_closest_marker("slow") else 2


def pytest_collection_finish() -> None:
    """Hide the 15,000 collected tests from the garbage collector, which goes through them again and again."""
    gc.collect()
    gc.freeze()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Print which groups of tests and which files took longest, if `--durations N` asks for the tests."""
    most = config.getoption("durations")
    if not most:
        return
    groups, files = defaultdict[str, float](float), defaultdict[str, float](float)
    for reports in terminalreporter.stats.values():
        for report in reports:
            if isinstance(report, pytest.TestReport):
                group = report.nodeid.rpartition("@")[2]
                groups["others" if group.startswith("/") else group] += report.duration
                files[report.nodeid.partition("::")[0]] += report.duration
    terminalreporter.write_sep("=", f"slowest {most} files")
    for seconds_of, shown in (groups, len(groups)), (files, most):
        for name, seconds in sorted(seconds_of.items(), key=itemgetter(1), reverse=True)[:shown]:
            terminalreporter.write_line(f"{seconds:.1f} s {name}")


@pytest.fixture(scope="session")
def spark() -> Iterator[Spark]:
    """A local Spark with the class path and the class-data archive of commands. It writes no archive."""
    from firesteel.spark.launch import direct_launcher
    from firesteel.spark.launch.archive import ClassArchive, class_archive
    from firesteel.spark.launch.class_path import class_path
    from firesteel.spark.launch.launch import create_session

    def kept(java: Java, jars: Sequence[Path], host: str) -> ClassArchive:
        # In a fresh clone, a command of the tests has written one long before this Spark ends.
        archive = class_archive(java, jars, host)
        return archive if archive.mark is None else ClassArchive()

    with patch.multiple(
        direct_launcher,
        class_archive=kept,
        class_path=lambda jars, own_process: class_path(jars, own_process=True),
    ):
        session = create_session()
    yield session
    session.stop()


@pytest.fixture
def servers() -> None:
    """Skip a test that needs a Kafka broker and PostgreSQL where one of them cannot be had."""
    from tools.kafka_broker import NoJarsError, jars

    from tests.connectors.jdbc.postgres import NoServerError, programs

    pytest.importorskip("confluent_kafka")
    pytest.importorskip("psycopg")
    try:
        jars(), programs()
    except (NoJarsError, NoServerError) as error:
        pytest.skip(f"no Kafka broker or no PostgreSQL: {error}")
