"""Searches in sorted words, against going through them one by one."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from firesteel.kernels import types
from firesteel.kernels.search import find_between, find_entries, find_stretches

WORDS = st.integers(0, 5)


@settings(deadline=None)
@given(
    st.sets(st.tuples(WORDS, WORDS, WORDS, WORDS), max_size=40),
    st.lists(st.tuples(WORDS, WORDS, WORDS, WORDS), max_size=40),
    st.booleans(),
    st.booleans(),
)
def test_entries(entries, wanted, by_two, ascending):
    there = sorted(entries, key=lambda entry: entry[: 1 + by_two])
    wanted = sorted(wanted) if ascending else wanted
    columns = [np.array(each, np.uint64).reshape(-1, 4).T for each in (there, wanted)]
    found = np.empty(len(wanted), np.int64)
    find_entries(found, by_two, *types.given(*columns[0], *columns[1]))
    assert found.tolist() == [there.index(one) if one in entries else -1 for one in wanted]


@settings(deadline=None)
@given(st.lists(WORDS, max_size=40), st.lists(WORDS, max_size=20), st.booleans())
def test_stretches(words, wanted, ascending):
    words, wanted = sorted(words), sorted(wanted) if ascending else wanted
    start, stop = np.empty(len(wanted), np.int64), np.empty(len(wanted), np.int64)
    find_stretches(start, stop, *types.given(np.array(words, np.uint64), np.array(wanted, np.uint64)))
    assert start.tolist() == [sum(word < one for word in words) for one in wanted]
    assert stop.tolist() == [sum(word <= one for word in words) for one in wanted]


@settings(deadline=None)
@given(
    st.lists(WORDS, max_size=40).flatmap(
        lambda words: st.tuples(
            st.just(words), st.lists(st.tuples(WORDS, *[st.integers(0, len(words))] * 2), max_size=9)
        )
    ),
    st.booleans(),
)
def test_between(drawn, behind):
    words, wanted = drawn
    words = sorted(words)
    one, low, high = np.array(wanted, np.int64).reshape(-1, 3).T
    found = np.empty(len(wanted), np.int64)
    read = np.array(words, np.uint64), one.astype(np.uint64), low, high
    find_between(found, behind, *types.given(*read))
    for place, (word, start, end) in zip(found.tolist(), wanted, strict=True):
        before = [w for w in words[start:end] if (w <= word if behind else w < word)]
        assert place == start + len(before)
