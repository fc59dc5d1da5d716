"""Contents of states as they stand in a store, for a reader who has only the manifest and the runs."""

from __future__ import annotations

import random

import numpy as np
import pyarrow as pa

from firesteel.runtime.columns.keys import Keys, find_keys
from firesteel.runtime.state.backend import SortedRunBackend
from firesteel.runtime.state.contents import WRITTEN, Contents
from firesteel.runtime.state.memory import MemoryStore


def keys_of(*values: str) -> Keys:
    return find_keys([pa.array(values, pa.string())], len(values))


def contents(store: MemoryStore) -> Contents:
    return Contents.read(store.manifest() or b"", lambda run: store.runs[run])


def test_value_state_over_many_commits() -> None:
    chance, store, model = random.Random(7), MemoryStore(), {}
    for batch in range(40):
        backend = SortedRunBackend.open(store)
        state = backend.value("s", [pa.string()], [pa.int64()])
        keys = keys_of(*{f"key {chance.randrange(30)}" for _ in range(5)})
        live = np.array([chance.random() < 0.7 for _ in range(len(keys))])
        values = pa.array([batch * 100 + i for i in range(len(keys))], pa.int64())
        state.put(keys, np.arange(len(keys)), [values], 0, live)
        backend.commit()
        for key, value, there in zip(keys.columns[0].to_pylist(), values.to_pylist(), live, strict=True):
            if there:
                model[key] = value
            else:
                model.pop(key, None)
    found = contents(store)
    table = found.table("s")
    assert dict(zip(table["k0"].to_pylist(), table["v0"].to_pylist(), strict=True)) == model
    assert found.size("s").entries >= len(model)
    assert found.kind("s") == "value"
    some = next(iter(model))
    assert found.table("s", keys_of(some)).to_pylist() == [{"k0": some, "v0": model[some]}]
    assert found.table("s", keys_of("unknown")).num_rows == 0


def test_maps_of_one_key() -> None:
    store = MemoryStore()
    backend = SortedRunBackend.open(store)
    keys = keys_of("a", "b")
    owners = np.array([0, 0, 1])
    sub_keys = pa.array([3, 1, 2], pa.int64())
    for state in (backend.map("m", pa.int64(), [pa.int64()]), backend.ordered("o", pa.int64(), [pa.int64()])):
        state.put(keys, owners, sub_keys, [pa.array([30, 10, 20], pa.int64())], 0)
    backend.commit()
    found = contents(store)
    first = keys_of(keys.columns[0][0].as_py())
    for name in ("m", "o"):
        assert found.table(name).num_rows == 3
        rows = found.table(name, first).to_pylist()
        assert sorted(row["sub_key"] for row in rows) == [1, 3]
        assert {row["sub_key"]: row["v0"] for row in rows} == {1: 10, 3: 30}


def test_times_of_keys() -> None:
    store = MemoryStore()
    backend = SortedRunBackend.open(store)
    keys = keys_of("a", "b")
    backend.times("t", [pa.string()], [pa.int64()]).put(
        keys, np.array([0, 1]), np.array([-5, 7]), [pa.array([1, 2], pa.int64())]
    )
    backend.commit()
    names = keys.columns[0].to_pylist()
    assert contents(store).table("t").to_pylist() == [
        {"time": -5, "k0": names[0], "v0": 1},
        {"time": 7, "k0": names[1], "v0": 2},
    ]
    assert contents(store).table("t", keys_of(names[1])).column("time").to_pylist() == [7]


def test_entries_with_a_time_to_live_say_when_they_were_written() -> None:
    store = MemoryStore()
    backend = SortedRunBackend.open(store)
    state = backend.value("s", [pa.string()], [pa.int64()], ttl=1000)
    state.put(keys_of("a"), np.array([0]), [pa.array([1], pa.int64())], 123)
    backend.commit()
    assert contents(store).table("s").to_pylist() == [{"k0": "a", "v0": 1, WRITTEN: 123}]


def test_a_state_without_entries() -> None:
    store = MemoryStore()
    backend = SortedRunBackend.open(store)
    backend.value("s", [pa.string()], [pa.int64()])
    backend.commit()
    assert contents(store).table("s").num_rows == 0
    assert contents(store).size("s") == (0, 0, None)
