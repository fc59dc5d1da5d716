"""Counts of pairs, and the greatest value that is there, against dictionaries."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from firesteel.kernels import types
from firesteel.kernels.compiler import compiled
from firesteel.kernels.extremes import count_pairs, count_values, greatest, merge_counts
from firesteel.kernels.places import below, no_places, put, remove

NONE = -(1 << 63)
ROWS = st.lists(
    st.tuples(st.integers(0, 2), st.integers(0, 5), st.sampled_from([1, 1, -1, 0])), min_size=1, max_size=30
)
STORED = st.dictionaries(st.tuples(st.integers(0, 2), st.integers(0, 5)), st.integers(0, 2))


@settings(deadline=None)
@given(ROWS, STORED, st.lists(st.integers(-3, 8), min_size=3, max_size=3))
def test_counts_and_extremes(rows, stored, known):
    """Rows are (key, value, move), sorted by key here; stored: counts of pairs. known: of each key."""
    rows = sorted(rows, key=lambda row: row[0])
    keys, pairs = sorted({row[0] for row in rows}), sorted({row[:2] for row in rows})
    starts = np.array([next(i for i, row in enumerate(rows) if row[0] == key) for key in keys])
    moves = np.array([move for _, _, move in rows])
    of_rows = np.array([pairs.index(row[:2]) for row in rows])
    order = np.argsort(of_rows, kind="stable")
    pair_starts = np.searchsorted(of_rows[order], np.arange(len(pairs)))
    before = np.array([stored.get(pair, 0) for pair in pairs])
    values = np.array([value for _, value in pairs])
    extremes = np.array([known[key] for key in keys])
    held = np.array([sum(stored.get((key, value), 0) > 0 for value in range(6)) for key in keys])
    owners = np.array([keys.index(key) for key, _ in pairs])

    after, last, least = (np.empty(size, np.int64) for size in (len(rows), len(pairs), len(pairs)))
    count_pairs(after, last, least, *types.given(order, pair_starts, moves, before))
    sizes, loses = np.empty(len(rows), np.int64), np.zeros(len(keys), np.bool_)
    read = types.given(starts, moves, after, of_rows, values, extremes, held)
    count_values(sizes, loses, *read)
    best = np.empty(len(rows), np.int64)
    read = types.given(starts, moves, after, of_rows, owners, values, before, extremes)
    greatest(best, *no_places(len(pairs)), *read)

    counts, lowest, may_lose = dict(zip(pairs, before.tolist(), strict=True)), {}, set()
    there = {pair for pair, count in counts.items() if count > 0}
    size = dict(zip(keys, held.tolist(), strict=True))
    lowest = dict(counts)
    for row, (key, value, move) in enumerate(rows):
        pair = key, value
        counts[pair] += move
        lowest[pair] = min(lowest[pair], counts[pair])
        assert after[row] == counts[pair]
        if move > 0 and counts[pair] == 1:
            size[key] += 1
            there.add(pair)
        elif move < 0 and counts[pair] == 0:
            size[key] -= 1
            there.discard(pair)
            if value >= known[key] or not held[keys.index(key)]:
                may_lose.add(key)
        if size[key] == 0:
            may_lose.add(key)
        assert sizes[row] == size[key]
        assert best[row] == max([known[key], *(v for k, v in there if k == key)])
    assert last.tolist() == list(counts.values())
    assert least.tolist() == list(lowest.values())
    assert [key for key, lost in zip(keys, loses, strict=True) if lost] == sorted(may_lose)


@settings(deadline=None)
@given(
    st.lists(st.tuples(*[st.integers(0, 3)] * 2, *[st.integers(-1, 2)] * 2), max_size=12),
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 5)), min_size=4, max_size=4),
)
def test_bundles(pairs, keys):
    """pairs: owner, value, count before and after. keys: known extreme and size."""
    pairs = sorted(pairs, key=lambda pair: pair[0])
    owners, values, before, after = np.array(pairs, np.int64).reshape(-1, 4).T
    known, sizes = np.array(keys).T.copy()
    best, loses, odd = np.empty(4, np.int64), np.zeros(4, np.bool_), np.zeros(4, np.bool_)
    merge_counts(sizes, best, loses, odd, *types.given(owners, values, before, after, known))
    for key, (extreme, size) in enumerate(keys):
        mine = [pair[1:] for pair in pairs if pair[0] == key]
        there = [value for value, _, count in mine if count > 0]
        assert sizes[key] == size + len(there) - sum(count > 0 for _, count, _ in mine)
        assert (values[best[key]] if best[key] >= 0 else None) == max(there, default=None)
        assert loses[key] == any(v >= extreme and was > 0 and now <= 0 for v, was, now in mine)
        assert odd[key] == any(was < 0 or now < 0 for _, was, now in mine)


@compiled
def work_off(found, words, begins, steps) -> None:
    """Steps are (what, place): 0 put, 1 remove, 2 look below."""
    for step in range(len(steps)):
        what, place = steps[step, 0], steps[step, 1]
        if what == 0:
            put(words, begins, place)
        elif what == 1:
            remove(words, begins, place)
        else:
            found[step] = below(words, begins, place)


@settings(deadline=None)
@given(
    st.sampled_from([1, 64, 65, 5000, 300_000]).flatmap(
        lambda size: st.tuples(
            st.just(size),
            st.lists(st.tuples(st.integers(0, 2), st.integers(0, size - 1)), min_size=1, max_size=60),
        )
    )
)
def test_places(drawn):
    size, steps = drawn
    found, there = np.full(len(steps), -2), set()
    work_off(found, *no_places(size), np.array(steps))
    for (what, place), answer in zip(steps, found.tolist(), strict=True):
        if what == 2:
            assert answer == max((one for one in there if one < place), default=-1)
        (there.add if what == 0 else there.discard)(place) if what < 2 else None
