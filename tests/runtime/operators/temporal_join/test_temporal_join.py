"""Temporal joins: what Flink's operator sends, event by event, however the input is cut into batches."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firesteel.changelog import SEQUENCE
from firesteel.functions.duckdb.calc_spec import CalcSpec
from firesteel.runtime.dataflow.chain import standing_clock
from firesteel.runtime.dataflow.operator import (
    BEFORE_ALL,
    MAX_WATERMARK,
    PortBatch,
    Watermark,
    WatermarkedBatch,
)
from firesteel.runtime.operators.temporal_join.temporal_join import TemporalJoin
from firesteel.runtime.state.memory import memory_backend
from firesteel.types.sql import timestamp
from tests.runtime.changes import _value, show, to_table
from tests.runtime.messages import Driver, all_rows
from tests.runtime.operators.temporal_join.row_by_row import RowByRowTemporalJoin
from tests.runtime.operators.temporal_join.steps import TYPES, driver, play, spec
from tests.runtime.state_size import kept
from tests.scale import examples


# --- as Flink's operator sends them ----------------------------------------------------------------
def test_a_row_waits_for_both_inputs_and_takes_the_version_of_its_time() -> None:
    steps = """
        r +I 100 a 1
        r +I 200 b 3
        l +I 1 a 2
        r +U 101 a 5
        l +I 2 a 5
        l +I 3 a 4
        l +I 4 b 2
        l +I 5 c 4
        l W4
        r W3
        r W6
        l W8
    """
    assert play(driver(spec()), steps) == [
        "r W3: +I[1,a,2,100,a,1]",
        "r W6: +I[3,a,4,100,a,1]",
        "l W8: +I[2,a,5,101,a,5]",
    ]
    assert play(driver(spec(pads=True)), steps) == [
        "r W3: +I[1,a,2,100,a,1] +I[4,b,2,null,null,null]",
        "r W6: +I[3,a,4,100,a,1] +I[5,c,4,null,null,null]",
        "l W8: +I[2,a,5,101,a,5]",
    ]


def test_a_deleted_version_ends_at_its_own_time() -> None:
    steps = """
        r +I 100 a 1
        r -D 100 a 6
        r +I 101 a 9
        l +I 1 a 5
        l +I 2 a 6
        l +I 3 a 8
        l +I 4 a 9
        l WMAX
        r WMAX
    """
    assert play(driver(spec(pads=True)), steps) == [
        "r WMAX: +I[1,a,5,100,a,1] +I[2,a,6,null,null,null] +I[3,a,8,null,null,null] +I[4,a,9,101,a,9]"
    ]
    assert play(driver(spec()), steps) == ["r WMAX: +I[1,a,5,100,a,1] +I[4,a,9,101,a,9]"]


def test_a_delete_with_the_time_of_its_version_unmakes_it() -> None:
    steps = "r +I 100 a 1\n l +I 1 a 5\n r -D 100 a 1\n l W9\n r W9"
    assert play(driver(spec(pads=True)), steps) == ["r W9: +I[1,a,5,null,null,null]"]


def test_of_several_versions_of_one_time_the_last_counts() -> None:
    steps = "r +I 100 a 1\n r +U 101 a 1\n l +I 1 a 1\n r +U 102 a 1\n l W1\n r W1"
    assert play(driver(spec()), steps) == ["r W1: +I[1,a,1,102,a,1]"]


def test_changes_of_rows_go_on_with_their_kinds() -> None:
    steps = """
        r +I 100 a 1
        l +I 1 a 2
        l -U 1 a 2
        l +U 1 a 3
        l -D 1 a 3
        l W9
        r W9
    """
    assert play(driver(spec()), steps) == [
        "r W9: +I[1,a,2,100,a,1] -U[1,a,2,100,a,1] +U[1,a,3,100,a,1] -D[1,a,3,100,a,1]"
    ]


def test_a_late_row_waits_for_the_next_watermark_and_sees_what_is_kept() -> None:
    steps = """
        r +I 100 a 1
        r +U 101 a 5
        l +I 1 a 6
        l W10
        r W10
        l +I 2 a 6
        l +I 3 a 3
        l W12
        r W12
    """
    assert play(driver(spec(pads=True)), steps) == [
        "r W10: +I[1,a,6,101,a,5]",
        "r W12: +I[2,a,6,101,a,5] +I[3,a,3,null,null,null]",
    ]


def test_versions_stay_until_their_key_fires() -> None:
    """The row that fires at 7 takes the key's only timer, so that nothing drops the version of 2 at 15."""
    steps = """
        r +I 100 a 2
        r +U 101 a 10
        l +I 1 a 5
        l W7
        r W7
        l W15
        r W15
        l +I 2 a 6
        l W16
        r W16
        l +I 3 a 6
        l W17
        r W17
    """
    assert play(driver(spec(pads=True)), steps) == [
        "r W7: +I[1,a,5,100,a,2]",
        "r W16: +I[2,a,6,100,a,2]",
        "r W17: +I[3,a,6,null,null,null]",
    ]


