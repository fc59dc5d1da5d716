"""Changes behind the last aggregates keep the state; all others do not. No Spark runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from firesteel import TableEnvironment
from firesteel.job.spec import JobSpec
from firesteel.session.upgrade.script_jobs import script_jobs
from firesteel.spark.upgrade.unchanged_state import UnchangedState, unchanged_state

_TABLES = """\
CREATE TABLE sales (id INT, name STRING, cnt INT) WITH ('connector' = 'filesystem', 'path' = '{base}/in',
  'format' = 'json');
CREATE TABLE stock (id INT, name STRING, cnt INT) WITH ('connector' = 'filesystem', 'path' = '{base}/in',
  'format' = 'debezium-json');
CREATE TABLE totals (name STRING, total BIGINT) WITH ('connector' = 'filesystem', 'path' = '{base}/totals',
  'format' = 'debezium-json');
CREATE TABLE keyed (name STRING, total BIGINT, PRIMARY KEY (name) NOT ENFORCED)
  WITH ('connector' = 'jdbc', 'url' = 'jdbc:sqlite:{base}/db', 'table-name' = 'keyed');
"""
_SUMS = "INSERT INTO totals SELECT name, CAST(SUM(cnt) AS BIGINT) FROM sales GROUP BY name;"
_STOCK = _SUMS.replace("sales", "stock")
_HAVING = _SUMS.replace(";", " HAVING SUM(cnt) > 3;")


def job(base: Path, statement: str) -> JobSpec:
    session = TableEnvironment.create()
    (found,) = script_jobs(session, _TABLES.format(base=base) + statement)
    return found.job.job


def compared(base: Path, before: str, after: str) -> UnchangedState | None:
    return unchanged_state(job(base, before), job(base, after))


@pytest.mark.parametrize(
    ("before", "after", "behind"),
    [
        (_SUMS, _HAVING, ["CalcSpec"]),
        (_HAVING, _SUMS.replace("CAST(SUM(cnt) AS BIGINT)", "CAST(SUM(cnt) AS BIGINT) + 1"), ["CalcSpec"]),
        (_STOCK, _STOCK.replace(";", " HAVING SUM(cnt) <> 3;"), ["CalcSpec"]),
        (_SUMS.replace("CAST(SUM(cnt) AS BIGINT)", "SUM(cnt)"), _SUMS, ["CalcSpec"]),
        (_SUMS, _SUMS.replace("totals", "keyed"), ["CalcSpec"]),
    ],
)
def test_the_state_stays(tmp_path: Path, before: str, after: str, behind: list[str]) -> None:
    found = compared(tmp_path, before, after)
    assert found is not None
    assert [type(each).__name__ for each in found.after[0].operators] == behind
    assert found.before[0].aggregate.keys == found.after[0].aggregate.keys == (0,)


_TTL = "SET 'table.exec.state.ttl' = '1 h';"
_MINI_BATCH = """\
SET 'table.exec.mini-batch.enabled' = 'true';
SET 'table.exec.mini-batch.allow-latency' = '1 s';
SET 'table.exec.mini-batch.size' = '100';
SET 'table.optimizer.agg-phase-strategy' = 'TWO_PHASE';
"""
_ALL = "INSERT INTO totals SELECT 'all', CAST(SUM(cnt) AS BIGINT) FROM sales"
_NESTED = (
    "INSERT INTO totals SELECT CAST(total AS STRING), COUNT(*) FROM (SELECT name, SUM(cnt) AS total "
    "FROM sales GROUP BY name{}) GROUP BY total;"
)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (_SUMS, _SUMS.replace("SUM(cnt)", "MAX(cnt)")),
        (_SUMS, _SUMS.replace("FROM sales", "FROM sales WHERE cnt > 3")),
        (_SUMS, _SUMS.replace("GROUP BY name", "GROUP BY name, id")),
        (_SUMS, _STOCK),
        (_SUMS, _TTL + _HAVING),
        (_TTL + _SUMS, _TTL + _HAVING),
        (f"{_ALL};", f"{_ALL} HAVING SUM(cnt) > 3;"),
        (_NESTED.format(""), _NESTED.format(" HAVING SUM(cnt) > 3")),
        ("INSERT INTO totals SELECT name, cnt FROM sales;", "INSERT INTO totals SELECT name, id FROM sales;"),
        (_SUMS, _MINI_BATCH + _HAVING),
    ],
)
def test_the_state_changes(tmp_path: Path, before: str, after: str) -> None:
    """Operators with state, or those before them, differ; or their state does not hold their results."""
    assert compared(tmp_path, before, after) is None


def test_other_files_are_another_source(tmp_path: Path) -> None:
    assert unchanged_state(job(tmp_path / "a", _SUMS), job(tmp_path / "b", _HAVING)) is None
