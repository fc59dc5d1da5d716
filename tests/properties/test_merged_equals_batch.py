"""Random histories and queries: what the changes leave is what Spark SQL answers over the last rows."""

from __future__ import annotations

import random
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.cases.changes import folded
from tests.properties.generator import COLUMNS, history, queries
from tests.properties.merged import trial

if TYPE_CHECKING:
    from firesteel.spark.launch.launch import Spark


@pytest.mark.spark
@pytest.mark.slow
@pytest.mark.full
@pytest.mark.parametrize("seed", [11, 12, 13])
def test_merged_changes_are_the_batch_answer(seed: int, spark: Spark, tmp_path: Path) -> None:
    assert [str(failure) for failure in trial(spark, tmp_path, seed)] == []


@pytest.mark.spark
def test_a_bundle_below_another_is_not_put_together_the_other_way_around(
    spark: Spark, tmp_path: Path
) -> None:
    assert [str(failure) for failure in trial(spark, tmp_path, 30305, count=1)] == []


def test_histories_hold_all_that_is_to_be_tested() -> None:
    made = history(random.Random(1), 200)
    assert made.rows
    for kind in ("INSERT", "UPDATE", "DELETE"):
        assert any(f'"type": "{kind}"' in message for message in made.messages)
    assert any(row[column] is None for row in made.rows.values() for column in COLUMNS)


def test_queries_differ() -> None:
    drawn = [q.flink for q in queries(random.Random(1), 200)]
    assert len(set(drawn)) > 150
    for word in (
        "GROUP BY",
        "ROLLUP",
        "CUBE",
        "GROUPING SETS",
        "GROUPING_ID",
        "HAVING",
        "WHERE",
        "FILTER",
        "DISTINCT",
        "UNION ALL",
        "FROM (SELECT",
    ):
        assert any(word in sql for sql in drawn), word


def test_folding_counts_equal_rows() -> None:
    rows, invalid = folded([("+I", "a"), ("+I", "a"), ("-D", "a")])
    assert invalid is None
    assert rows == {("a",): 1}
