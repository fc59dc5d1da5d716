"""Late rows go to the dead-letter table on both hosts, each once."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from firesteel import TableEnvironment
from tests.spark.test_dead_letters import read

if TYPE_CHECKING:
    from firesteel.spark.launch.launch import Spark

FILES = "'connector' = 'filesystem', 'format' = 'json', 'path' ="
SECONDS = [1, 2, 30, 3, 31, 60, 4, 61, 5]
"""Time of each row; those below 10 that come after 30 are late."""


@pytest.mark.spark
@pytest.mark.parametrize("host", ["batch", "stream"])
@pytest.mark.full
def test_each_late_row_is_there_once(host: str, spark: Spark, tmp_path: Path) -> None:
    rows = [
        json.dumps({"n": number, "ts": f"2026-05-01 10:{second // 60:02}:{second % 60:02}"})
        for number, second in enumerate(SECONDS)
    ]
    (tmp_path / "in.json").write_text("\n".join(rows) + "\n")
    options = {
        "firesteel.dead-letters.table": "bad",
        "firesteel.dead-letters.late-rows": "true",
        "table.optimizer.agg-phase-strategy": "ONE_PHASE",
        "firesteel.host": host,
        "firesteel.source.max-rows-per-batch": "3",
    }
    environment = TableEnvironment.create(spark, configuration=options)
    environment.execute_sql(
        f"CREATE TABLE t (n INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ({FILES} '{tmp_path}/in.json')"
    )
    environment.execute_sql(
        "CREATE TABLE bad (source_table STRING, source_id STRING, error_class STRING, raw_bytes BYTES, "
        f"row_kind STRING) WITH ({FILES} '{tmp_path}/bad')"
    )
    query = environment.sql_query(
        "SELECT COUNT(n) AS c FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '10' SECOND)) "
        "GROUP BY window_start, window_end"
    )
    assert query.execute().to_pandas()["c"].tolist() == [2, 2, 2]
    letters = read(tmp_path / "bad")
    assert sorted(json.loads(base64.b64decode(letter["raw_bytes"]))["n"] for letter in letters) == [3, 6, 8]
    assert {letter["source_table"] for letter in letters} == {"WindowAggregate"}
    assert {letter["error_class"] for letter in letters} == {"LateRow"}
    assert len({letter["source_id"] for letter in letters}) == 1
