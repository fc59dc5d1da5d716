"""Joins that compare times and keep all rows of an endless input: a warning says what is missing."""

from __future__ import annotations

import warnings
from collections.abc import Mapping

import pytest

from firesteel import TableEnvironment

_BOUNDED = "CREATE TABLE {} (id INT, k STRING, ts TIMESTAMP(3), pt AS PROCTIME(), WATERMARK FOR ts AS ts) {}"
_FILES = "WITH ('connector' = 'filesystem', 'path' = '/nowhere', 'format' = 'json'{})"
_WATCHED = ", 'source.monitor-interval' = '1 s'"
ONE_BOUND = "SELECT l.id, r.id FROM l JOIN r ON l.k = r.k AND l.ts >= r.ts"


def told(sql: str, options: Mapping[str, str] | None = None, watched: str = "l r f") -> list[str]:
    """Return the warnings of a query."""
    environment = TableEnvironment.create(configuration=options or {})
    for name in "lrf":
        files = _FILES.format(_WATCHED if name in watched else "")
        environment.execute_sql(_BOUNDED.format(name, files))
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        environment.explain_sql(sql)
    return [str(each.message) for each in found]


@pytest.mark.parametrize(
    "condition",
    [
        "l.ts >= r.ts",
        "l.ts <= r.ts AND l.ts < r.ts + INTERVAL '5' SECOND",
        "l.ts BETWEEN r.ts AND r.ts + INTERVAL '5' SECOND AND l.ts < r.ts + INTERVAL '3' SECOND",
        "l.ts BETWEEN r.ts AND r.ts + INTERVAL '5' SECOND * r.id",
    ],
)
@pytest.mark.parametrize("watched", ["l r", "r"])
def test_a_join_that_time_does_not_bound_is_reported(condition: str, watched: str) -> None:
    (message,) = told(f"SELECT l.id, r.id FROM l LEFT JOIN r ON l.k = r.k AND {condition}", watched=watched)
    assert message.startswith("the join compares the times 'ts' and 'ts', but keeps all rows of both inputs")
    assert "exactly one lower and one upper bound" in message


def test_exists_drops_no_rows_by_time() -> None:
    bounds = "l.ts BETWEEN r.ts AND r.ts + INTERVAL '5' SECOND"
    (message,) = told(f"SELECT id FROM l WHERE EXISTS (SELECT * FROM r WHERE l.k = r.k AND {bounds})")
    assert message.startswith("IN or EXISTS compares the times 'ts' and 'ts', but keeps all rows")


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT l.id, r.id FROM l JOIN r ON l.k = r.k AND l.ts BETWEEN r.ts AND r.ts + INTERVAL '5' SECOND",
        "SELECT l.id, r.id FROM l JOIN r ON l.k = r.k AND l.id >= r.id",
        "SELECT /*+ STATE_TTL('l' = '1 d') */ l.id, r.id FROM l JOIN r ON l.k = r.k AND l.ts >= r.ts",
    ],
)
def test_other_joins_are_not_reported(sql: str) -> None:
    assert told(sql) == []


def test_state_that_expires_and_inputs_that_end_need_no_bounds() -> None:
    assert told(ONE_BOUND, {"table.exec.state.ttl": "1 h"}) == []
    assert told(ONE_BOUND, watched="f") == []
    assert len(told(ONE_BOUND)) == 1
