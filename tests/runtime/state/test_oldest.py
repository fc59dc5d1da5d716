"""The oldest time of a state that is sorted by time, while rows come, are dropped and are committed."""

from __future__ import annotations

import random

import numpy as np
import pyarrow as pa
import pytest

from firesteel.runtime.columns.keys import find_keys
from firesteel.runtime.state.backend import SortedRunBackend
from firesteel.runtime.state.contents import Contents
from firesteel.runtime.state.memory import MemoryStore
from firesteel.runtime.state.size import StateSize

LENGTH = 1_000
FIRST = 1_767_225_600_000
"""2026-01-01 in milliseconds, a multiple of LENGTH."""


def oldest_by_reader(store: MemoryStore, state: str) -> int | None:
    found = Contents.read(store.manifest() or b"", lambda run: store.runs[run])
    return found.size(state).oldest


@pytest.mark.parametrize("first", [FIRST, -FIRST, 0], ids=["after 1970", "before 1970", "around 1970"])
def test_it_is_the_least_time_of_all_rows_that_are_kept(first: int) -> None:
    chance, store = random.Random(5), MemoryStore()
    kept: set[int] = set()
    for batch in range(40):
        backend = SortedRunBackend.open(store)
        timed = backend.times("timed", [pa.int64()])
        sliced = backend.sliced("sliced", [pa.int64()], LENGTH)
        times = [first + batch * 700 + chance.randrange(-3_000, 3_000) for _ in range(chance.randrange(4))]
        keys = find_keys([pa.array(times, pa.int64())], len(times))
        at = np.array(keys.columns[0].to_pylist(), np.int64)
        owners = np.arange(len(keys))
        timed.put(keys, owners, at)
        sliced.put(keys, owners, at, np.arange(len(keys)), [pa.array(at)])
        kept |= set(times)
        if batch % 3 == 2:
            until = first + batch * 700 - 2_000
            timed.drop_until(until)
            sliced.drop_before(until)
            kept = {time for time in kept if time > until}
        backend.commit()
        sizes = backend.sizes()
        assert sizes["timed"].oldest == min(kept, default=None)
        slices = sizes["sliced"].oldest
        assert slices is None if not kept and sizes["sliced"].entries == 0 else slices is not None
        if slices is not None:
            assert slices % LENGTH == 0
            assert not kept or slices <= min(kept)
        assert oldest_by_reader(store, "timed") == sizes["timed"].oldest
        assert oldest_by_reader(store, "sliced") == slices


def test_a_slice_that_has_begun_says_when() -> None:
    backend = SortedRunBackend(MemoryStore())
    state = backend.sliced("s", [], LENGTH)
    keys = find_keys([pa.array(["a", "b"])], 2)
    state.put(keys, np.array([0, 1]), np.array([FIRST + 2_700, FIRST + 1_999]), np.array([1, 2]), [])
    backend.commit()
    assert backend.sizes()["s"].oldest == FIRST + 1_000
    state.drop_before(FIRST + 2_000)
    assert backend.sizes()["s"].oldest == FIRST + 2_000


def test_other_states_have_none() -> None:
    backend = SortedRunBackend(MemoryStore())
    keys = find_keys([pa.array(["a"])], 1)
    backend.value("v", [pa.string()], [pa.int64()]).put(keys, np.array([0]), [pa.array([1])], 0)
    backend.map("m", pa.int64(), []).put(keys, np.array([0]), pa.array([1]), [], 0)
    backend.times("t", [pa.string()])
    backend.commit()
    assert {size.oldest for size in backend.sizes().values()} == {None}


def test_sizes_add_up() -> None:
    sizes = [StateSize(1, 10), StateSize(2, 20, 7), StateSize(3, 30, -4)]
    assert StateSize(0, 0).plus(sizes[0]) == sizes[0]
    assert sizes[0].plus(sizes[1]).plus(sizes[2]) == StateSize(6, 60, -4)


def test_no_run_of_a_sliced_state_is_read_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Old slices of a join may be large, and are dropped unread."""
    store = MemoryStore()
    backend = SortedRunBackend.open(store)
    state = backend.sliced("s", [], LENGTH)
    state.put(find_keys([pa.array(["a"])], 1), np.array([0]), np.array([FIRST]), np.array([1]), [])
    backend.commit()
    again = SortedRunBackend.open(store)
    again.sliced("s", [], LENGTH)
    monkeypatch.setattr(store, "get", lambda name: pytest.fail(f"{name} is read"))
    assert again.sizes()["s"].oldest == FIRST
