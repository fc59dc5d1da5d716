"""Hints about joins: how long each side is kept, and those that a stream takes no notice of."""

from __future__ import annotations

import pytest

from firesteel import TableEnvironment
from firesteel.errors import ValidationError
from firesteel.runtime.spec.join import JoinSpec
from tests.cases.script import job

TABLES = (
    "CREATE TABLE a (k INT, v INT) WITH ('connector' = 'datagen', 'number-of-rows' = '2')",
    "CREATE TABLE b (k INT, w INT) WITH ('connector' = 'datagen', 'number-of-rows' = '2')",
)
FROM = "FROM a AS x LEFT JOIN b ON x.k = b.k"


@pytest.fixture(scope="module")
def environment() -> TableEnvironment:
    found = TableEnvironment.create()
    for table in TABLES:
        found.execute_sql(table)
    return found


def times(environment: TableEnvironment, query: str) -> list[tuple[int, int]]:
    """Milliseconds that each join keeps the rows of its inputs."""
    operators = [spec for chain in job(environment, query).chains for spec in chain.operators]
    joins = [spec for spec in operators if isinstance(spec, JoinSpec)]
    return [(spec.inputs[0].ttl, spec.inputs[1].ttl) for spec in joins]


def physical(environment: TableEnvironment, query: str) -> str:
    text = "\n".join(str(row[0]) for row in environment.execute_sql(f"EXPLAIN {query}").collect())
    return text.split("== Optimized Physical Plan ==\n")[1].split("\n\n")[0]


def test_each_side_has_its_time(environment: TableEnvironment) -> None:
    query = f"SELECT /*+ STATE_TTL('x' = '1 d', 'b' = '12 h') */ v, w {FROM}"
    assert times(environment, query) == [(86_400_000, 43_200_000)]
    assert "stateTtlHints=[[[STATE_TTL options:{LEFT=1 d, RIGHT=12 h}]]]" in physical(environment, query)


def test_a_side_without_a_hint_has_the_jobs_time(environment: TableEnvironment) -> None:
    assert times(environment, f"SELECT /*+ STATE_TTL('b' = '1 s') */ v, w {FROM}") == [(0, 1000)]


def test_a_condition_above_keeps_the_hint(environment: TableEnvironment) -> None:
    query = f"SELECT /*+ STATE_TTL('b' = '1 s') */ v, w {FROM} WHERE w > 3 AND x.k + 1 > 2"
    assert times(environment, query) == [(0, 1000)]


def test_how_a_batch_would_join_is_shown_alone(environment: TableEnvironment) -> None:
    query = f"SELECT /*+ BROADCAST(b) */ v, w {FROM}"
    assert "joinHints=[[[BROADCAST options:[RIGHT]]]]" in physical(environment, query)


@pytest.mark.parametrize("hint", ["STATE_TTL('zz' = '1d')", "BROADCAST(zz)"])
def test_a_hint_about_another_table_is_refused(environment: TableEnvironment, hint: str) -> None:
    with pytest.raises(ValidationError, match="cannot match the name of input tables") as found:
        environment.execute_sql(f"EXPLAIN SELECT /*+ {hint} */ v, w {FROM}")
    assert found.value.range is not None


def test_what_is_no_time_is_refused(environment: TableEnvironment) -> None:
    with pytest.raises(ValidationError, match="Invalid STATE_TTL hint"):
        environment.execute_sql(f"EXPLAIN SELECT /*+ STATE_TTL('b' = 'soon') */ v, w {FROM}")
