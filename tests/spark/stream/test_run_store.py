"""The runs of a key group as Spark's state store holds them (spark/stream/run_store.py)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from firesteel.runtime.state.cache import RunCache
from firesteel.runtime.state.codec import encode
from firesteel.runtime.state.runs import Run
from firesteel.spark.stream.run_store import BESIDE, SMALL, RunsAtHand, SparkRunStore, packed, unpacked


class Value:
    """As Spark's ValueState."""

    def __init__(self, data: bytes | None = None) -> None:
        self.data = data
        self.updates = 0

    def get(self) -> tuple[bytes] | None:
        return None if self.data is None else (self.data,)

    def update(self, row: tuple[bytes]) -> None:
        (self.data,) = row
        self.updates += 1


class Map:
    """As Spark's MapState."""

    def __init__(self) -> None:
        self.rows: dict[tuple[str], tuple[bytes]] = {}

    def containsKey(self, key: tuple[str]) -> bool:
        return key in self.rows

    def getValue(self, key: tuple[str]) -> tuple[bytes] | None:
        return self.rows.get(key)

    def updateValue(self, key: tuple[str], row: tuple[bytes]) -> None:
        self.rows[key] = row

    def removeKey(self, key: tuple[str]) -> None:
        del self.rows[key]


def opened(rows: Map, value: Value) -> SparkRunStore:
    made: Any = SparkRunStore
    store: SparkRunStore = made(lambda: rows, value)
    return store


def test_small_runs_come_and_go_with_the_manifest() -> None:
    rows, value = Map(), Value()
    store = opened(rows, value)
    assert store.manifest() is None
    store.put("a", b"first")
    store.put("b", b"second")
    store.set_manifest(b"{1}")
    store.flush()
    assert value.updates == 1
    assert not rows.rows

    again = opened(rows, value)
    assert again.manifest() == b"{1}"
    assert again.get("a") == b"first"
    again.put("c", b"third")
    again.set_manifest(b"{2}")
    again.remove(["a"])
    again.flush()
    last = opened(rows, value)
    assert last.small == {"b": b"second", "c": b"third"}
    assert last.get("a") is None


def test_what_has_not_changed_is_not_written() -> None:
    value = Value(packed(b"{}", {"a": b"1"}))
    store = opened(Map(), value)
    assert store.get("a") == b"1"
    store.flush()
    assert value.updates == 0


def test_large_runs_and_those_that_are_too_many_have_entries_of_their_own() -> None:
    rows, value = Map(), Value()
    store = opened(rows, value)
    store.put("large", bytes(SMALL + 1))
    for number in range(BESIDE // SMALL + 2):
        store.put(f"small {number}", bytes(SMALL))
    store.set_manifest(b"{}")
    store.flush()
    assert set(rows.rows) == {("large",), ("small 4",), ("small 5",)}
    again = opened(rows, value)
    assert again.get("large") == bytes(SMALL + 1)
    assert again.get("small 5") == bytes(SMALL)
    again.remove(["large", "small 0", "small 5"])
    again.put("next", bytes(SMALL))
    assert set(rows.rows) == {("small 4",)}


def test_what_earlier_versions_wrote_is_read() -> None:
    rows = Map()
    rows.updateValue(("a",), (b"run",))
    value = Value(b'{"version":2}')
    store = opened(rows, value)
    assert store.manifest() == b'{"version":2}'
    assert store.get("a") == b"run"
    store.remove(["a"])
    store.put("b", b"new")
    store.set_manifest(b'{"version":2,"states":{}}')
    store.flush()
    assert value.data is not None
    assert unpacked(value.data) == (b'{"version":2,"states":{}}', {"b": b"new"})


def test_runs_beside_the_manifest_need_no_files(tmp_path: Path) -> None:
    words = np.arange(3, dtype=np.uint64), np.arange(3, dtype=np.uint64)
    run = Run(words, (pa.array([1, 2, 3]),))
    store = opened(Map(), Value(packed(b"{}", {"small": b"bytes"})))
    runs = RunsAtHand(store, RunCache(tmp_path), "s")
    runs.put("small", run)
    runs.put("large", run)
    assert [file.name for file in tmp_path.iterdir()] == ["large.run"]
    assert runs.get("small") is None
    assert runs.get("large") is not None


def test_a_small_run_is_decoded_once_in_a_process(tmp_path: Path) -> None:
    run = Run((np.arange(3, dtype=np.uint64), np.arange(3, dtype=np.uint64)), (pa.array([1, 2, 3]),))
    store = opened(Map(), Value(packed(b"{}", {"small": encode(run)})))
    cache = RunCache(tmp_path)
    loaded = RunsAtHand(store, cache, "s").load("small", encode(run))
    assert RunsAtHand(store, cache, "s").get("small") is loaded
    assert not list(tmp_path.iterdir())
