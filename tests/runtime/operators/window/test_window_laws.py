"""However the input is cut, windows say the same, and what one loop over its rows says."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from firesteel.runtime.dataflow.operator import MAX_WATERMARK, Message, Operator, WatermarkedBatch
from firesteel.runtime.operators.window.local_window_aggregate import LocalWindowAggregate
from firesteel.runtime.operators.window.window_aggregate import WindowAggregate
from firesteel.runtime.spec.operators import AggregateSpec
from firesteel.runtime.spec.window import WindowAggregateSpec, WindowsSpec
from firesteel.runtime.state.backend import SortedRunBackend
from firesteel.runtime.state.memory import MemoryStore
from firesteel.types.sql import INT
from tests.runtime.operators.window.windows import (
    COUNT,
    COUNT_DISTINCT,
    LISTAGG,
    MAX,
    SUM,
    InTwoPhases,
    Row,
    cumulate,
    hop,
    local_phase,
    marked_of,
    one_phase,
    results,
    tumble,
)
from tests.scale import examples

STEPS, COUNTS, OFFSETS = st.integers(1, 4), st.integers(1, 4), st.integers(0, 3)
WINDOWS = st.one_of(
    st.builds(lambda size, offset: tumble(size, offset % size), st.integers(1, 8), OFFSETS),
    st.builds(lambda step, n, offset: hop(step * n, step, offset % step), STEPS, COUNTS, OFFSETS),
    st.builds(lambda step, n, offset: cumulate(step * n, step, offset % step), STEPS, COUNTS, OFFSETS),
)
EVENTS = st.lists(
    st.one_of(
        st.tuples(st.sampled_from("abc"), st.one_of(st.none(), st.integers(-3, 3)), st.integers(-5, 30)),
        st.integers(-5, 30),
    ),
    max_size=40,
)
"""Rows, (key, value, time), and watermarks."""
FIRST = AggregateSpec("FIRST_VALUE", (1,), (INT,), INT)
LAST = AggregateSpec("LAST_VALUE", (1,), (INT,), INT)
CALLS = (COUNT, SUM, MAX, COUNT_DISTINCT)

Events = Sequence["tuple[str, int | None, int] | int"]
Result = tuple[object, ...]


def reference(events: Events, windows: WindowsSpec) -> dict[object, list[Result]]:
    """One loop, and every row in all of its windows: by key what comes out."""
    kept: dict[tuple[str, int, int], list[int | None]] = defaultdict(list)
    out: dict[object, list[Result]] = defaultdict(list)
    watermark = -(1 << 62)
    for event in (*events, MAX_WATERMARK):
        if not isinstance(event, int):
            key, value, time = event
            for start, end in _windows(time, windows):
                if end - 1 > watermark:
                    kept[key, start, end].append(value)
            continue
        watermark = max(watermark, event)
        for key, start, end in sorted(
            (each for each in kept if each[2] - 1 <= watermark), key=lambda w: w[2]
        ):
            values = kept.pop((key, start, end))
            there = [value for value in values if value is not None]
            out[key].append(
                (key, len(values), sum(there) if there else None, max(there, default=None),
                 len(set(there)), start, end)
            )  # fmt: skip
    return out


def _windows(time: int, windows: WindowsSpec) -> list[tuple[int, int]]:
    size, step, offset = windows.size, windows.step, windows.offset
    if windows.function == "CUMULATE":
        start = time - (time - offset) % size
        return [(start, start + n) for n in range(step, size + 1, step) if time < start + n]
    last = time - (time - offset) % step
    return [(start, start + size) for start in range(last, time - size, -step)]


def run(
    operator: Operator, events: Events, cuts: Sequence[int], order: int = 0, ends: bool = True
) -> list[Result]:
    """The events in tables that end at the cuts, the last watermark behind them. order: of the first."""
    found: list[Result] = []
    bounds = [0, *sorted(cut % (len(events) + 1) for cut in cuts), len(events)]
    pieces = [list(events[a:b]) for a, b in pairwise(bounds)]
    pieces[-1] += [MAX_WATERMARK] if ends else []
    for piece in pieces:
        rows: list[Row] = []
        marks = []
        for event in piece:
            if isinstance(event, int):
                marks.append((len(rows), event))
            else:
                rows.append(("+I", *event))
        messages: list[Message] = list(operator.watermarked(marked_of(rows, marks, order)))
        messages += operator.barrier()
        order += len(rows)
        found += [row for message in messages for row in results(message)]
    return found


def by_key(rows: Sequence[Result]) -> dict[object, list[Result]]:
    found: dict[object, list[Result]] = defaultdict(list)
    for row in rows:
        found[row[0]].append(row)
    return found


@settings(max_examples=examples(600), deadline=None)
@given(
    EVENTS, WINDOWS, st.lists(st.integers(0, 40), max_size=4), st.booleans(), st.booleans(), st.integers(3, 4)
)
def test_windows_say_what_one_loop_says(
    events: Events, windows: WindowsSpec, cuts: list[int], two_phases: bool, columnar: bool, calls: int
) -> None:
    """With DISTINCT and without it: slices that are plain columns are merged for many windows at once."""
    spec = one_phase(windows, CALLS[:calls])
    operator: Operator
    if two_phases:
        operator = InTwoPhases(spec, None, columnar)
    else:
        operator = WindowAggregate(spec, None, lambda: 0, columnar)
    expected = {
        key: [(*row[: 1 + calls], *row[-2:]) for row in rows]
        for key, rows in reference(events, windows).items()
    }
    assert by_key(run(operator, events, cuts)) == expected


@settings(max_examples=examples(800), deadline=None)
@given(EVENTS, WINDOWS, st.lists(st.integers(0, 40), max_size=4))
@example([23, ("a", None, 20), ("a", None, 16)], cumulate(16, 4, 0), [])
def test_the_order_of_rows_in_a_window_does_not_depend_on_cuts(
    events: Events, windows: WindowsSpec, cuts: list[int]
) -> None:
    numbered = [e if isinstance(e, int) else (f"{i}", e[1], e[2]) for i, e in enumerate(events)]
    spec = without_keys(one_phase(windows, (LISTAGG,)))
    whole = run(WindowAggregate(spec, None, lambda: 0), numbered, ())
    assert run(WindowAggregate(spec, None, lambda: 0), numbered, cuts) == whole
    assert run(InTwoPhases(spec), numbered, cuts) == whole


@settings(max_examples=examples(160), deadline=None)
@given(EVENTS, st.lists(st.integers(0, 40), max_size=4))
def test_what_only_the_row_handler_can_say_goes_on_from_the_state(events: Events, cuts: list[int]) -> None:
    """FIRST_VALUE and LAST_VALUE, behind every cut in another process."""
    spec = one_phase(tumble(8), (FIRST, LAST, COUNT))
    store = MemoryStore()
    bounds = [0, *sorted(cut % (len(events) + 1) for cut in cuts), len(events)]
    found: list[Result] = []
    for number, (start, stop) in enumerate(pairwise(bounds)):
        state = SortedRunBackend.open(store)
        operator = WindowAggregate(spec, state, lambda: 0)
        found += run(operator, events[start:stop], (), start, number == len(bounds) - 2)
        state.commit()
    whole = run(WindowAggregate(spec, None, lambda: 0), events, ())
    assert by_key(found) == by_key(whole)


def without_keys(spec: WindowAggregateSpec) -> WindowAggregateSpec:
    return replace(spec, aggregate=replace(spec.aggregate, keys=()))


@pytest.mark.parametrize("windows", [tumble(10), hop(10, 2), cumulate(10, 2)], ids=lambda w: w.function)
def test_state_of_windows_that_are_over_is_gone(windows: WindowsSpec) -> None:
    store = MemoryStore()
    calls: tuple[AggregateSpec, ...] = CALLS
    sizes = []
    for number in range(40):
        state = SortedRunBackend(store)
        operator = WindowAggregate(one_phase(windows, calls), state, lambda: 0)
        rows: list[Row] = [("+I", f"{i}", i, number * 10 + i % 10) for i in range(200)]
        operator.watermarked(marked_of(rows, [(len(rows), number * 10 + 5)], number * 200))
        list(operator.barrier())
        state.commit()
        sizes.append(sum(map(len, store.runs.values())))
    assert max(sizes) < 4 * np.median(sizes[:4])


@pytest.mark.parametrize(("keys", "shared"), [(100_000, False), (10, True)], ids=["distinct", "shared"])
def test_rows_that_hardly_share_a_key_go_on_as_they_are(keys: int, shared: bool) -> None:
    random = np.random.default_rng(7)
    names, values = random.integers(0, keys, 6000).tolist(), random.integers(-9, 9, 6000).tolist()
    rows: list[Row] = [("+I", f"{k}", v, i // 10) for i, (k, v) in enumerate(zip(names, values, strict=True))]
    input_ = marked_of(rows, [(3000, 280), (6000, MAX_WATERMARK)])
    spec = one_phase(hop(20, 10), (COUNT, SUM, MAX))
    (local,) = LocalWindowAggregate(local_phase(spec)).watermarked(input_)
    assert isinstance(local, WatermarkedBatch)
    assert (local.table.num_rows < 6000) == shared
    whole = [r for m in WindowAggregate(spec, None, lambda: 0).watermarked(input_) for r in results(m)]
    assert [r for m in InTwoPhases(spec).watermarked(input_) for r in results(m)] == whole