def test_a_late_version_is_seen_by_rows_that_still_wait() -> None:
    steps = """
        r +I 100 a 5
        l +I 1 a 20
        l +I 2 a 9
        l W10
        r W10
        r +U 101 a 7
        r +U 102 a 3
        l +I 3 a 4
        l W21
        r W21
    """
    assert play(driver(spec(pads=True)), steps) == [
        "r W10: +I[2,a,9,100,a,5]",
        "r W21: +I[1,a,20,101,a,7] +I[3,a,4,102,a,3]",
    ]


def test_null_keys_are_equal() -> None:
    steps = "r +I 100 null 1\n l +I 1 null 2\n l W9\n r W9"
    assert play(driver(spec()), steps) == ["r W9: +I[1,null,2,100,null,1]"]


def test_a_condition_decides_over_the_version_alone() -> None:
    """No earlier version takes the place of one that does not fulfil it."""
    condition = CalcSpec((), (), "f0 + 99 < f3")
    steps = "r +I 200 a 1\n r +U 100 a 3\n l +I 1 a 2\n l +I 2 a 4\n l W9\n r W9"
    assert play(driver(spec(condition=condition)), steps) == ["r W9: +I[1,a,2,200,a,1]"]
    assert play(driver(spec(True, condition)), steps) == ["r W9: +I[1,a,2,200,a,1] +I[2,a,4,null,null,null]"]


# --- state -------------------------------------------------------------------------------------------
def test_one_version_of_a_key_is_kept() -> None:
    backend = memory_backend()
    drive = Driver(TemporalJoin(spec(), backend, standing_clock(1)), TYPES, TYPES)
    for time in range(1, 40):
        drive.changes(f"+I {time} a {time}, +I {time} b {time}", port=1)
        drive.changes(f"+I {time} a {time}", port=0)
        drive.watermark(time, 0)
        drive.watermark(time, 1)
    found = kept(backend)  # type: ignore[arg-type]
    assert found["temporal-join/versions"] == 2
    assert "temporal-join/waiting" not in found
    assert "temporal-join/timer" not in found


def test_idle_keys_are_forgotten() -> None:
    backend, now = memory_backend(), 0
    drive = Driver(TemporalJoin(spec(True, ttl=1000), backend, lambda: now), TYPES, TYPES)
    drive.changes("+I 100 a 1, +I 200 b 1", port=1)
    drive.changes("+I 1 a 50, +I 2 b 50", port=0)
    now = 1200
    drive.changes("+I 201 b 2", port=1)
    now = 1500  # one and a half times the time to live after the rows of a
    drive.changes("+I 3 c 50", port=0)
    drive.watermark(60, 0)
    sent = drive.watermark(60, 1)
    assert sent == "+I[2,b,50,201,b,2] +I[3,c,50,null,null,null] W60"
    now = 9000
    drive.changes("+I 4 d 90", port=0)
    found = kept(backend)  # type: ignore[arg-type]
    assert found.pop("temporal-join/idle/until") == 1
    assert found.pop("temporal-join/idle/timers") >= 1
    assert found == {"temporal-join/waiting": 1}


