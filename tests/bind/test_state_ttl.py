"""The hint STATE_TTL about the table of an aggregate: how long it keeps a key."""

from __future__ import annotations

# ruff: noqa: E501 - queries are data
import pytest

from firesteel import TableEnvironment
from firesteel.errors import ValidationError
from firesteel.runtime.spec.join import JoinSpec
from firesteel.runtime.spec.operators import (
    GlobalGroupAggregateSpec,
    GroupAggregateSpec,
    IncrementalGroupAggregateSpec,
)
from tests.cases.script import job

DAY = 86_400_000
BUNDLES = {
    "table.exec.mini-batch.enabled": "true",
    "table.exec.mini-batch.allow-latency": "3 s",
    "table.exec.mini-batch.size": "100",
}
SPLIT = {"table.optimizer.distinct-agg.split.enabled": "true"}
QUERY = "SELECT /*+ STATE_TTL('a' = '1 d') */ k, COUNT(DISTINCT v) FROM a GROUP BY k"


def times(query: str, options: dict[str, str] | None = None) -> list[int]:
    """Milliseconds that each aggregate of a query keeps a key."""
    environment = TableEnvironment.create()
    for name in "ab":
        environment.execute_sql(f"CREATE TABLE {name} (k INT, v INT) WITH ('connector' = 'datagen')")
    environment.execute_sql("CREATE VIEW seen AS SELECT k, v FROM a WHERE v > 1")
    for key, value in {"table.exec.state.ttl": "1 h", **(options or {})}.items():
        environment.execute_sql(f"SET '{key}' = '{value}'")
    found = []
    for chain in job(environment, query).chains:
        for spec in chain.operators:
            if isinstance(spec, (GlobalGroupAggregateSpec, IncrementalGroupAggregateSpec)):
                found.append(spec.aggregate.ttl)
            elif isinstance(spec, GroupAggregateSpec):
                found.append(spec.ttl)
            elif isinstance(spec, JoinSpec):
                found += [side.ttl for side in spec.inputs]
    return sorted(found)


@pytest.mark.parametrize("options", [{}, BUNDLES, SPLIT, BUNDLES | SPLIT])
def test_all_phases_of_an_aggregate_have_its_time(options: dict[str, str]) -> None:
    found = times(QUERY, options)
    assert found == [DAY] * (2 if SPLIT.items() <= options.items() else 1)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("SELECT k, COUNT(*) FROM a GROUP BY k", [DAY // 24]),
        ("SELECT /*+ STATE_TTL('x' = '1 d') */ DISTINCT k FROM a AS x", [DAY]),
        ("SELECT /*+ STATE_TTL('seen' = '1 d') */ k, COUNT(*) FROM seen GROUP BY k", [DAY]),
        ("SELECT /*+ STATE_TTL('a' = '1 d', 'a' = '2 d') */ COUNT(*) FROM a", [2 * DAY]),
        ("SELECT /*+ STATE_TTL('a' = '0 s') */ COUNT(*) FROM a", [0]),
        ("SELECT /*+ STATE_TTL('a' = '1 d') */ k, COUNT(*) FROM a GROUP BY CUBE (k, v)", [DAY]),
        ("SELECT /*+ STATE_TTL('a' = '1 d') */ 1 AS o, COUNT(*) FROM a WHERE v = 2 GROUP BY v, k", [DAY]),
        # that of the query around it has no hint
        (
            "SELECT n, COUNT(*) FROM (SELECT /*+ STATE_TTL('a' = '1 d') */ COUNT(*) AS n FROM a GROUP BY k) GROUP BY n",
            [DAY // 24, DAY],
        ),
        # over a join it is about the inputs
        (
            "SELECT /*+ STATE_TTL('a' = '1 d') */ a.k, COUNT(*) FROM a JOIN b ON a.k = b.k GROUP BY a.k",
            [DAY // 24, DAY // 24, DAY],
        ),
        # equal aggregates that are kept for another time are not one
        (
            "SELECT k, COUNT(*) FROM a GROUP BY k UNION ALL SELECT /*+ STATE_TTL('a' = '1 d') */ k, COUNT(*) FROM a GROUP BY k",
            [DAY // 24, DAY],
        ),
        # nothing to keep
        ("SELECT /*+ STATE_TTL('a' = '1 d') */ k FROM a", []),
    ],
)  # fmt: skip
def test_an_aggregate_keeps_keys_as_its_hint_says(query: str, expected: list[int]) -> None:
    assert times(query) == expected


@pytest.mark.parametrize(
    ("hint", "message"),
    [
        ("'b' = '1 d'", "cannot match the name of input tables or views"),
        ("'A' = '1 d'", "cannot match the name of input tables or views"),
        ("'a' = 'abc'", "Invalid STATE_TTL hint"),
    ],
)
def test_a_wrong_hint_is_refused(hint: str, message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        times(f"SELECT /*+ STATE_TTL({hint}) */ COUNT(*) FROM a")
