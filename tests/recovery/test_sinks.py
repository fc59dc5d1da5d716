"""Killed when its sink's tasks have committed and Spark has not: nothing is written twice."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.connectors.jdbc.databases import SqliteDatabase
from tests.recovery.kills import answer, start
from tests.recovery.sinks import database
from tests.spark.jobs import write_changes

pytest.importorskip("sqlalchemy")


@pytest.mark.spark
@pytest.mark.slow
@pytest.mark.full
def test_killed_between_the_databases_commit_and_sparks(tmp_path: Path) -> None:
    source, checkpoint = tmp_path / "in.json", tmp_path / "checkpoint"
    write_changes(source, 600)
    output, left = database(SqliteDatabase(tmp_path / "db"))
    first = start(source, output, checkpoint, 150, "records", "committed")
    assert first.wait() == -9, first.said
    second = start(source, output, checkpoint, 150, "records")
    assert second.wait() == 0, second.said
    assert left() == answer(source)
