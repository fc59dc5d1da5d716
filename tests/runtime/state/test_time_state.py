"""The time state against a dictionary, whatever the batches, the commits and the merges."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from firesteel.runtime.columns.keys import Keys, find_keys
from firesteel.runtime.state import levels
from firesteel.runtime.state.backend import SortedRunBackend
from firesteel.runtime.state.memory import MemoryStore, memory_backend
from tests.runtime.state.colliding import narrow
from tests.scale import examples

NAMES = [None, "", "a", "b", "key"]
LEAST, GREATEST = -(2**63), 2**63 - 1
TIMES = st.one_of(st.integers(-5, 20), st.sampled_from([LEAST, GREATEST]))
ENTRY = st.tuples(st.sampled_from(NAMES), TIMES, st.integers(0, 100), st.booleans())
BATCHES = st.lists(
    st.tuples(st.lists(ENTRY, max_size=12), st.booleans(), st.one_of(st.none(), TIMES)), max_size=14
)


@pytest.fixture(params=["wide hashes", "colliding hashes"])
def collisions(request, monkeypatch):
    if request.param == "colliding hashes":
        narrow(monkeypatch, 1)
    monkeypatch.setattr(levels, "FAN_IN", 3)
    monkeypatch.setattr(levels, "WORK_FLOOR", 3)
    monkeypatch.setattr(levels, "WORK_PER_ROW", 1)
    monkeypatch.setattr(levels, "PIECE_ROWS", 5)


def keys_of(names: list) -> Keys:
    return find_keys([pa.array(names, pa.string())], len(names))


def state_of(backend: SortedRunBackend):
    return backend.times("t", [pa.string()], [pa.int64()])


@pytest.mark.usefixtures("collisions")
@settings(max_examples=examples(60), deadline=None, suppress_health_check=list(HealthCheck))
@given(BATCHES)
def test_is_a_dictionary_by_time_and_key(batches):
    store, model = MemoryStore(), {}
    backend = SortedRunBackend.open(store)
    for entries, commit, until in batches:
        state = state_of(backend)
        rows = {(time, key): (number, dead) for key, time, number, dead in entries}
        keys = keys_of([key for _, key in rows])
        names = keys.columns[0].to_pylist()
        owners = np.array([names.index(key) for _, key in rows], np.int64)
        times = np.array([time for time, _ in rows], np.int64)
        assert state.get(keys, owners, times).columns[0].to_pylist() == [model.get(each) for each in rows]
        live = np.array([not dead for _, dead in rows.values()], np.bool_)
        state.put(keys, owners, times, [pa.array([n for n, _ in rows.values()], pa.int64())], live)
        for each, (number, dead) in rows.items():
            model.pop(each, None) if dead else model.__setitem__(each, number)
        assert state.next_time() == min((time for time, _ in model), default=None)
        if until is not None:
            due = state.take_until(until)
            assert (np.diff(due.times.astype(object)) >= 0).all()
            taken = zip(due.times.tolist(), due.keys[0].to_pylist(), due.columns[0].to_pylist(), strict=True)
            gone = {each: model.pop(each) for each in list(model) if each[0] <= until}
            assert {(time, key): number for time, key, number in taken} == gone
            assert len(due.times) == len(gone)
            assert state.next_time() == min((time for time, _ in model), default=None)
        if commit:
            backend.commit()
            backend = SortedRunBackend.open(store)
    due = state_of(backend).take_until(GREATEST)
    assert {*zip(due.times.tolist(), due.keys[0].to_pylist(), strict=True)} == set(model)
    assert not len(state_of(backend).take_until(GREATEST).times)


def test_a_timer_is_one_however_often_it_is_added():
    state = memory_backend().times("t", [pa.string()])
    keys = keys_of(["a", "b"])
    for _ in range(3):
        state.put(keys, np.array([0, 1]), np.array([5, 5]))
    assert state.get(keys, np.array([1, 0]), np.array([5, 6])).found.tolist() == [True, False]
    due = state.take_until(5)
    assert due.times.tolist() == [5, 5]
    assert sorted(due.keys[0].to_pylist()) == ["a", "b"]


def test_what_is_taken_leaves_nothing_behind():
    """No tombstones, and nothing to merge, for what was cut off; later timers are not touched."""
    store = MemoryStore()
    backend = SortedRunBackend.open(store)
    state = backend.times("t", [pa.int64()])
    for start in range(0, 200_000, 1000):
        keys = find_keys([pa.array(np.arange(start, start + 1000))], 1000)
        state.put(keys, np.arange(1000), keys.columns[0].to_numpy() + 500)
        taken = state.take_until(start)
        assert taken.times.max(initial=-1) <= start
        assert sum(len(run) for _, run in state.levels.clipped_runs()) <= 2000
        backend.commit()
        assert len(store.runs) <= 4 * levels.FAN_IN


def test_the_next_timer_behind_many_deleted_ones():
    state = memory_backend().times("t", [pa.int64()])
    keys = find_keys([pa.array(np.arange(10_000))], 10_000)
    times = keys.columns[0].to_numpy()
    state.put(keys, np.arange(10_000), times)
    state.put(keys, np.arange(10_000), times, live=times >= 9_990)
    assert state.next_time() == 9_990
    assert state.take_until(9_991).times.tolist() == [9_990, 9_991]
    assert state.next_time() == 9_992


def test_levels_of_which_little_is_left_are_merged_and_those_of_which_nothing_is_go():
    store = MemoryStore()
    for batch in range(40):
        backend = SortedRunBackend.open(store)
        state = state_of(backend)
        times = np.arange(batch * 1000, (batch + 1) * 1000 + 1)
        keys = keys_of(["a"])
        state.put(keys, np.zeros(len(times), np.int64), times, [pa.array(times)])
        state.drop_until(int(times[-2]))
        backend.commit()
        assert backend.entries <= 2 * len(times)
    backend = SortedRunBackend.open(store)
    state_of(backend).drop_until(40_000)
    backend.commit()
    assert backend.entries == 0
    assert not store.runs
