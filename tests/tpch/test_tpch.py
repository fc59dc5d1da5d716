"""The queries of TPC-H over change streams, compared with DuckDB after each refresh of the tables."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.properties.joins.trial import BUNDLES, MULTI_JOINS
from tests.scale import part
from tests.tpch.history import messages
from tests.tpch.schema import SCHEMAS, Values
from tests.tpch.trial import QUERIES, difference, failure, fold, text, trial

if TYPE_CHECKING:
    from firesteel.spark.launch.launch import Spark

_SMALL = (0.001, 3)
_LARGE = (0.01, 10)


@pytest.mark.parametrize("query", part(list(QUERIES), 6))
def test_each_refresh_leaves_the_batch_answer(query: str) -> None:
    assert failure(trial(*_SMALL), query, {}, targets=3) is None


@pytest.mark.full
@pytest.mark.parametrize("query", QUERIES)
def test_each_refresh_leaves_the_batch_answer_of_large_tables(query: str) -> None:
    assert failure(trial(*_LARGE), query, {}, targets=1) is None


@pytest.mark.parametrize(
    "query", ["q11", *(pytest.param(query, marks=pytest.mark.full) for query in QUERIES if query != "q11")]
)
def test_so_do_mini_batches(query: str) -> None:
    assert failure(trial(*_SMALL), query, BUNDLES, targets=4) is None


@pytest.mark.full
@pytest.mark.parametrize("query", QUERIES)
def test_so_do_joins_of_several_inputs(query: str) -> None:
    assert failure(trial(*_SMALL), query, MULTI_JOINS, targets=2) is None


def test_each_query_has_answers_that_change() -> None:
    answers = trial(*_SMALL).answers
    assert [name for name, found in answers.items() if not any(found)] == []
    assert [name for name, found in answers.items() if all(other == found[0] for other in found)] == []


@pytest.mark.spark
@pytest.mark.slow
@pytest.mark.parametrize("query", ["q05", "q13", "q18", "q20", "q21"])
@pytest.mark.full
def test_streams_with_a_checkpoint_leave_the_batch_answer(query: str, spark: Spark, tmp_path: Path) -> None:
    from firesteel import TableEnvironment

    made = trial(*_SMALL)
    options = {
        "firesteel.host": "stream",
        "execution.checkpointing.dir": str(tmp_path / "checkpoint"),
        "firesteel.source.max-rows-per-batch": "1200",
        "parallelism.default": "2",
    }
    environment = TableEnvironment.create(spark, configuration=options)
    for name, schema in SCHEMAS.items():
        file = tmp_path / f"{name}.json"
        file.write_text(messages(schema, made.history.changes[name]), encoding="utf-8")
        environment.execute_sql(schema.ddl(str(file), "debezium-json"))
    left: Counter[Values] = Counter()
    found = environment.execute_sql(text(query)).collect()
    assert fold(left, ((row.get_row_kind().short, *row) for row in found)) is None
    assert difference(list(left.elements()), made.answers[query][-1]) is None
