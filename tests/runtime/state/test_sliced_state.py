"""The sliced state against a dictionary, whatever the batches, the commits and the merges."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from firesteel.runtime.columns.keys import Keys, find_keys
from firesteel.runtime.state import levels
from firesteel.runtime.state.backend import SortedRunBackend
from firesteel.runtime.state.memory import MemoryStore
from tests.runtime.state.colliding import narrow
from tests.scale import examples

NAMES = [None, "", "a", "b", "key"]
TIMES = st.one_of(st.integers(-300, 900), st.sampled_from([-(1 << 62), 1 << 62, 253_402_300_799_999]))
ROWS = st.lists(st.tuples(st.sampled_from(NAMES), TIMES), max_size=12)
BATCHES = st.lists(st.tuples(ROWS, st.booleans(), st.one_of(st.none(), TIMES)), max_size=14)
LENGTH = 100


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


def state_of(backend: SortedRunBackend, length: int = LENGTH):
    return backend.sliced("s", [pa.int64(), pa.string()], length)


@pytest.mark.usefixtures("collisions")
@settings(max_examples=examples(80), deadline=None, suppress_health_check=list(HealthCheck))
@given(BATCHES)
def test_is_a_dictionary_by_key_and_slice(batches):
    store, model, number = MemoryStore(), {}, 0
    backend = SortedRunBackend.open(store)
    for rows, commit, until in batches:
        state = state_of(backend)
        keys = keys_of([name for name, _ in rows])
        times = np.array([time for _, time in rows], np.int64)
        numbers = number + np.arange(len(rows))
        number += len(rows)
        texts = [f"{name} {time}" for name, time in rows]
        if rows:
            state.put(keys, keys.codes, times, numbers, [pa.array(times), pa.array(texts)])
        slices = state.slices_of(times).tolist()
        for (name, time), at, n in zip(rows, slices, numbers.tolist(), strict=True):
            model.setdefault((name, at), {})[n] = time
        if rows:
            found = state.get(keys, keys.codes, times, numbers)
            assert found.columns[1].to_pylist() == texts
        if until is not None:
            state.drop_before(until)
            (least,) = state.slices_of(np.array([until])).tolist()
            model = {each: rows for each, rows in model.items() if each[1] >= least}
        check(state, model)
        if commit:
            backend.commit()
            backend = SortedRunBackend.open(store)
            check(state_of(backend), model)


def check(state, model) -> None:
    asked = [*model, ("none", 0), ("a", -7)]
    asked = list(dict.fromkeys(asked))
    keys = keys_of([name for name, _ in asked])
    slices = np.array([at for _, at in asked], np.int64)
    found = state.entries(keys, keys.codes, slices)
    rows = {each: {} for each in asked}
    times = found.columns[0].to_pylist()
    for owner, n, time in zip(found.owners.tolist(), found.sub_keys.to_pylist(), times, strict=True):
        assert n not in rows[asked[owner]]
        rows[asked[owner]][n] = time
    assert {each: of for each, of in rows.items() if of} == {each: of for each, of in model.items() if of}


def test_slices_are_of_one_length_and_no_shorter_than_64():
    backend = SortedRunBackend()
    assert state_of(backend).slices_of(np.array([-1, 0, 99, 100])).tolist() == [-1, 0, 0, 1]
    shortest = SortedRunBackend().sliced("s", [pa.int64()], 1)
    assert shortest.slices_of(np.array([0, 63, 64])).tolist() == [0, 0, 1]
    years = shortest.slices_of(np.array([-62_135_596_800_000, 253_402_300_799_999]))
    assert len(set(years.tolist())) == 2, "the years 1 and 9999 have slices of their own"


def test_what_is_dropped_costs_no_reading():
    store = MemoryStore()
    backend = SortedRunBackend.open(store)
    for start in range(0, 5000, 100):
        state = state_of(backend)
        keys = keys_of(["a", "b"])
        times = np.array([start, start])
        columns = [pa.array(times), pa.array(["x", "y"])]
        state.put(keys, np.array([0, 1]), times, np.array([start, start + 1]), columns)
        state.drop_before(start - 200)
        backend.commit()
    assert backend.entries <= 3 * 2 * levels.FAN_IN
    state_of(backend).drop_before(10_000)
    backend.commit()
    assert backend.entries == 0
