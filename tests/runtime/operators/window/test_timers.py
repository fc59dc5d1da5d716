"""Timers of processing time: who is woken when one is due says what one says that is woken all the time."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firesteel.runtime.dataflow import operator_registry as registry
from firesteel.runtime.spec.operators import OperatorSpec
from firesteel.runtime.spec.window import (
    Emit,
    SessionWindowAggregateSpec,
    SessionWindows,
    SessionWindowTableFunctionSpec,
    WindowColumn,
    WindowTime,
)
from firesteel.runtime.state.backend import SortedRunBackend
from firesteel.runtime.state.memory import MemoryStore
from firesteel.types.sql import timestamp_ltz
from tests.runtime.changes import Row, to_table
from tests.runtime.messages import all_rows
from tests.runtime.operators.window.test_group_window_aggregate import spec as group_window
from tests.runtime.operators.window.windows import (
    COUNT,
    SUM,
    TYPES,
    aggregate,
    cumulate,
    hop,
    one_phase,
    tumble,
)
from tests.scale import examples, part

START = 1774746000000 - 10
"""A little before the clocks of Berlin go forward in 2026."""

CLOCK = WindowTime(None, timestamp_ltz(3), "Europe/Berlin")
SESSIONS = SessionWindows(CLOCK, 7)
BORDERS = (WindowColumn.START, WindowColumn.END)

OPERATORS: dict[str, OperatorSpec] = {
    "TUMBLE": one_phase(tumble(10), time=CLOCK),
    "HOP": one_phase(hop(12, 4), time=CLOCK),
    "CUMULATE": one_phase(cumulate(12, 4), time=CLOCK),
    "sessions": SessionWindowAggregateSpec(aggregate((SUM, COUNT)), SESSIONS, BORDERS),
    "rows of sessions": SessionWindowTableFunctionSpec((0,), TYPES, SESSIONS),
    "GROUP BY HOP": group_window(12, 4, is_rowtime=False),
    "early": group_window(12, emit=Emit(early=5), is_rowtime=False),
}


class Task:
    """An operator that is made anew for each micro-batch over its state."""

    def __init__(self, spec: OperatorSpec) -> None:
        self._spec, self._store = spec, MemoryStore()
        self.said: list[Row] = []
        self.timer: int | None = None

    def batch(self, now: int, rows: Sequence[Row] = ()) -> None:
        state = SortedRunBackend.open(self._store)
        operator = registry.build(self._spec, state, lambda: now)
        if rows:
            self.said += all_rows(operator.changes(to_table(rows, TYPES, 0)))
        self.said += all_rows(operator.barrier())
        state.commit()
        self.timer = operator.next_timer()
        assert self.timer is None or self.timer > now


def whenever_due(task: Task, now: int) -> None:
    while task.timer is not None and task.timer <= now:
        task.batch(task.timer)


def all_the_time(task: Task, now: int) -> None:
    task.batch(now)


def said(
    spec: OperatorSpec, batches: Sequence[tuple[int, str]], wake: Callable[[Task, int], None]
) -> list[Row]:
    """What an operator says to batches: (milliseconds since the one before, keys of the rows)."""
    task, now = Task(spec), START
    for pause, keys in batches:
        for between in range(now + 1, now + pause):
            wake(task, between)
        now += pause
        task.batch(now, [("+I", key, 1, None) for key in keys])
    for later in range(now + 1, now + 30):
        wake(task, later)
    assert task.timer is None or spec is OPERATORS["early"]
    return task.said


@pytest.mark.parametrize("name", part(list(OPERATORS), 4))
@settings(max_examples=examples(40), deadline=None)
@given(st.lists(st.tuples(st.integers(1, 15), st.text("ab", max_size=2)), min_size=1, max_size=3))
def test_between_timers_there_is_nothing_to_do(name: str, batches: list[tuple[int, str]]) -> None:
    spec = OPERATORS[name]
    assert spec.sets_timers
    assert said(spec, batches, whenever_due) == said(spec, batches, all_the_time)


@pytest.mark.parametrize("name", OPERATORS)
def test_rows_that_nobody_follows_are_reported(name: str) -> None:
    assert said(OPERATORS[name], [(1, "a")], whenever_due)


def test_event_time_needs_no_clock() -> None:
    assert not one_phase(tumble(10)).sets_timers
    assert not group_window(10).sets_timers
    assert group_window(10, emit=Emit(early=5)).sets_timers
