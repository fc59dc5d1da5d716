"""A job that goes on from its checkpoint, whose table was dropped and created again meanwhile."""

from __future__ import annotations

from pathlib import Path

import pytest

from firesteel.errors import UsageError
from firesteel.runtime.spec.tables import SinkSpec
from firesteel.spark.launch.launch import Spark
from firesteel.spark.stream import host as stream_host
from firesteel.spark.stream.settings import StreamSettings
from firesteel.types.sql import INT, STRING
from tests.connectors.jdbc.databases import PostgresDatabase
from tests.connectors.jdbc.postgres import Postgres
from tests.spark.jobs import grouped, write_changes

pytestmark = [pytest.mark.spark, pytest.mark.slow]
CREATE = "CREATE TABLE t (name VARCHAR(20) PRIMARY KEY, total INT)"


@pytest.mark.full
def test_a_table_that_is_created_again(postgres: Postgres, tmp_path: Path, spark: Spark) -> None:
    database = PostgresDatabase(postgres)
    database.run(CREATE)
    (tmp_path / "in").mkdir()
    write_changes(tmp_path / "in" / "1.json", 40)
    options = tuple({"table-name": "t", **database.options}.items())
    sink = SinkSpec("jdbc", options, ("name", "total"), (STRING, INT), "t", None, (0,))
    job = grouped(tmp_path / "in", ("SUM",), sink)
    settings = StreamSettings(str(tmp_path / "checkpoint"), parallelism=2)
    stream_host.start(job, spark, settings).wait()
    rows = database.run("SELECT COUNT(*) FROM t")
    assert rows > [(0,)]
    database.run("ALTER TABLE t ADD COLUMN more INT")
    stream_host.start(job, spark, settings).wait()
    database.run("DROP TABLE t")
    database.run(CREATE)
    with pytest.raises(UsageError, match=r"the table t of jdbc:.* was dropped and created again"):
        stream_host.start(job, spark, settings)
    (tmp_path / "checkpoint" / "delivered").unlink()
    stream_host.start(job, spark, settings).wait()
    assert database.run("SELECT COUNT(*) FROM t") == [(0,)]
