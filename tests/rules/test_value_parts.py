"""Which parts of a source's nested values a job says that it looks at."""

from __future__ import annotations

import pytest

from firesteel.job.lower.job import translate
from firesteel.runtime.spec.tables import ScanSpec
from tests.rules.planning import plan, tables

DDL = """
CREATE TABLE t (id BIGINT, m MAP<STRING, STRING>, c MAP<CHAR(3), STRING>, r ROW<a INT, m MAP<STRING, STRING>>,
  l ARRAY<ROW<x INT, y STRING>>, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND)
WITH ('connector' = 'filesystem', 'path' = '/d', 'format' = 'json');
CREATE TABLE hole (a STRING) WITH ('connector' = 'blackhole');
"""
BUNDLES = {
    "table.exec.mini-batch.enabled": "true",
    "table.exec.mini-batch.allow-latency": "3 s",
    "table.exec.mini-batch.size": "100",
}


@pytest.mark.parametrize(
    ("sql", "parts"),
    [
        ("SELECT id FROM t", {}),
        ("SELECT m FROM t", {}),
        ("SELECT m['a'] FROM t", {"m": (("a",),)}),
        ("SELECT m['a'], id FROM t WHERE m['b'] = 'x'", {"m": (("a",), ("b",))}),
        ("SELECT m['a'], m FROM t", {}),
        ("SELECT m['a'], CARDINALITY(m) FROM t", {}),
        ("SELECT m[CAST(id AS STRING)] FROM t", {}),
        ("SELECT c['a'] FROM t", {}),
        ("SELECT m[r.m['k']] FROM t", {"r": (("m", "k"),)}),
        ("SELECT r.m['k'] FROM t WHERE r.a > 1", {"r": (("m", "k"), ("a",))}),
        ("SELECT l[1].x, l[id].y FROM t", {"l": ((None, "x"), (None, "y"))}),
        ("SELECT COUNT(m['a']) FROM t GROUP BY id", {"m": (("a",),)}),
        ("SELECT m['a'] FROM t UNION ALL SELECT m['b'] FROM t", {"m": (("a",), ("b",))}),
        ("SELECT m['a'] FROM t UNION ALL SELECT CAST(m AS STRING) FROM t", {}),
    ],
)
@pytest.mark.parametrize("settings", [{}, BUNDLES], ids=["", "in mini-batches"])
def test_parts(sql: str, parts: dict[str, object], settings: dict[str, str]) -> None:
    _, physical = plan(sql, tables(DDL), settings)
    scans = [chain.source for chain in translate([physical]).chains]
    for scan in scans:
        if isinstance(scan, ScanSpec):
            told = dict(zip((scan.names[p] for p in scan.projection), scan.parts, strict=False))
            assert {name: set(each) for name, each in told.items() if () not in each and each} == {
                name: set(each) for name, each in parts.items()
            }
    assert any(isinstance(scan, ScanSpec) for scan in scans)
