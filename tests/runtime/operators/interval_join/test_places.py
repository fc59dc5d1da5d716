"""Places order rows by key, then time, whether keys and times fit into one number or not."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firesteel.runtime.operators.interval_join import places
from firesteel.runtime.operators.interval_join.places import Places, distinct_pairs, sorted_distinct
from tests.scale import examples

TIMES = st.one_of(st.integers(-20, 20), st.sampled_from([-62_135_596_800_000, 253_402_300_799_999]))
PAIRS = st.lists(st.tuples(st.integers(0, 3), TIMES), max_size=12)
KEYS = 4


def columns(pairs: list[tuple[int, int]]) -> tuple[np.ndarray, np.ndarray]:
    return np.array([code for code, _ in pairs], np.int64), np.array([time for _, time in pairs], np.int64)


@pytest.mark.parametrize("widest", [1 << 62, 100, 0])
@settings(max_examples=examples(100), deadline=None)
@given(PAIRS, PAIRS)
def test_a_stretch_of_time_is_a_range(
    widest: int, pairs: list[tuple[int, int]], asked: list[tuple[int, int]]
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(places, "_WIDEST", widest)
        found = Places(KEYS, columns(pairs)[1])
        rows = np.sort(found.from_(*columns(pairs)))
        starts = np.searchsorted(rows, found.from_(*columns(asked)))
        stops = np.searchsorted(rows, found.behind(*columns(asked)))
    ordered = sorted(pairs)
    assert starts.tolist() == [sum(row < (code, time) for row in ordered) for code, time in asked]
    assert stops.tolist() == [sum(row <= (code, time) for row in ordered) for code, time in asked]


@pytest.mark.parametrize("widest", [1 << 62, 0])
@settings(max_examples=examples(50), deadline=None)
@given(PAIRS)
def test_distinct_pairs(widest: int, pairs: list[tuple[int, int]]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(places, "_WIDEST", widest)
        of, at = distinct_pairs(*columns(pairs), KEYS)
    assert list(zip(of.tolist(), at.tolist(), strict=True)) == sorted(set(pairs))


def test_sorted_distinct() -> None:
    assert sorted_distinct(np.array([3, 1, 3, -2])).tolist() == [-2, 1, 3]
    assert sorted_distinct(np.array([], np.int64)).tolist() == []
