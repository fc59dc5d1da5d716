"""Exchanges that move no row: left out on the batch host, kept where state is kept."""

from __future__ import annotations

import pytest

from firesteel.job.lower.job import TranslateOptions, translate
from firesteel.job.topology import stages
from tests.rules.planning import plan, tables

TABLE = """
CREATE TABLE {0} (id INT, x STRING, n INT)
WITH ('connector' = 'filesystem', 'path' = 'needless/{0}.json', 'format' = 'json');
"""
TABLES = TABLE.format("a") + TABLE.format("b")
TOP = """
SELECT * FROM (
  SELECT {key} AS k, a.x, ROW_NUMBER() OVER (PARTITION BY {key} ORDER BY a.n) AS r
  FROM a {how} JOIN b ON a.id = b.id
) WHERE r <= 2
"""
TWICE = "SELECT {keys}, SUM(c) FROM (SELECT id, x, COUNT(*) AS c FROM a GROUP BY id, x) GROUP BY {keys}"
ABOVE = "SELECT g.id, c, b.x FROM (SELECT id, COUNT(*) AS c FROM a GROUP BY id) AS g JOIN b ON g.id = b.id"


def exchanges(query: str, *, stateful: bool) -> int:
    """The exchanges on the longest path of a job."""
    root = plan(query, tables(TABLES))[1]
    return len(stages(translate([root], TranslateOptions(stateful=stateful)))) - 1


@pytest.mark.parametrize(
    ("query", "left_out"),
    [
        (TOP.format(key="a.id", how=""), 1),
        (TOP.format(key="b.id", how=""), 1),
        (TOP.format(key="a.id", how="LEFT"), 1),
        (TOP.format(key="b.id", how="LEFT"), 0),
        (TOP.format(key="b.id", how="RIGHT"), 1),
        (TOP.format(key="a.id", how="FULL"), 0),
        (TOP.format(key="a.id, a.n", how=""), 0),
        (TOP.format(key="a.n", how=""), 0),
        (TOP.format(key="a.id + 1", how=""), 0),
        ("SELECT a.id, COUNT(*) FROM a JOIN b ON a.id = b.id GROUP BY a.id", 1),
        (TWICE.format(keys="id"), 0),
        ("SELECT COUNT(*) FROM a JOIN b ON a.id = b.id", 0),
        ("SELECT a.id, COUNT(*) FROM a JOIN b ON TRUE GROUP BY a.id", 0),
        ("SELECT id, COUNT(*) FROM (SELECT id FROM a UNION ALL SELECT id FROM b) GROUP BY id", 0),
        ("SELECT id, COUNT(*) FROM a WHERE id IN (SELECT id FROM b) GROUP BY id", 1),
        (ABOVE, 0),
    ],
)
def test_what_is_left_out(query: str, left_out: int) -> None:
    kept = exchanges(query, stateful=True)
    assert exchanges(query, stateful=False) == kept - left_out
