"""Rows of VALUES with casts are planned as a union and read as one source."""

from __future__ import annotations

import pytest

from firesteel.catalog.catalog import Catalog
from firesteel.job.lower.job import translate
from firesteel.runtime.spec.tables import ValuesSpec
from tests.rules.planning import physical_text, plan


def rows(sql: str) -> list[int]:
    """How many rows each source of a query has."""
    _, physical = plan(sql, Catalog())
    sources = [each.of for chain in translate([physical]).chains for each in chain.inputs]
    return [len(source.rows) for source in sources if isinstance(source, ValuesSpec)]


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("VALUES (1, CAST(NULL AS INT)), (2, 3), (3, CAST('4' AS INT))", [3]),
        ("SELECT SUM(b) FROM (VALUES (1, CAST(NULL AS INT)), (2, 3)) AS t (a, b)", [2]),
        ("SELECT a FROM (VALUES (CAST(1 AS BIGINT)), (2), (2)) AS t (a) WHERE a > 1", [2]),
        # what is computed in a worker has a source of its own
        ("VALUES (CAST(1 AS BIGINT), 1), (2, 2), (3, CAST(RAND() * 10 AS INT)), (4, 4)", [2, 1, 1]),
        ("VALUES (1), (2)", [2]),
        ("SELECT * FROM (VALUES (CAST(1 AS INT)), (2)) UNION ALL SELECT * FROM (VALUES (3), (4))", [2, 2]),
    ],
)  # fmt: skip
def test_literal_rows_that_follow_each_other_are_one_source(sql: str, expected: list[int]) -> None:
    assert rows(sql) == expected


def test_a_cast_makes_a_union() -> None:
    found = physical_text("VALUES (1, CAST(NULL AS INT)), (2, 3)", Catalog())
    assert found.startswith("Union(all=[true], union=[EXPR$0, EXPR$1])\n:- Calc(")
