"""Sums and entries of groups, against loops."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from firesteel.kernels import types
from firesteel.kernels.groups import add_groups, deal, list_entries

NUMBERS = st.integers(-9, 9) | st.just((1 << 63) - 1)


@settings(deadline=None)
@given(st.lists(st.lists(NUMBERS, min_size=1, max_size=5), max_size=6), st.randoms())
def test_sums(groups, chance):
    values = [value for each in groups for value in each]
    order = list(range(len(values)))
    chance.shuffle(order)
    column = np.empty(len(values), np.int64)
    column[order] = values
    starts = np.cumsum([0, *map(len, groups)])[:-1]
    sums = np.empty(len(groups), np.int64)
    add_groups(sums, *types.given(np.array(order, np.int64), starts, column))
    assert [int(one) % (1 << 64) for one in sums] == [sum(each) % (1 << 64) for each in groups]


@settings(deadline=None)
@given(st.lists(st.lists(st.booleans(), max_size=5), max_size=6), st.randoms())
def test_entries(groups, chance):
    order = list(range(len(groups)))
    chance.shuffle(order)
    bounds = np.cumsum([0, *map(len, groups)])
    there = np.array([one for each in groups for one in each], np.bool_)
    entries, ends = np.empty(len(there), np.int64), np.empty(len(groups) + 1, np.int32)
    count = list_entries(entries, ends, *types.given(there, bounds, np.array(order, np.int64)))
    expected = [[int(bounds[g]) + i for i, one in enumerate(groups[g]) if one] for g in order]
    assert entries[:count].tolist() == [one for each in expected for one in each]
    assert ends.tolist() == np.cumsum([0, *map(len, expected)]).tolist()


@settings(deadline=None)
@given(st.lists(st.integers(0, 4), max_size=20))
def test_dealt(groups):
    order, ends = np.empty(len(groups), np.int64), np.empty(5, np.int64)
    deal(order, ends, *types.given(np.array(groups, np.int32)))
    assert order.tolist() == sorted(range(len(groups)), key=groups.__getitem__)
    assert ends.tolist() == [sum(one <= group for one in groups) for group in range(5)]
