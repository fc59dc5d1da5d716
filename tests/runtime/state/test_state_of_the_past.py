"""What is over leaves nothing in state: after many windows there is as much as after two."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from firesteel.runtime.dataflow.operator import Clock, Watermark, WatermarkedBatch
from firesteel.runtime.dataflow.operator_registry import build
from firesteel.runtime.spec.operators import AggregateSpec, OperatorSpec
from firesteel.runtime.spec.over import OverTime, TemporalSortSpec
from firesteel.runtime.spec.window import SessionWindows, SessionWindowTableFunctionSpec
from firesteel.runtime.state.backend import SortedRunBackend
from firesteel.runtime.state.memory import MemoryStore
from firesteel.types.sql import INT
from tests.runtime.driven_operators import COUNT_STAR
from tests.runtime.driven_operators import call as grouped_call
from tests.runtime.driven_operators import spec as grouped
from tests.runtime.operators.over.test_over_aggregate import RANGE, ROWS
from tests.runtime.operators.over.test_over_aggregate import call as over_call
from tests.runtime.operators.over.test_over_aggregate import spec as over
from tests.runtime.operators.window.test_group_window_aggregate import spec as group_window
from tests.runtime.operators.window.test_session_window_aggregate import DISTINCT, MAX
from tests.runtime.operators.window.test_session_window_aggregate import SUM as SESSION_SUM
from tests.runtime.operators.window.test_session_window_aggregate import spec as session
from tests.runtime.operators.window.windows import (
    BY_ROW_TIME,
    COUNT,
    COUNT_DISTINCT,
    SUM,
    TYPES,
    Row,
    cumulate,
    hop,
    one_phase,
    table_of,
    tumble,
)
from tests.runtime.state_size import kept
from tests.scale import FULL, part

PERIOD, ROWS_A_PERIOD = 100, 40
"""Milliseconds; each is a micro-batch, and goes on from state."""

FIRST = AggregateSpec("FIRST_VALUE", (1,), (INT,), INT)
BY_TIME = TemporalSortSpec(TYPES, OverTime.ROWTIME, 2)
SESSIONS = SessionWindowTableFunctionSpec((0,), TYPES, SessionWindows(BY_ROW_TIME, 20))
LAG = AggregateSpec("LAG", (1,), (INT,), INT, options=("1",))


@dataclass(frozen=True)
class Past:
    """spec: of the operator. churns: whether each period has keys of its own. by_clock: whether the clock
    ends what is over, and not watermarks. columns: of the rows."""

    spec: OperatorSpec
    churns: bool = True
    by_clock: bool = False
    columns: int = 3


WINDOWS = {
    "tumble": Past(one_phase(tumble(PERIOD), (COUNT, SUM, COUNT_DISTINCT))),
    "hop": Past(one_phase(hop(PERIOD, 20), (COUNT, SUM, COUNT_DISTINCT))),
    "cumulate": Past(one_phase(cumulate(PERIOD, 20), (COUNT, SUM, COUNT_DISTINCT), retracts=True)),
    "by row": Past(one_phase(tumble(PERIOD), (FIRST, COUNT))),
    "session": Past(session(SESSION_SUM, MAX, DISTINCT, gap=20)),
    "session that retracts": Past(session(MAX, DISTINCT, retracts=True, gap=20)),
    "session function": Past(SESSIONS),
    "group by tumble": Past(group_window(PERIOD)),
    "group by hop": Past(group_window(PERIOD, 20, retracts=True)),
}
OVERS = {
    "range": Past(over(RANGE, 50, over_call("$SUM0"), over_call("COUNT", distinct=True), over_call("MAX"))),
    "range by row": Past(over(RANGE, 50, over_call("FIRST_VALUE"), over_call("LAST_VALUE"))),
    "rows": Past(over(ROWS, 3, over_call("$SUM0"), over_call("COUNT", distinct=True)), churns=False),
    "range without a bound": Past(over(RANGE, None, over_call("$SUM0"), LAG), churns=False),
    "rows without a bound": Past(over(ROWS, None, over_call("MAX"), LAG), churns=False),
    "range by the clock": Past(over(RANGE, 50, over_call("$SUM0"), order=OverTime.PROCTIME), by_clock=True),
}
OTHERS = {
    "sort": Past(BY_TIME),
    "group by with a time to live": Past(
        grouped([COUNT_STAR, grouped_call("MAX"), grouped_call("COUNT", distinct=True)], ttl=PERIOD),
        by_clock=True,
        columns=2,
    ),
}
PASTS = {**WINDOWS, **OVERS, **OTHERS}


def run(past: Past, periods: int) -> tuple[SortedRunBackend, int]:
    """The state behind so many periods, and its bytes."""
    store = MemoryStore()
    for period in range(periods):
        now = period * PERIOD
        state = SortedRunBackend.open(store)
        operator = build(past.spec, state, _standing(now))
        message = _rows(past, period)
        if past.by_clock:
            list(operator.changes(message.table.select(range(past.columns + 2))))
        else:
            list(operator.watermark(Watermark(now - PERIOD // 2, -1)))
            list(operator.watermarked(message))
        list(operator.barrier())
        state.commit()
    return state, sum(map(len, store.runs.values()))


def _standing(now: int) -> Clock:
    return lambda: now


def _rows(past: Past, period: int) -> WatermarkedBatch:
    """Rows over one period, some of them up to half a period late; the watermark is that much behind."""
    first = period * ROWS_A_PERIOD
    rows: list[Row] = []
    for i in range(ROWS_A_PERIOD):
        time = period * PERIOD + i * PERIOD // ROWS_A_PERIOD - (i % 7) * PERIOD // 14
        key = f"{period if past.churns else ''}-{i % 20}"
        rows.append(("+I", key, i % 11, time))
    mark = np.array([period * PERIOD + PERIOD // 2])
    return WatermarkedBatch(table_of(rows, first), mark, np.array([first + ROWS_A_PERIOD - 1]))


@pytest.mark.parametrize("name", part(list(PASTS), 8))
def test_nothing_is_left(name: str) -> None:
    past = PASTS[name]
    two, few_bytes = run(past, 3)
    many, bytes_ = run(past, 100 if FULL else 20)
    assert {name: count for name, count in kept(many).items() if count > kept(two).get(name, 0)} == {}
    assert bytes_ < 4 * few_bytes
