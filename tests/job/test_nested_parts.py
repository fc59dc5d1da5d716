"""Parts of nested columns that a job reads, through what lies between the source and their readers."""

from __future__ import annotations

import pytest

from firesteel.job.lower.job import translate
from firesteel.runtime.spec.tables import ScanSpec
from firesteel.types.value_parts import Parts
from tests.rules.planning import plan, tables

TABLES = """
CREATE TABLE t (
  k INT, r ROW<a INT, b STRING, s ROW<x INT, y TIMESTAMP(3)>>, tags MAP<STRING, STRING>,
  ts AS CASE WHEN k = 1 THEN r.s.y ELSE CAST(NULL AS TIMESTAMP(3)) END,
  WATERMARK FOR ts AS ts - INTERVAL '1' SECOND
) WITH ('connector' = 'filesystem', 'path' = 'parts/t.json', 'format' = 'json');

"""
VIEW = "(SELECT k, r, tags, ts FROM t WHERE k > 0) AS v"
K, TIME = ((),), ("s", "y")


def parts(query: str) -> list[tuple[Parts, ...]]:
    """The parts of each column that a scan reads, sorted; () if all are."""
    job = translate([plan(query.format(v=VIEW), tables(TABLES))[1]])
    scans = [chain.source for chain in job.chains if isinstance(chain.source, ScanSpec)]
    return [tuple(tuple(sorted(column)) for column in scan.parts) for scan in scans]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("SELECT r.a FROM {v}", (K, (("a",), TIME))),
        ("SELECT r.s.x, tags['c'] FROM {v}", (K, (("s", "x"), TIME), (("c",),))),
        ("SELECT r.s FROM {v}", (K, (("s",), TIME))),
        ("SELECT r FROM {v}", ()),
        ("SELECT COUNT(*) FROM {v} GROUP BY r.b", (K, (("b",), TIME))),
        ("SELECT COUNT(*) FROM {v}", (K, (TIME,))),
        ("SELECT COUNT(*) FROM {v} GROUP BY r.s", (K, (("s",), TIME))),
        ("SELECT k, MAX(ts) FROM {v} GROUP BY k", (K, (TIME,))),
    ],
)
def test_parts_below_a_watermark(query: str, expected: tuple[Parts, ...]) -> None:
    assert parts(query) == [expected]


def test_two_readers_of_one_scan() -> None:
    query = "SELECT k, r.a FROM {v} UNION ALL SELECT k, CAST(r.b AS INT) FROM {v}"
    assert parts(query) == 2 * [(K, (("a",), ("b",), TIME))]
