"""Bundles in columns answer as the row handler does, to the bit, over any input, however it is cut, and
over state that either left: with NULLs, retractions of rows that never came, all kinds of values."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from firesteel.runtime.spec.operators import AggregateSpec, GroupAggregateSpec
from firesteel.runtime.state.backend import SortedRunBackend
from firesteel.runtime.state.memory import MemoryStore
from firesteel.types.sql import SqlType, decimal
from tests.runtime.aggregate.reduce.phases import by_key, one_phase, run, split, two_phase
from tests.runtime.aggregate.scan.test_equal_to_rows import ALL_VALUES, calls_over, inputs, spec_of
from tests.runtime.changes import Row
from tests.scale import FULL, examples, part

PHASES = {"one": one_phase, "two": two_phase, "split": split}
COMBINATIONS = [
    pytest.param(kind, insert_only, phase, id=f"{kind}-{'appends' if insert_only else 'changes'}-{phase}")
    for (i, kind), (j, phase) in itertools.product(enumerate(part(list(ALL_VALUES), 4)), enumerate(PHASES))
    for insert_only in ([False, True] if FULL else [(i + j) % 2 == 0])
]
"""Every kind in every phase, over changes and over appends: in turn, and at full size both."""


def shown(rows: Sequence[Row], keys: int) -> dict[object, str]:
    """Everything to the bit: -0.0 is not 0.0, NaN is NaN."""
    return {key: repr(changes) for key, changes in by_key(rows, keys).items()}


@pytest.mark.parametrize(("kind", "insert_only", "phase"), COMBINATIONS)
@settings(max_examples=examples(15), deadline=None, phases=[Phase.reuse, Phase.generate])
@given(data=st.data())
def test_as_the_row_handler(kind: SqlType, insert_only: bool, phase: str, data: st.DataObject) -> None:
    every = calls_over(kind, not insert_only)
    if phase == "split":  # MIN and MAX over orphans depend on the order in which buckets are merged
        left_out = ("AVG", "$SUM0") if insert_only else ("AVG", "$SUM0", "MIN", "MAX")
        every = [call for call in every if call.function not in left_out]
    calls = tuple(data.draw(st.lists(st.sampled_from(every), min_size=0, max_size=5)))
    keys: tuple[int, ...] = data.draw(st.sampled_from([(0,), (0, 3) if phase == "split" else (0, 2), ()]))
    spec: GroupAggregateSpec = spec_of(kind, calls, not insert_only, data.draw(st.booleans()), keys)
    batches: list[Any] = data.draw(inputs(kind, insert_only))
    size = data.draw(st.sampled_from([1, 3, 100]))
    make = PHASES[phase]
    expected = shown(run(make(spec, size, columnar=False), batches, spec), len(keys))
    assert shown(run(make(spec, size), batches, spec), len(keys)) == expected
    store, restarted, whole = MemoryStore(), [], []
    for i, batch in enumerate(batches):  # a micro-batch each, by another path each
        backend = SortedRunBackend.open(store)
        restarted += run(make(spec, size, backend, i % 3 != 1), [batch], spec)
        backend.commit()
    rows = MemoryStore()
    for batch in batches:
        backend = SortedRunBackend.open(rows)
        whole += run(make(spec, size, backend, False), [batch], spec)
        backend.commit()
    assert shown(restarted, len(keys)) == shown(whole, len(keys))


@pytest.mark.parametrize("phase", ["one", "two"])
def test_a_sum_that_overflowed_stays_null(phase: str) -> None:
    kind = decimal(38, 0)
    average = AggregateSpec("AVG", (1,), (kind,), decimal(38, 6))
    spec = spec_of(kind, (average, AggregateSpec("$SUM0", (1,), (kind,), kind)), False, True, ())
    half, one = Decimal(5 * 10**37), Decimal(1)
    batches = [[("+I", "a", value, 1, True) for value in batch] for batch in ([half, half], [one, one])]
    for columnar in (False, True):
        rows = run(PHASES[phase](spec, 2, columnar=columnar), batches, spec)
        assert rows[-1][1:] == (None, None)
