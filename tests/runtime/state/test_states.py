"""Value and map state against dictionaries, whatever the batches, the commits and the merges."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from firesteel.runtime.columns.keys import Keys, find_keys
from firesteel.runtime.state import levels, states
from firesteel.runtime.state.backend import SortedRunBackend
from firesteel.runtime.state.memory import MemoryStore, memory_backend
from tests.runtime.state.colliding import narrow
from tests.scale import examples

KEYS = st.one_of(st.none(), st.sampled_from(["", "a", "b", "key", "a longer key than a word", "é"]))
SUBS = st.one_of(st.none(), st.integers(-3, 3))
ENTRY = st.tuples(KEYS, SUBS, st.integers(0, 100), st.booleans())
BATCHES = st.lists(st.tuples(st.lists(ENTRY, max_size=12), st.booleans()), max_size=14)

SEVERAL = pa.struct([("f0", pa.int64()), ("f1", pa.string())])
AS_SUB = {
    pa.string(): lambda v: None if v is None else f"sub-key {v}",
    SEVERAL: lambda v: (("f0", v), ("f1", None if v == 0 else "x" * abs(v or 0))),
}


@pytest.fixture(params=["wide hashes", "colliding hashes"])
def collisions(request, monkeypatch):
    """With colliding hashes, all keys and sub-keys share a first word of one of two values."""
    if request.param == "colliding hashes":
        narrow(monkeypatch, 1)
        monkeypatch.setattr(states, "is_one_word", lambda kind: False)  # it counts on the bijection
    monkeypatch.setattr(levels, "FAN_IN", 2)
    monkeypatch.setattr(levels, "WORK_FLOOR", 3)
    monkeypatch.setattr(levels, "WORK_PER_ROW", 1)


def keys_of(values: list) -> Keys:
    return find_keys([pa.array(values, pa.string())], len(values))


@pytest.mark.usefixtures("collisions")
@settings(max_examples=examples(60), deadline=None, suppress_health_check=list(HealthCheck))
@given(BATCHES)
def test_value_state_is_a_dictionary(batches):
    store, model = MemoryStore(), {}
    backend = SortedRunBackend.open(store)
    for entries, commit in batches:
        state = backend.value("s", [pa.string()], [pa.int64(), pa.string()])
        rows = {key: (number, dead) for key, _, number, dead in entries}
        keys = keys_of([*rows, "other"])
        names = keys.columns[0].to_pylist()
        found = state.get(keys, 0)
        assert found.found.tolist() == [name in model for name in names]
        assert found.columns[0].to_pylist() == [model.get(name) for name in names]
        owners = np.array([i for i, name in enumerate(names) if name in rows], np.int64)
        values = [rows[names[i]] for i in owners]
        columns = [
            pa.array([v for v, _ in values], pa.int64()),
            pa.array([str(v) for v, _ in values], pa.string()),
        ]
        state.put(keys, owners, columns, 0, np.array([not dead for _, dead in values], np.bool_))
        for name, (number, dead) in rows.items():
            model.pop(name, None) if dead else model.__setitem__(name, number)
        if commit:
            backend.commit()
            backend = SortedRunBackend.open(store)
    keys = keys_of([None, "", "a", "b", "key", "a longer key than a word", "é"])
    found = backend.value("s", [pa.string()], [pa.int64(), pa.string()]).get(keys, 0)
    for name, value, text in zip(*(c.to_pylist() for c in (keys.columns[0], *found.columns)), strict=True):
        assert value == model.get(name)
        assert text == (None if value is None else str(value))


@pytest.mark.usefixtures("collisions")
@pytest.mark.parametrize("sub_type", [pa.int32(), pa.int64(), pa.string(), SEVERAL])
@settings(max_examples=examples(40), deadline=None, suppress_health_check=list(HealthCheck))
@given(BATCHES, st.data())
def test_map_state_is_a_dictionary_of_dictionaries(sub_type, batches, data):
    store, model = MemoryStore(), {}
    backend = SortedRunBackend.open(store)
    as_sub = AS_SUB.get(sub_type, lambda v: v)
    for entries, commit in batches:
        state = backend.map("m", sub_type, [pa.int64()])
        rows = {(key, as_sub(sub)): (number, dead) for key, sub, number, dead in entries}
        keys = keys_of([key for key, _ in rows])
        names = keys.columns[0].to_pylist()
        pairs = list(rows)
        owners = np.array([names.index(key) for key, _ in pairs], np.int64)
        subs = pa.array([dict(sub) if isinstance(sub, tuple) else sub for _, sub in pairs], sub_type)
        found = state.get(keys, owners, subs, 0)
        assert found.columns[0].to_pylist() == [model.get(pair) for pair in pairs]
        assert found.found.tolist() == [pair in model for pair in pairs]
        numbers = pa.array([rows[pair][0] for pair in pairs], pa.int64())
        state.put(keys, owners, subs, [numbers], 0, np.array([not rows[p][1] for p in pairs], np.bool_))
        for pair, (number, dead) in rows.items():
            model.pop(pair, None) if dead else model.__setitem__(pair, number)
        if commit:
            backend.commit()
            backend = SortedRunBackend.open(store)
        check_entries(backend.map("m", sub_type, [pa.int64()]), model)
    gone = data.draw(st.sampled_from(["a", "", "none"]))
    keys = keys_of([gone])
    state = backend.map("m", sub_type, [pa.int64()])
    state.clear(keys, np.array([0]), 0)
    check_entries(state, {pair: v for pair, v in model.items() if pair[0] != gone})


def check_entries(state, model: dict) -> None:
    keys = keys_of([None, "", "a", "b", "key", "a longer key than a word", "é"])
    entries = state.entries(keys, np.arange(len(keys)), 0)
    names = [keys.columns[0][int(i)].as_py() for i in entries.owners]
    assert (np.diff(entries.owners) >= 0).all()
    subs = [tuple(sub.items()) if isinstance(sub, dict) else sub for sub in entries.sub_keys.to_pylist()]
    seen = list(zip(zip(names, subs, strict=True), entries.columns[0].to_pylist(), strict=True))
    assert len(seen) == len(model)
    assert dict(seen) == model
    sizes = state.sizes(keys, np.arange(len(keys)))
    assert (sizes >= np.bincount(entries.owners, minlength=len(keys))).all()
    assert state.held() >= len(model)
    parts = [state.part(keys, owner, part, 3, 0) for owner in range(len(keys)) for part in range(3)]
    assert [owner for part in parts for owner in part.owners.tolist()] == entries.owners.tolist()
    assert [sub for part in parts for sub in part.sub_keys.to_pylist()] == entries.sub_keys.to_pylist()
    assert [row for part in parts for row in part.columns[0].to_pylist()] == entries.columns[0].to_pylist()


def test_parts_of_a_large_key_are_of_one_size():
    state = memory_backend().map("m", pa.int64(), [pa.int64()])
    keys, numbers = keys_of(["a"]), pa.array(np.arange(20_000))
    state.put(keys, np.zeros(20_000, np.int64), numbers, [numbers], 0)
    sizes = [len(state.part(keys, 0, part, 20, 0).owners) for part in range(20)]
    assert sum(sizes) == 20_000
    assert max(sizes) < 1200
