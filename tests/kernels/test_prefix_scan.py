"""Running sums and what goes out, against loops."""

from __future__ import annotations

import itertools
from itertools import pairwise

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from firesteel.changelog import RowKind
from firesteel.kernels import types
from firesteel.kernels.prefix_scan import GREATEST, LEAST, SUM, accumulate, choose
from firesteel.runtime.aggregate.row_engine.row_loop import expand

WORD = 1 << 64
NUMBERS = st.integers(-(1 << 63), (1 << 63) - 1) | st.integers(-3, 3)


@settings(deadline=None)
@given(st.lists(st.tuples(NUMBERS, st.lists(NUMBERS, min_size=1, max_size=5)), max_size=5))
def test_sums_wrap(stretches):
    values = np.array([value for _, each in stretches for value in each], np.int64)
    starts = np.cumsum([0, *(len(each) for _, each in stretches)])[:-1]
    total = np.empty(len(values), np.int64)
    begins = np.array([begin for begin, _ in stretches], np.int64)
    accumulate(total, SUM, *types.given(values, starts, begins))
    sums = [one for begin, each in stretches for one in list(itertools.accumulate(each, initial=begin))[1:]]
    assert [int(one) % WORD for one in total] == [one % WORD for one in sums]


@settings(deadline=None)
@given(st.lists(st.integers(0, 3), max_size=20), st.booleans())
def test_what_goes_out(outcomes, update_before):
    """Outcomes are nothing, insert, update, delete."""
    update = [RowKind.UPDATE_BEFORE, RowKind.UPDATE_AFTER][not update_before :]
    kinds = [[], [RowKind.INSERT], update, [RowKind.DELETE]]
    found, origins = expand(np.array(outcomes, np.uint8), update_before)
    expected = [(kind, row) for row, outcome in enumerate(outcomes) for kind in kinds[outcome]]
    assert list(zip(found.tolist(), origins.tolist(), strict=True)) == expected
    assert all(a <= b for a, b in pairwise(origins.tolist()))


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(0, 4), st.booleans()), max_size=20), st.permutations(range(5)))
def test_results_now_and_before(rows, place):
    origins = np.array([row for row, _ in rows], np.int64)
    old = np.array([before for _, before in rows], np.bool_)
    found, before = np.empty(len(rows), np.int64), np.arange(5) + 10
    choose(found, *types.given(origins, old, np.array(place), before))
    assert found.tolist() == [place[row] + 10 * was for row, was in rows]


@settings(deadline=None)
@given(
    st.lists(st.lists(st.floats(-1e9, 1e9, width=32), min_size=2, max_size=5), max_size=5),
    st.sampled_from([np.float32, np.float64]),
    st.sampled_from([SUM, LEAST, GREATEST]),
)
def test_floats_one_by_one(stretches, kind, way):
    """The first of a stretch is what it begins with."""
    step = {SUM: lambda one, other: one + other, LEAST: min, GREATEST: max}[way]
    numbers = [[kind(value) for value in each] for each in stretches]
    values = np.array([value for each in numbers for value in each[1:]], kind)
    starts = np.cumsum([0, *(len(each) - 1 for each in numbers)])[:-1]
    result = np.empty_like(values)
    accumulate(result, way, *types.given(values, starts, np.array([each[0] for each in numbers], kind)))
    expected = [one for each in numbers for one in list(itertools.accumulate(each, step))[1:]]
    assert result.tolist() == [float(one) for one in expected]
