"""The name of an operator's state, wherever the operator has it."""

from __future__ import annotations

import pytest

from firesteel import TableEnvironment
from firesteel.runtime.spec.state_name import state_name
from tests.cases.script import job

TABLE = """
CREATE TABLE t (k INT, v BIGINT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts)
WITH ('connector' = 'filesystem', 'path' = '/tmp', 'format' = 'json')
"""
TWO_PHASES = {
    "table.exec.mini-batch.enabled": "true",
    "table.exec.mini-batch.allow-latency": "1 s",
    "table.exec.mini-batch.size": "10",
    "table.optimizer.agg-phase-strategy": "TWO_PHASE",
}


@pytest.mark.parametrize(
    ("query", "settings", "names"),
    [
        ("SELECT k, SUM(v) FROM t GROUP BY k", {}, ["group-aggregate-1"]),
        ("SELECT k, SUM(v) FROM t GROUP BY k", TWO_PHASES, ["", "group-aggregate-1"]),
        ("SELECT k, SUM(v) FROM t GROUP BY k, TUMBLE(ts, INTERVAL '1' HOUR)", {}, ["window-aggregate-1"]),
        (
            "SELECT k, SUM(v) FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '1' HOUR)) "
            "GROUP BY k, window_start, window_end",
            TWO_PHASES,
            ["", "window-aggregate-1"],
        ),
        ("SELECT k, SUM(v) OVER (PARTITION BY k ORDER BY ts) FROM t", {}, ["over-aggregate-2"]),
    ],
)
def test_states(query: str, settings: dict[str, str], names: list[str]) -> None:
    environment = TableEnvironment.create(configuration=settings)
    environment.execute_sql(TABLE)
    specs = [spec for chain in job(environment, query).chains for spec in chain.operators]
    found = [state_name(spec) for spec in specs if "Aggregate" in type(spec).__name__]
    assert found == names
