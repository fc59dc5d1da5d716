"""Joins, ranks and aggregates by one border of windows over an endless input: a warning tells what to add."""

from __future__ import annotations

import warnings
from collections.abc import Mapping

import pytest

from firesteel import TableEnvironment

_TABLE = (
    "CREATE TABLE {} (id INT, k STRING, v INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ("
    "'connector' = 'filesystem', 'path' = '/nowhere', 'format' = 'json'{})"
)
_WATCHED = ", 'source.monitor-interval' = '1 s'"
_VIEW = "CREATE TEMPORARY VIEW {} AS SELECT * FROM TABLE({}(TABLE {}, DESCRIPTOR(ts), {}))"
_TEN = "INTERVAL '10' SECOND"
JOIN = "SELECT x.id, y.id FROM lw AS x JOIN rw AS y ON x.k = y.k AND x.window_end = y.window_end"
RANK = "SELECT * FROM lw QUALIFY ROW_NUMBER() OVER (PARTITION BY {} ORDER BY v) <= 2"


def told(sql: str, options: Mapping[str, str] | None = None, watched: str = "l r") -> list[str]:
    """Return the warnings of a query."""
    environment = TableEnvironment.create(configuration=options or {})
    for name in "lr":
        environment.execute_sql(_TABLE.format(name, _WATCHED if name in watched else ""))
        environment.execute_sql(_VIEW.format(f"{name}w", "TUMBLE", name, _TEN))
        environment.execute_sql(_VIEW.format(f"{name}h", "HOP", name, f"INTERVAL '5' SECOND, {_TEN}"))
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        environment.explain_sql(sql)
    return [str(each.message) for each in found]


@pytest.mark.parametrize("watched", ["l r", "r"])
def test_a_join_by_one_border_is_reported(watched: str) -> None:
    (message,) = told(JOIN, watched=watched)
    assert message.startswith("the join compares the ends of windows without their starts, so it keeps all")
    assert "Compare window_start, too" in message
    (message,) = told(
        "SELECT id FROM lw WHERE window_start IN (SELECT window_start FROM rw)", watched=watched
    )
    assert message.startswith("the join compares the starts of windows without their ends")


def test_a_join_of_windows_that_differ_is_reported() -> None:
    (message,) = told(f"{JOIN} AND x.window_start = y.window_start".replace("rw", "rh"))
    assert message.startswith(
        "the join compares windows that differ (TUMBLE of 10 s and HOP of 10 s every 5 s), so it keeps all"
    )


@pytest.mark.parametrize(
    ("border", "missing"), [("window_start", "window_end"), ("k, window_end", "window_start")]
)
def test_a_rank_and_an_aggregate_by_one_border_are_reported(border: str, missing: str) -> None:
    given = border.split()[-1]
    (message,) = told(RANK.format(border))
    assert message.startswith(
        f"a Top-N by {given} without {missing} sends updates and keeps the state of all"
    )
    (message,) = told(f"SELECT COUNT(*) FROM lw GROUP BY {border}")
    assert message.startswith(f"GROUP BY {given} without {missing} sends updates and keeps the state of all")


@pytest.mark.parametrize(
    "sql",
    [
        f"{JOIN} AND x.window_start = y.window_start",
        "SELECT x.id, y.id FROM lw AS x JOIN rw AS y ON x.k = y.k",
        RANK.format("window_start, window_end"),
        RANK.format("k"),
        "SELECT k, COUNT(*) FROM lw GROUP BY k, window_start, window_end",
        "SELECT k, COUNT(*) FROM lw GROUP BY k",
        JOIN.replace("SELECT", "SELECT /*+ STATE_TTL('x' = '1 d') */"),
    ],
)
def test_others_are_not_reported(sql: str) -> None:
    assert told(sql) == []


def test_state_that_expires_and_inputs_that_end_are_not_reported() -> None:
    assert told(JOIN, {"table.exec.state.ttl": "1 h"}) == []
    assert told(JOIN, watched="") == []
