"""Numbers that Spark reports of its query: asked for once for each snapshot, and none without a query."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from firesteel.spark.stream import query_progress
from firesteel.spark.stream.query_progress import QueryProgress


class Query:
    isActive = True

    def __init__(self) -> None:
        self.asked = 0

    @property
    def lastProgress(self):
        self.asked += 1
        operators = [{"memoryUsedBytes": 100 * self.asked}, {"memoryUsedBytes": 1}]
        return {"stateOperators": operators, "sources": [{"endOffset": self.asked}]}


@pytest.fixture
def clock(monkeypatch):
    clock = SimpleNamespace(now=10.0)
    monkeypatch.setattr(query_progress.time, "monotonic", lambda: clock.now)
    return clock


def reported(query):
    found = QueryProgress(SimpleNamespace(behind=lambda sources: {("t", 0): sources[0]["endOffset"]}))
    found.query = query
    return found


def test_spark_is_asked_once_for_a_snapshot(clock):
    query = Query()
    found = reported(query)
    assert [found.state_bytes(), found.state_bytes()] == [101, 101]
    assert found.lags() == {("t", 0): 1}
    clock.now += 1
    assert [found.state_bytes(), found.lags(), query.asked] == [201, {("t", 0): 2}, 2]


def test_without_a_running_query_there_are_no_numbers(clock):
    query = Query()
    found = reported(None)
    assert [found.state_bytes(), found.lags()] == [None, {}]
    found.query = query
    assert found.state_bytes() == 101
    clock.now += 1
    query.isActive = False
    assert found.state_bytes() is None
    found.query = None
    assert found.lags() == {}


def test_a_jvm_that_has_gone_gives_no_numbers(clock):
    class Gone:
        @property
        def isActive(self):
            raise ConnectionError

    assert reported(Gone()).state_bytes() is None
