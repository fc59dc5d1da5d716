"""Merging: the work of a batch, the number of runs, and what a commit writes."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from firesteel.runtime.columns.keys import find_keys
from firesteel.runtime.state import levels
from firesteel.runtime.state.backend import SortedRunBackend
from firesteel.runtime.state.memory import MemoryStore, memory_backend


def put(state, numbers: np.ndarray, value: int, live: bool = True) -> None:
    keys = find_keys([pa.array(numbers)], len(numbers))
    count = len(keys)
    columns = [pa.array(np.full(count, value))]
    state.put(keys, np.arange(count), columns, 0, np.full(count, live))


def state_of(backend):
    return backend.value("s", [pa.int64()], [pa.int64()])


@pytest.fixture
def merged_rows(monkeypatch) -> list[int]:
    """Counts the rows of every merge."""
    rows: list[int] = []
    merge = levels.merge

    def counted(runs, *rest):
        rows.append(sum(map(len, runs)))
        return merge(runs, *rest)

    monkeypatch.setattr(levels, "merge", counted)
    return rows


def test_work_of_a_batch_follows_the_change_and_runs_stay_few(merged_rows):
    state, generator, held = state_of(memory_backend()), np.random.default_rng(0), 300_000
    for start in range(0, held, 50_000):
        put(state, np.arange(start, start + 50_000), 0)
    highest, most = 0, 0
    total_before = sum(merged_rows)
    for batch in range(300):
        before = sum(merged_rows)
        put(state, generator.integers(0, held, 3000), batch)
        highest = max(highest, sum(merged_rows) - before)
        most = max(most, len(state.levels.levels))
    assert highest <= 3 * max(3 * 3000, 4096, 2 * held // 64)
    assert most <= 4 * levels.FAN_IN
    assert sum(merged_rows) - total_before < 300 * 3000 * 6
    keys = find_keys([pa.array(np.arange(held))], held)
    assert state.get(keys, 0).found.all()


def test_merges_drop_what_is_dead(monkeypatch):
    monkeypatch.setattr(levels, "FAN_IN", 3)
    backend = memory_backend()
    state = state_of(backend)
    for _ in range(20):
        put(state, np.arange(1000), 1)
        put(state, np.arange(1000), 0, live=False)
    assert sum(len(run) for _, run in state.levels.runs()) <= 6000
    keys = find_keys([pa.array(np.arange(1000))], 1000)
    assert not state.get(keys, 0).found.any()


def held(backend) -> int:
    assert backend.entries == sum(len(run) for _, run in state_of(backend).levels.runs())
    return backend.entries


def test_what_comes_and_goes_is_soon_gone_from_the_store_too():
    store, most = MemoryStore(), 0
    for batch in range(60):
        backend = SortedRunBackend.open(store)
        put(state_of(backend), np.arange(batch * 1000, (batch + 1) * 1000), 1)
        put(state_of(backend), np.arange((batch - 1) * 1000, batch * 1000), 0, live=False)
        backend.commit()
        most = max(most, held(backend))
    assert most <= 6000
    backend = SortedRunBackend.open(store)
    put(state_of(backend), np.arange(59_000, 60_000), 0, live=False)
    backend.commit()
    assert not store.runs


def test_few_versions_are_kept_of_what_every_batch_writes():
    store, counts = MemoryStore(), []
    for value in range(60):
        backend = SortedRunBackend.open(store)
        put(state_of(backend), np.arange(3000), value)
        backend.commit()
        counts.append(held(backend))
    assert max(counts) <= 3 * 3000


def test_new_keys_are_merged_no_more_often_for_that(merged_rows):
    store = MemoryStore()
    for batch in range(64):
        backend = SortedRunBackend.open(store)
        put(state_of(backend), np.arange(batch * 3000, (batch + 1) * 3000), batch)
        backend.commit()
    assert sum(merged_rows) <= 64 * 3000 * 2  # 8 to one, and 8 of these to one


def test_a_commit_writes_the_net_change_only():
    store = MemoryStore()
    backend = SortedRunBackend.open(store)
    put(state_of(backend), np.arange(100_000), 0)
    backend.commit()
    first, runs = store.bytes_put, len(store.runs)
    backend = SortedRunBackend.open(store)
    for value in range(5):
        put(state_of(backend), np.arange(100), value)
    backend.commit()
    assert len(store.runs) == runs + 1
    assert store.bytes_put - first < first / 100
    manifest = store.manifest()
    backend.commit()
    SortedRunBackend.open(store).commit()
    assert store.manifest() == manifest
    assert len(store.runs) == runs + 1


def test_dead_runs_are_removed_and_a_merge_goes_on_after_a_restart(monkeypatch):
    monkeypatch.setattr(levels, "FAN_IN", 3)
    monkeypatch.setattr(levels, "WORK_FLOOR", 10)
    store, model, generator = MemoryStore(), {}, np.random.default_rng(1)
    seen_merging = False
    for value in range(120):
        backend = SortedRunBackend.open(store)
        numbers = np.unique(generator.integers(0, 2000, 40 if value else 2000))
        put(state_of(backend), numbers, value)
        model |= dict.fromkeys(numbers.tolist(), value)
        backend.commit()
        levels_now = state_of(backend).levels
        seen_merging |= bool(levels_now.merges)
        named = {piece.id for level in levels_now.levels for piece in level}
        assert set(store.runs) == named
    assert seen_merging
    keys = find_keys([pa.array(np.arange(2000))], 2000)
    found = state_of(SortedRunBackend.open(store)).get(keys, 0)
    names, values = keys.columns[0].to_pylist(), found.columns[0].to_pylist()
    assert {n: v for n, v in zip(names, values, strict=True) if v is not None} == model


def test_large_runs_are_committed_in_pieces(monkeypatch):
    monkeypatch.setattr(levels, "PIECE_ROWS", 1000)
    store = MemoryStore()
    backend = SortedRunBackend.open(store)
    put(state_of(backend), np.arange(10_500), 1)
    sizes = backend.map("m", pa.int64(), [pa.int64()])
    keys = find_keys([pa.array(["a", "b"])], 2)
    subs = pa.array(np.tile(np.arange(3000), 2))
    sizes.put(keys, np.repeat([0, 1], 3000), subs, [subs], 0)
    backend.commit()
    backend = SortedRunBackend.open(store)
    assert len(store.runs) == 11 + 6  # the entries of one key too lie in several
    keys = find_keys([pa.array(np.arange(11_000))], 11_000)
    assert state_of(backend).get(keys, 0).found.sum() == 10_500
    keys = find_keys([pa.array(["a", "b"])], 2)
    assert len(backend.map("m", pa.int64(), [pa.int64()]).entries(keys, np.arange(2), 0).owners) == 6000
