"""What Flink's planner says to constants divided by zero."""

from __future__ import annotations

import pytest

from firesteel.errors import ValidationError
from tests.rules.planning import physical_text, tables

CATALOG = "CREATE TABLE t (id INT) WITH ('connector' = 'filesystem', 'path' = '/t', 'format' = 'json');"


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT 1 / 0",
        "SELECT 1.5 / 0",
        "SELECT 1 / 0.0",
        "SELECT 1e0 / 0",
        "SELECT 10 / CAST('0' AS INT) FROM t",
        "SELECT id + 1 / 0 FROM t",
        "SELECT COALESCE(id, 1 / 0) FROM t",
        "SELECT id IN (1, 1 / 0) FROM t",
        "SELECT SUM(1 / 0) FROM t",
        "SELECT COUNT(*) FROM t GROUP BY 1 / 0",
        "SELECT id, COUNT(*) FROM t GROUP BY id HAVING COUNT(*) > 1 / 0",
        "SELECT * FROM (VALUES (1 / 0), (2)) AS v(x)",
        "SELECT x FROM (SELECT id AS x, 1 / 0 AS y FROM t)",
        "SELECT id FROM t WHERE id > 1 / 0",
        "SELECT 10 / id FROM t WHERE id = 0",
    ],
)
def test_refused(sql: str) -> None:
    with pytest.raises(ValidationError, match="Division by zero"):
        physical_text(sql, tables(CATALOG))


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT id / 0 FROM t", "/(id, 0)"),
        ("SELECT MOD(1, 0) FROM t", "MOD(1, 0)"),
        ("SELECT CAST(1 / 0 AS BIGINT) FROM t", "CAST(/(1, 0) AS BIGINT NOT NULL)"),
        ("SELECT id FROM t WHERE 1 / 0 > 1", "where=[>(/(1, 0), 1)]"),
        ("SELECT id FROM t WHERE id = 0 AND 10 / id > 1", "AND(=(id, 0), >(/(10, id), 1))"),
        ("SELECT COALESCE(1, 1 / 0) FROM t", "select=[1 AS"),
        ("SELECT FALSE AND 1 / 0 > 1 FROM t", "select=[false AS"),
        ("SELECT 1 / CAST(NULL AS INT) FROM t", "null:INTEGER"),
        ("SELECT ARRAY[1 / 0] FROM t", "ARRAY(/(1, 0))"),
    ],
)
def test_fails_in_the_job_or_never(sql: str, expected: str) -> None:
    assert expected in physical_text(sql, tables(CATALOG))
