"""State variables that are set up where they are used (spark/internals/lazy_state.py)."""

from __future__ import annotations

from typing import Any

import pytest
from pyspark.sql.streaming.stateful_processor import StatefulProcessorHandle
from pyspark.sql.streaming.stateful_processor_api_client import StatefulProcessorHandleState as States
from pyspark.sql.types import StringType, StructType

from firesteel.errors import JobError
from firesteel.spark.internals import lazy_state
from firesteel.spark.internals.lazy_state import map_when_used
from firesteel.spark.stream.stored_state import readable

KEY = StructType().add("id", StringType())


class Client:
    """As pyspark's client of the state server. made: the variables, with the state of the handle then."""

    def __init__(self, state: States) -> None:
        self.handle_state = state
        self.made: list[tuple[str, States]] = []

    def set_handle_state(self, state: States) -> None:
        self.handle_state = state

    def get_map_state(self, name: str, *_: Any) -> None:
        self.made.append((name, self.handle_state))


def handle(client: Any) -> StatefulProcessorHandle:
    return StatefulProcessorHandle(client)


@pytest.mark.private
def test_a_task_sets_a_map_up_once_when_it_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lazy_state, "MAY_BE_LATE", True)
    client = Client(States.CREATED)
    runs = map_when_used(handle(client), "runs", KEY, KEY)
    client.set_handle_state(States.INITIALIZED)
    assert not client.made
    assert runs() is runs()
    assert client.made == [("runs", States.CREATED)]
    assert client.handle_state is States.INITIALIZED


def test_with_an_older_spark_it_is_set_up_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its reader needs the variable of all tasks: for savepoints, `rescale` and `state`."""
    monkeypatch.setattr(lazy_state, "MAY_BE_LATE", False)
    client = Client(States.CREATED)
    runs = map_when_used(handle(client), "runs", KEY, KEY)
    assert client.made == [("runs", States.CREATED)]
    assert runs() is runs()


def test_a_state_that_an_older_spark_cannot_read_is_an_error_of_the_job() -> None:
    with pytest.raises(JobError, match="cannot read the state of this checkpoint") as error, readable():
        raise ValueError("[STATE_STORE_UNSUPPORTED_OPERATION_ON_MISSING_COLUMN_FAMILY] operation=iterator")
    assert "one more micro-batch" in str(error.value.hint)
    with pytest.raises(ValueError, match="another"), readable():
        raise ValueError("another")


@pytest.mark.private
def test_the_driver_sets_it_up_at_once() -> None:
    client = Client(States.PRE_INIT)
    runs = map_when_used(handle(client), "runs", KEY, KEY)
    assert client.made == [("runs", States.PRE_INIT)]
    assert runs() is runs()


def test_where_pyspark_has_it_otherwise_it_is_set_up_at_once() -> None:
    class Other:
        def getMapState(self, name: str, key: StructType, value: StructType) -> str:
            return name

    other: Any = Other()
    assert map_when_used(other, "runs", KEY, KEY)() == "runs"  # type: ignore[comparison-overlap]
