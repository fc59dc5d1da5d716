"""The stable order of numbers."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firesteel.runtime.columns.sorting import stable_order, stable_order_by, stable_pair_order

LEAST, MOST = -(1 << 63), (1 << 63) - 1


@settings(deadline=None)  # a busy machine
@given(st.lists(st.integers(LEAST, MOST) | st.integers(-3, 3)))
def test_it_is_that_of_a_stable_sort(values: list[int]) -> None:
    given_values = np.array(values, np.int64)
    expected = sorted(range(len(values)), key=values.__getitem__)
    assert stable_order(given_values).tolist() == expected


@pytest.mark.parametrize("values", [[], [5], [MOST, LEAST], [MOST, MOST - 1], [LEAST + 1, LEAST], [0, 0, 0]])
def test_extremes(values: list[int]) -> None:
    assert stable_order(np.array(values, np.int64)).tolist() == np.argsort(values, kind="stable").tolist()


@given(
    st.lists(st.tuples(st.integers(-2, 2), st.integers(0, 1 << 40), st.integers(LEAST, MOST)), max_size=30)
)
def test_columns_are_sorted_as_tuples_are(rows: list[tuple[int, int, int]]) -> None:
    columns = np.array(rows, np.int64).reshape(-1, 3).T
    expected = sorted(range(len(rows)), key=rows.__getitem__)
    assert stable_order_by(*columns).tolist() == expected
    assert stable_pair_order(*columns[:2]).tolist() == stable_order_by(*columns[:2]).tolist()
