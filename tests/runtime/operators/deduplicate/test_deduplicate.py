"""Deduplicate: the changes of Flink's own tests, and any cutting into tables sends them."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firesteel.runtime.dataflow.chain import standing_clock
from firesteel.runtime.dataflow.operator import MAX_WATERMARK, WatermarkedBatch
from firesteel.runtime.operators.deduplicate.deduplicate import build
from firesteel.runtime.spec.over import OverTime
from firesteel.runtime.spec.rank import DeduplicateSpec
from firesteel.runtime.state.base import StateBackend
from firesteel.runtime.state.memory import memory_backend
from firesteel.types.sql import BIGINT, STRING, timestamp
from tests.runtime.changes import Row, to_rows, to_table
from tests.runtime.messages import Driver, all_rows
from tests.runtime.state_size import kept
from tests.scale import examples

TYPES = (STRING, BIGINT, timestamp(3))
"""key, value, time"""


def by_row_time(keep_last: bool, **others: Any) -> DeduplicateSpec:
    return DeduplicateSpec(TYPES, (0,), OverTime.ROWTIME, 2, keep_last, **others)


def by_arrival(keep_last: bool, **others: Any) -> DeduplicateSpec:
    return DeduplicateSpec(TYPES[:2], (0,), OverTime.PROCTIME, -1, keep_last, **others)


def driver(of: DeduplicateSpec, state: StateBackend | None = None) -> Driver:
    return Driver(build(of, state, standing_clock(1)), of.input_types)


SETTINGS = [(True, True), (True, False), (False, True), (False, False)]
"""emit_update_before, emit_insert"""


def sent(changes: str, update_before: bool, insert: bool) -> str:
    """What of all changes is sent with these settings."""
    found = [each for each in changes.split() if update_before or not each.startswith("-U")]
    kind = "+I" if update_before or insert else "+U"
    return " ".join(each.replace("+I", kind) for each in found)


# --- Flink's RowTimeDeduplicateFunctionTest ---------------------------------------------------------
@pytest.mark.parametrize("bundle", [0, 100])
@pytest.mark.parametrize(("update_before", "insert"), SETTINGS)
def test_the_last_row_by_row_time(update_before: bool, insert: bool, bundle: int) -> None:
    state, others = memory_backend(), {"emit_update_before": update_before, "emit_insert": insert}
    drive = driver(by_row_time(True, bundle=bundle, **others), state)
    found = drive.changes("+I key1 13 99, +I key1 12 100, +I key2 11 101") + drive.barrier()
    expected = "+I[key1,13,99] -U[key1,13,99] +U[key1,12,100] +I[key2,11,101]"
    assert found == sent(expected, update_before, insert)
    drive = driver(by_row_time(True, bundle=bundle, **others), state)
    found = drive.changes("+I key1 12 300, +I key2 11 301, +I key3 5 299") + drive.barrier()
    expected = "-U[key1,12,100] +U[key1,12,300] -U[key2,11,101] +U[key2,11,301] +I[key3,5,299]"
    assert found == sent(expected, update_before, insert)


@pytest.mark.parametrize("bundle", [0, 100])
@pytest.mark.parametrize(("update_before", "insert"), SETTINGS)
def test_the_first_row_by_row_time(update_before: bool, insert: bool, bundle: int) -> None:
    others = {"emit_update_before": update_before, "emit_insert": insert}
    drive = driver(by_row_time(False, bundle=bundle, **others))
    found = drive.changes("+I key1 13 99, +I key1 13 99, +I key1 12 100, +I key2 11 101") + drive.barrier()
    assert found == sent("+I[key1,13,99] +I[key2,11,101]", update_before, insert)
    found = drive.changes("+I key1 14 98, +I key3 5 299") + drive.barrier()
    assert found == sent("-U[key1,13,99] +U[key1,14,98] +I[key3,5,299]", update_before, insert)


def test_of_equal_row_times_the_later_row_is_the_last() -> None:
    last, first = driver(by_row_time(True)), driver(by_row_time(False))
    assert last.changes("+I a 1 5, +I a 2 5, +I a 3 4") == "+I[a,1,5] -U[a,1,5] +U[a,2,5]"
    assert first.changes("+I a 1 5, +I a 2 5, +I a 3 6") == "+I[a,1,5]"


def test_an_equal_row_is_sent_by_row_time() -> None:
    assert driver(by_row_time(True)).changes("+I a 1 5, +I a 1 5") == "+I[a,1,5] -U[a,1,5] +U[a,1,5]"


# --- Flink's RowTimeMiniBatchLatestChangeDeduplicateFunctionTest ---------------------------------------
@pytest.mark.parametrize(("update_before", "insert"), SETTINGS)
def test_a_compact_bundle_sends_one_change_of_a_key(update_before: bool, insert: bool) -> None:
    others = {"emit_update_before": update_before, "emit_insert": insert, "bundle": 4, "compact": True}
    drive = driver(by_row_time(True, **others))
    assert drive.changes("+I key1 13 99, +I key1 12 100, +I key2 11 101") == ""
    expected = "+I[key1,12,100] +I[key2,11,102]"
    assert drive.changes("+I key2 11 102") == sent(expected, update_before, insert)
    drive.changes("+I key1 9 100, +I key1 8 50, +I key2 7 102")
    expected = "-U[key1,12,100] +U[key1,9,100] -U[key2,11,102] +U[key2,7,102]"
    assert drive.watermark(102) == sent(expected, update_before, insert) + " W102"
    first = driver(by_row_time(False, **others))
    assert first.changes("+I a 1 7, +I a 2 5, +I a 3 6, +I a 4 5") == sent("+I[a,2,5]", update_before, insert)


# --- Flink's ProcTimeDeduplicateKeepFirstRowFunctionTest and ...KeepLastRowFunctionTest -------------------
ROWS = "+I book 1, +I book 2, +I book 3, +I pen 1, +I book 3"


def test_the_first_row_by_arrival() -> None:
    drive = driver(by_arrival(False))
    assert drive.changes(ROWS) == "+I[book,1] +I[pen,1]"
    assert drive.changes("+I book 4, +I null 5, +I null 6") == "+I[null,5]"


def test_the_first_row_by_arrival_in_bundles() -> None:
    drive = driver(by_arrival(False, bundle=3))
    assert drive.changes("+I book 1, +I pen 1") == ""
    assert drive.changes("+I book 2, +I book 3, +I tea 1") == "+I[book,1] +I[pen,1]"
    assert drive.watermark(5) == "+I[tea,1] W5"
    assert drive.changes("+I tea 2, +I ink 1") == ""
    assert drive.barrier() == "+I[ink,1]"


@pytest.mark.parametrize(("update_before", "insert"), SETTINGS)
def test_the_last_row_by_arrival(update_before: bool, insert: bool) -> None:
    drive = driver(by_arrival(True, emit_update_before=update_before, emit_insert=insert))
    found = drive.changes(ROWS)
    if update_before or insert:
        expected = "+I[book,1] -U[book,1] +U[book,2] -U[book,2] +U[book,3] +I[pen,1]"
        assert found == sent(expected, update_before, insert)
    else:  # Flink keeps no state, so it sends an equal row, too
        assert found == "+U[book,1] +U[book,2] +U[book,3] +U[pen,1] +U[book,3]"


def test_the_last_row_by_arrival_in_bundles() -> None:
    drive = driver(by_arrival(True, bundle=4))
    assert drive.changes("+I book 1, +I book 2, +I pen 1, +I book 3, +I pen 2") == "+I[pen,1] +I[book,3]"
    assert drive.changes("+I book 3") + drive.watermark(9) == "-U[pen,1] +U[pen,2] W9"
    drive = driver(by_arrival(True, bundle=4, emit_update_before=False, emit_insert=False))
    assert drive.changes("+I book 1, +I book 2, +I pen 1, +I book 3") == "+U[pen,1] +U[book,3]"


@pytest.mark.parametrize(
    "of", [by_arrival(False, ttl=10), by_row_time(True, ttl=10)], ids=["arrival", "row time"]
)
def test_a_key_expires(of: DeduplicateSpec) -> None:
    now = 0
    drive = Driver(build(of, None, lambda: now), of.input_types)
    rest = " 5" if of.time == 2 else ""
    assert drive.changes(f"+I a 1{rest}").startswith("+I")
    now = 9
    assert not drive.changes(f"+I a 2{rest}").startswith("+I")
    now = 30
    assert drive.changes(f"+I a 3{rest}").startswith("+I")


def test_an_equal_row_is_sent_where_rows_expire() -> None:
    """It keeps the operators behind from forgetting the key."""
    drive = driver(by_arrival(True, ttl=10))
    assert drive.changes("+I a 1, +I a 1") == "+I[a,1] -U[a,1] +U[a,1]"


# --- Flink's RowTimeDeduplicateKeepFirstRowFunctionTest -------------------------------------------------
def at_watermarks(**others: Any) -> DeduplicateSpec:
    return by_row_time(False, insert_only=True, **others)


def test_the_first_row_is_sent_when_a_watermark_passes_it() -> None:
    drive = driver(at_watermarks())
    assert drive.changes("+I a 1 5000, +I a 2 4000, +I a 4 20000, +I b 9 6000, +I b 8 6000") == ""
    assert drive.watermark(3999) == "W3999"
    assert drive.watermark(5000) == "+I[a,2,4000] W5000"
    assert drive.watermark(7000) == "+I[b,9,6000] W7000"
    assert drive.changes("+I a 3 8000, +I b 7 9000") == ""
    assert drive.watermark(30000) == "W30000"


def test_a_row_below_the_watermark_is_late() -> None:
    operator = build(at_watermarks(), None, standing_clock(1))
    drive = Driver(operator, TYPES)
    drive.watermark(100)
    assert drive.changes("+I a 1 99, +I b 1 100, +I c 1 101") == ""
    assert operator.late == 1
    assert drive.watermark(100) == "W100"
    assert drive.watermark(101) == "+I[b,1,100] +I[c,1,101] W101"


def test_a_waiting_row_is_kept_and_replaced() -> None:
    state = memory_backend()
    drive = driver(at_watermarks(), state)
    drive.changes("+I a 1 50, +I b 1 60")
    drive.barrier()
    drive = driver(at_watermarks(), state)
    drive.changes("+I a 2 40, +I b 2 70")
    drive.barrier()
    drive = driver(at_watermarks(), state)
    assert drive.watermark(MAX_WATERMARK) == "+I[a,2,40] +I[b,1,60] WMAX"
    assert drive.changes("+I a 9 99") == ""


def test_a_sent_key_starts_again_when_its_entry_expires() -> None:
    now = 0
    drive = Driver(build(at_watermarks(ttl=10), None, lambda: now), TYPES)
    drive.changes("+I a 1 5")
    assert drive.watermark(5) == "+I[a,1,5] W5"
    now = 9
    drive.changes("+I a 2 6")
    assert drive.watermark(6) == "W6"
    now = 20
    drive.changes("+I a 3 7")
    assert drive.watermark(7) == "+I[a,3,7] W7"


def test_a_key_that_is_sent_leaves_one_entry() -> None:
    state = memory_backend()
    drive = driver(at_watermarks(), state)
    drive.changes("+I a 1 5, +I a 2 4, +I b 3 9")
    drive.barrier()
    names = [f"deduplicate/{name}" for name in ("came", "first", "waiting")]
    assert kept(state) == {names[0]: 1, names[1]: 2, names[2]: 2}
    drive.watermark(20)
    drive.barrier()
    assert kept(state) == {names[0]: 1, "deduplicate/sent": 2, "deduplicate/time": 1}


# --- any cutting -----------------------------------------------------------------------------------
def by_one(of: DeduplicateSpec, rows: list[Row]) -> list[Row]:
    """What Flink sends row by row."""
    kept: dict[Any, Row] = {}
    found: list[Row] = []
    for _, *values in rows:
        before = kept.get(values[0])
        if of.order is OverTime.PROCTIME:
            takes = before is None or (of.keep_last and list(before) != values)
        elif of.keep_last:
            takes = before is None or before[2] <= values[2]
        else:
            takes = before is None or values[2] < before[2]
        if not takes:
            continue
        if before is not None and of.emit_update_before:
            found.append(("-U", *before))
        found.append(("+I" if before is None else "+U", *values))
        kept[values[0]] = tuple(values)
    return found


@settings(max_examples=examples(400), deadline=None)
@given(
    st.sampled_from([by_arrival, by_row_time]),
    st.booleans(),
    st.booleans(),
    st.booleans(),
    st.integers(0, 1 << 30),
)  # fmt: skip
def test_any_cutting_sends_the_same_changes(
    made: Any, keep_last: bool, update_before: bool, bundles: bool, seed: int
) -> None:
    chance = random.Random(seed)
    of = made(keep_last, emit_update_before=update_before, bundle=3 if bundles else 0)
    rows: list[Row] = []
    for _ in range(chance.randrange(20)):
        time = np.datetime64(chance.randrange(8), "ms").item()
        row = ("+I", chance.choice(["a", "b", None]), chance.randrange(3), time)
        rows.append(row[: len(of.input_types) + 1])
    state, found, at = memory_backend(), list[Row](), 0
    operator = build(of, state, standing_clock(1))
    while at < len(rows):
        some = rows[at : at + chance.randrange(1, 6)]
        found += all_rows(operator.changes(to_table(some, of.input_types, at)))
        at += len(some)
        if chance.random() < 0.3:
            found += all_rows(operator.barrier())
            operator = build(of, state, standing_clock(1))
    found += all_rows(operator.barrier())
    expected = by_one(of, rows)
    if bundles and of.order is OverTime.PROCTIME and keep_last:  # only the last row of a bundle counts
        assert last_of(found) == last_of(expected)
    else:
        assert found == expected


def last_of(sent_rows: list[Row]) -> dict[Any, Any]:
    """The content of each key in the end."""
    return {key: values for kind, key, *values in sent_rows if kind != "-U"}


@settings(max_examples=examples(600), deadline=None)
@given(st.integers(0, 1 << 30))
def test_any_cutting_sends_the_same_rows_at_the_same_watermarks(seed: int) -> None:
    chance = random.Random(seed)
    events: list[tuple[Any, ...]] = []
    time = 0
    for number in range(chance.randrange(25)):
        if chance.random() < 0.4 and events and events[-1][0] != "W":
            time += chance.randrange(3)
            events.append(("W", time))
        else:
            events.append((chance.choice("abc"), number, max(0, time + chance.randrange(-2, 5))))
    expected = at_marks(events)
    state, found, at, order = memory_backend(), list[tuple[Any, ...]](), 0, 0
    operator = build(at_watermarks(), state, standing_clock(1))
    standing = None
    while at < len(events):
        some = events[at : at + chance.randrange(1, 7)]
        at += len(some)
        message, order = watermarked(some, standing, order)
        standing = max((e[1] for e in some if e[0] == "W"), default=standing)
        for piece in operator.watermarked(message):
            for row_or_mark in piece.pieces():
                if hasattr(row_or_mark, "num_rows"):
                    found += [tuple(row[1:3]) for row in to_rows(row_or_mark)]
                else:
                    found.append(("W", row_or_mark.time))
        list(operator.barrier())
        if chance.random() < 0.3:
            operator = build(at_watermarks(), state, standing_clock(1))
    assert without_repeats(found) == without_repeats(expected)


def watermarked(
    events: list[tuple[Any, ...]], standing: int | None, order: int
) -> tuple[WatermarkedBatch, int]:
    """Events as one message, which begins with the watermark that stands."""
    rows: list[Row] = []
    times, sequences = ([standing], [order - 1]) if standing is not None else ([], [])
    for event in events:
        if event[0] == "W":
            times.append(event[1])
            sequences.append(order + len(rows) - 1)
        else:
            rows.append(("+I", *event[:2], np.datetime64(event[2], "ms").item()))
    message = WatermarkedBatch(
        to_table(rows, TYPES, order), np.array(times, np.int64), np.array(sequences, np.int64)
    )
    return message, order + len(rows)


def at_marks(events: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """What Flink sends event by event, rows of one watermark by time and arrival."""
    waiting: dict[str, tuple[int, int]] = {}
    done: set[str] = set()
    found: list[tuple[Any, ...]] = []
    now = -(1 << 63)
    for name, *values in events:
        if name == "W":
            if values[0] > now:
                now = values[0]
                due = sorted((time, n, key) for key, (time, n) in waiting.items() if time <= now)
                for _, number, key in due:
                    found.append((key, number))
                    done.add(key)
                    del waiting[key]
            found.append(("W", now))
        elif values[1] >= now and name not in done and (name not in waiting or values[1] < waiting[name][0]):
            waiting[name] = (values[1], values[0])
    return found


def without_repeats(found: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Rows with the watermark that sent them. A watermark that repeats says nothing."""
    kept: list[tuple[Any, ...]] = []
    for each in found:
        if each[0] != "W" or each not in kept:
            kept.append(each)
    return kept
