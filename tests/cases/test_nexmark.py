"""The queries of examples/nexmark answer as Flink 2.3.

`tests/cases/nexmark` has 300 events, with bidders that are persons, and the rows that Flink's changes left.
`tests/cases/nexmark-changes` has tables that change, for those queries that take them. Long texts are cut as
Flink prints them.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from benchmarks.nexmark_scripts import FOLDER, QUERIES, REFUSED, select

from firesteel import TableEnvironment
from firesteel.errors import ValidationError
from firesteel.sql.variables import substitute
from tests.cases.changes import folded
from tests.cases.cut import changes
from tests.scale import part

if TYPE_CHECKING:
    from firesteel.spark.launch.launch import Spark

CASE = Path(__file__).parent / "nexmark"
CHANGES = Path(__file__).parent / "nexmark-changes"
Answers = dict[str, list[list[str]]]
ANSWERS: Answers = json.loads((CASE / "flink.json").read_text(encoding="utf-8"))
OF_CHANGES: Answers = json.loads((CHANGES / "flink.json").read_text(encoding="utf-8"))
VALUES = {"DATA": str(CASE), "SINK": "blackhole", "OUT": "/nowhere", "EVENTS": "3000", "RATE": "100"}
_BY_THE_CLOCK = 12
LOOKS_UP = 13
_WIDTH = 30


def environment(spark: Spark | None, tables: str, **options: str) -> TableEnvironment:
    """Return an environment with the tables of a file in examples/nexmark."""
    made = TableEnvironment.create(spark, configuration=options)
    run(made, tables)
    return made


def run(made: TableEnvironment, file: str, *, explain: bool = False) -> str:
    """Run the statements of a file, or only explain its INSERT. Return the plan."""
    plan = ""
    values = {**VALUES, "DATA": str(CHANGES)} if file == "changes.sql" else VALUES
    for statement in made.split(substitute((FOLDER / file).read_text(encoding="utf-8"), values)):
        if explain and statement.startswith("INSERT"):
            plan = made.explain_sql(statement)
        else:
            made.execute_sql(statement)
    return plan


def by_the_host(made: TableEnvironment, sql: str) -> Iterator[tuple[str, ...]]:
    """Return the changes of a query on the environment's host."""
    texts: Iterator[tuple[str, ...]] = made.execute_sql(sql).texts()
    return texts


def in_process(made: TableEnvironment, sql: str) -> Iterator[tuple[str, ...]]:
    """Return the changes of a query without Spark, all rows in one micro-batch."""
    return changes(made, sql, 1 << 30, 2)


def left(
    made: TableEnvironment,
    query: int,
    run_query: Callable[[TableEnvironment, str], Iterator[tuple[str, ...]]] = by_the_host,
) -> Counter[tuple[str, ...]]:
    """Return the rows that the changes of a query leave, with texts as Flink prints them."""
    if query == LOOKS_UP:
        side_input = (FOLDER / "q13.sql").read_text(encoding="utf-8")
        (create, *_) = made.split(substitute(side_input, VALUES))
        made.execute_sql(create)
    cut = [
        [kind, *(cell if len(cell) <= _WIDTH else f"{cell[: _WIDTH - 3]}..." for cell in cells)]
        for kind, *cells in run_query(made, select(query))
    ]
    rows, wrong = folded(cut)
    assert wrong is None
    return rows


def expected(query: int, answers: Answers = ANSWERS) -> Counter[tuple[str, ...]]:
    return folded([["+I", *row] for row in answers[f"q{query}"]])[0]


def numbers(answers: Answers) -> list[int]:
    return [int(name[1:]) for name in answers]


def test_every_query_has_an_answer() -> None:
    answered = {f"q{query}" for query in QUERIES if query not in (*REFUSED, _BY_THE_CLOCK)}
    assert set(ANSWERS) == answered
    assert all(ANSWERS.values())


@pytest.mark.parametrize("query", [query for query in QUERIES if query not in REFUSED])
@pytest.mark.parametrize("tables", ["events.sql", "files.sql"])
def test_scripts_are_planned(query: int, tables: str) -> None:
    assert "Sink(table=[default_catalog.default_database.nexmark_q" in run(
        environment(None, tables), f"q{query}.sql", explain=True
    )


def test_the_query_that_flink_refuses_is_refused() -> None:
    with pytest.raises(ValidationError, match="Non-time attribute sort is not supported"):
        run(environment(None, "files.sql"), "q6.sql", explain=True)


@pytest.mark.parametrize("query", [query for query in numbers(ANSWERS) if query != LOOKS_UP])
def test_queries_answer_as_flink(query: int) -> None:
    assert left(environment(None, "files.sql"), query, in_process) == expected(query)


@pytest.mark.parametrize("query", numbers(OF_CHANGES))
def test_tables_that_change_are_answered_as_by_flink(query: int) -> None:
    assert left(environment(None, "changes.sql"), query, in_process) == expected(query, OF_CHANGES)


@pytest.mark.spark
@pytest.mark.parametrize("query", sorted({*part(numbers(ANSWERS), 2), LOOKS_UP}))
def test_the_batch_host_answers_as_flink(query: int, spark: Spark) -> None:
    made = environment(spark, "files.sql", **{"parallelism.default": "2"})
    assert left(made, query) == expected(query)


@pytest.mark.spark
@pytest.mark.parametrize("query", part(numbers(OF_CHANGES), 2))
def test_the_batch_host_answers_as_flink_over_tables_that_change(query: int, spark: Spark) -> None:
    made = environment(spark, "changes.sql", **{"parallelism.default": "2"})
    assert left(made, query) == expected(query, OF_CHANGES)


@pytest.mark.spark
@pytest.mark.slow
@pytest.mark.full
@pytest.mark.parametrize("query", numbers(ANSWERS))
def test_the_stream_host_answers_as_flink(query: int, spark: Spark) -> None:
    options = {
        "parallelism.default": "2",
        "firesteel.host": "stream",
        "firesteel.source.max-rows-per-batch": "70",
    }
    assert left(environment(spark, "files.sql", **options), query) == expected(query)


@pytest.mark.spark
def test_a_query_over_the_connector_runs_whole(spark: Spark) -> None:
    made = environment(spark, "events.sql", **{"table.dml-sync": "true"})
    run(made, "q12.sql")
