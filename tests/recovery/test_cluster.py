"""On a cluster whose Python has no Firesteel, with functions beside the script, while a worker is killed."""

from __future__ import annotations

import json
import time
from collections import Counter
from contextlib import ExitStack
from pathlib import Path

import pytest
from tools.spark_cluster import SparkCluster

from tests.connectors.jdbc.databases import SqliteDatabase
from tests.recovery.cluster_job import Job, Load, Row, bare_python, write_job
from tests.recovery.job import NAMES
from tests.recovery.kills import folded_files
from tests.recovery.runs import commits

pytest.importorskip("sqlalchemy")

EVENTS, BATCHES = 600, 4
COLUMNS = "name VARCHAR(20) PRIMARY KEY, total INTEGER, biggest INTEGER, different BIGINT, n BIGINT"


def table(database: SqliteDatabase) -> Counter[Row]:
    return Counter(database.run(f"SELECT {', '.join(NAMES)} FROM t"))


@pytest.mark.spark
@pytest.mark.slow
@pytest.mark.full
def test_a_worker_is_killed(tmp_path: Path) -> None:
    load, files = Load(names=20), {"connector": "filesystem", "format": "canal-json"}
    source, output, checkpoint = tmp_path / "in.json", tmp_path / "out", tmp_path / "checkpoint"
    source.write_bytes(b"".join(message + b"\n" for _, message in load.changes(EVENTS)))
    database = SqliteDatabase(tmp_path / "db")
    database.run(f"CREATE TABLE t ({COLUMNS})")
    sinks = {  # each has its own aggregate
        "to_database": {"connector": "jdbc", "table-name": "t", **database.options},
        "to_files": {**files, "path": str(output)},
    }
    script = write_job(tmp_path / "job", {**files, "path": str(source)}, sinks)
    rows = f"--set=firesteel.source.max-rows-per-batch={EVENTS // BATCHES}"
    with ExitStack() as open_:
        cluster = open_.enter_context(SparkCluster(tmp_path))
        job = Job(script, cluster.master, checkpoint, bare_python(tmp_path / "python"), rows)
        open_.callback(job.kill)
        while commits(checkpoint) < 1:
            assert job.poll() is None, job.said
            time.sleep(0.02)
        cluster.kill_worker(0)
        assert commits(checkpoint) < BATCHES
        assert job.wait() == 0, job.said
    assert table(database) == load.answer()
    assert folded_files(output, NAMES) == load.answer()
    assert not list(output.glob(".part-*")), json.dumps(job.said)
