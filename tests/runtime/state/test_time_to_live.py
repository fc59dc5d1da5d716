"""Time to live: an entry written at t is gone at t + ttl; reading does not refresh it."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from firesteel.errors import JobError
from firesteel.runtime.columns.keys import find_keys
from firesteel.runtime.state import levels
from firesteel.runtime.state.backend import SortedRunBackend
from firesteel.runtime.state.memory import MemoryStore, memory_backend

ALL = np.arange(3)


def keys_of(*names: str):
    return find_keys([pa.array(names)], len(names))


def found(state, keys, now: int) -> set[str]:
    answer = state.get(keys, now)
    return {keys.columns[0][i].as_py() for i in np.flatnonzero(answer.found)}


def test_values_expire_by_their_last_write():
    store = MemoryStore()
    backend = SortedRunBackend.open(store)
    state = backend.value("s", [pa.string()], [pa.int64()], ttl=2000)
    keys = keys_of("a", "b", "c")
    state.put(keys, ALL, [pa.array([1, 2, 3])], 1)
    one = keys_of("a")
    state.put(one, np.array([0]), [pa.array([4])], 1000)
    backend.commit()
    state = SortedRunBackend.open(store).value("s", [pa.string()], [pa.int64()], ttl=2000)
    assert found(state, keys, 2000) == {"a", "b", "c"}
    assert found(state, keys, 2001) == {"a"}
    assert found(state, keys, 2999) == {"a"}
    assert found(state, keys, 3000) == set()


def test_map_entries_expire_alone():
    state = memory_backend().map("m", pa.int64(), [pa.int64()], ttl=400)
    keys = keys_of("a")
    owner = np.zeros(1, np.int64)
    state.put(keys, owner, pa.array([9]), [pa.array([1])], 0)
    state.put(keys, owner, pa.array([1]), [pa.array([1])], 250)
    state.put(keys, owner, pa.array([1]), [pa.array([2])], 500)
    assert state.entries(keys, owner, 399).sub_keys.to_pylist() in ([9, 1], [1, 9])
    assert state.entries(keys, owner, 400).sub_keys.to_pylist() == [1]
    assert state.get(keys, np.zeros(2, np.int64), pa.array([9, 1]), 600).found.tolist() == [False, True]
    assert not len(state.entries(keys, owner, 900).owners)


def test_merges_drop_expired_entries(monkeypatch):
    monkeypatch.setattr(levels, "FAN_IN", 3)
    state = memory_backend().value("s", [pa.string()], [pa.int64()], ttl=10)
    for time in range(200):
        state.put(keys_of(f"key {time}"), np.array([0]), [pa.array([time])], time)
    assert sum(len(run) for _, run in state.levels.runs()) < 60
    assert found(state, keys_of(*(f"key {i}" for i in range(200))), 199) == {
        f"key {i}" for i in range(190, 200)
    }


def test_a_state_cannot_gain_or_lose_its_time_to_live():
    store = MemoryStore()
    backend = SortedRunBackend.open(store)
    backend.value("s", [pa.string()], [pa.int64()], ttl=10).put(
        keys_of("a"), np.array([0]), [pa.array([1])], 0
    )
    backend.commit()
    reopened = SortedRunBackend.open(store)
    reopened.value("s", [pa.string()], [pa.int64()], ttl=20)
    with pytest.raises(JobError, match=r"a value state of .* with a time to live, the query needs"):
        SortedRunBackend.open(store).value("s", [pa.string()], [pa.int64()])


def held_of(state) -> int:
    return sum(len(run) for _, run in state.levels.runs())


def write_keys(state, first: int, count: int, now: int) -> None:
    keys = find_keys([pa.array(np.arange(first, first + count))], count)
    state.put(keys, np.arange(count), [pa.array(np.arange(count))], now)


def test_a_large_level_that_has_expired_is_dropped_by_small_batches():
    """A batch merges a 64th of the state, so a hundred of them suffice."""
    state = memory_backend().value("s", [pa.int64()], [pa.int64()], ttl=1000)
    write_keys(state, 0, 300_000, 0)
    for batch in range(100):
        write_keys(state, 1_000_000 + batch, 1, 1000 + batch)
    assert held_of(state) < 1000
    keys = find_keys([pa.array([5, 1_000_050])], 2)
    assert sorted(state.get(keys, 1100).found.tolist()) == [False, True]