def test_a_new_instance_sends_the_last_watermark_on() -> None:
    """Operators behind it are new, too, and learn the watermark from it."""
    backend, now = memory_backend(), standing_clock(1)
    first = TemporalJoin(spec(), backend, now)
    for port, time in enumerate((5, 7)):
        list(first.watermark(Watermark(time, 3), port))
    list(first.barrier())
    second = TemporalJoin(spec(), backend, now)
    sent = [list(second.watermark(Watermark(time, BEFORE_ALL), port)) for port, time in enumerate((5, 7))]
    assert sent[-1] == [Watermark(5, BEFORE_ALL)]


# --- any cutting ---------------------------------------------------------------------------------------
Event = tuple[int, Any]
"""(port, row or watermark)"""


def events(seed: int, size: int, lag: int, keys: str) -> list[Event]:
    """Random rows, versions and watermarks. lag: how far behind the watermarks rows may come."""
    draw, found, now = random.Random(seed), [], [0, 0]
    for number in range(size):
        port = draw.randrange(2)
        if draw.random() < 0.3:
            now[port] += draw.randrange(4)
            found.append((port, now[port]))
            continue
        time = max(0, now[port] + draw.randrange(-lag, 6))
        kind = draw.choice(("+I", "+U", "-U", "-D") if draw.random() < 0.5 else ("+I", "+U"))
        found.append((port, (kind, number, draw.choice(keys), time)))
    return [*found, (0, MAX_WATERMARK), (1, MAX_WATERMARK)]


def by_the_letter(stream: Sequence[Event], pads: bool) -> list[str]:
    model = RowByRowTemporalJoin(pads, 2, 3, 3)
    sent = []
    for port, what in stream:
        if isinstance(what, tuple):
            (model.version if port else model.row)(what)
        else:
            sent += model.watermark(what, port)
    return [show([row]) for row in sent]


def batches(stream: Sequence[Event], cuts: Sequence[int]) -> list[PortBatch]:
    """The stream in batches. The number of an event is its order."""
    found, starts = [], [0, *cuts]
    for start, end in zip(starts, [*cuts, len(stream)], strict=True):
        parts = []
        for port in (0, 1):
            mine = [(i, what) for i, (of, what) in enumerate(stream[start:end], start) if of == port]
            rows = [(i, what) for i, what in mine if isinstance(what, tuple)]
            marks = [(i, what) for i, what in mine if not isinstance(what, tuple)]
            values = [
                (kind, number, key, _value(str(time), timestamp(3))) for _, (kind, number, key, time) in rows
            ]
            table = to_table(values, TYPES)
            sequences = pa.array([i for i, _ in rows], pa.int64())
            table = table.set_column(table.schema.get_field_index(SEQUENCE), SEQUENCE, sequences)
            times, at = ([w for _, w in marks], [i for i, _ in marks])
            parts.append(
                WatermarkedBatch(table, np.array(times, np.int64), np.array(at, np.int64)) if mine else None
            )
        found.append(PortBatch(tuple(parts)))
    return found


@pytest.mark.parametrize("pads", [False, True])
@settings(max_examples=examples(60), deadline=None)
@given(
    seed=st.integers(0, 1 << 30),
    size=st.integers(0, 120),
    lag=st.sampled_from((0, 3, 12)),
    keys=st.sampled_from(("a", "abc")),
    pieces=st.integers(1, 8),
)
def test_cut_anywhere_the_changes_are_those_of_flinks_operator(
    pads: bool, seed: int, size: int, lag: int, keys: str, pieces: int
) -> None:
    stream = events(seed, size, lag or 1, keys)
    cuts = sorted(random.Random(seed).choices(range(len(stream) + 1), k=pieces - 1))
    backend, now = memory_backend(), standing_clock(1)
    operator = TemporalJoin(spec(pads), backend, now)
    sent = []
    last: list[int | None] = [None, None]
    for batch in batches(stream, cuts):
        sent += all_rows(operator.ports(batch))
        for port, part in enumerate(batch.inputs):
            if part is not None and len(part.times):
                last[port] = int(part.times.max())
        operator.barrier()
        operator = TemporalJoin(spec(pads), backend, now)  # as a new micro-batch does
        repeated = [
            None if time is None else WatermarkedBatch(pa.table({}), np.array([time]), np.array([-1]))
            for time in last
        ]
        if any(part is not None for part in repeated):
            assert all_rows(operator.ports(PortBatch(tuple(repeated)))) == []
    assert [show([row]) for row in sent] == by_the_letter(stream, pads)
