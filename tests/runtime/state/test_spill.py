"""Uncommitted runs that go to files: what stays in memory, and that nothing is lost."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from firesteel.runtime.columns.keys import find_keys
from firesteel.runtime.state import backend as backends
from firesteel.runtime.state import cache, levels
from firesteel.runtime.state.backend import SortedRunBackend
from firesteel.runtime.state.cache import RunCache
from firesteel.runtime.state.memory import MemoryStore
from firesteel.runtime.state.states import SortedValueState

_HELD, _PIECE = 200_000, 50_000
_KEYS = 3000


@pytest.fixture(autouse=True)
def small_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(levels, "HELD_BYTES", _HELD)
    monkeypatch.setattr(levels, "PIECE_BYTES", _PIECE)


def state_of(backend: SortedRunBackend) -> SortedValueState:
    return backend.value("s", [pa.int64()], [pa.string()])


def fill(backend: SortedRunBackend, generator: np.random.Generator, model: dict[int, str]) -> None:
    """Write wide texts of random keys, some of them several times."""
    for version in range(20):
        drawn = generator.integers(0, _KEYS, 500)
        keys = find_keys([pa.array(drawn)], len(drawn))
        numbers = keys.columns[0].to_pylist()
        texts = [f"{number} {version} " + "x" * 200 for number in numbers]
        state_of(backend).put(
            keys, np.arange(len(numbers)), [pa.array(texts)], 0, np.ones(len(numbers), bool)
        )
        model |= dict(zip(numbers, texts, strict=True))


def texts_of(backend: SortedRunBackend) -> dict[int, str]:
    keys = find_keys([pa.array(np.arange(_KEYS))], _KEYS)
    found = state_of(backend).get(keys, 0)
    rows = zip(keys.columns[0].to_pylist(), found.columns[0].to_pylist(), strict=True)
    return {number: text for number, text in rows if text is not None}


def bytes_in_memory(backend: SortedRunBackend) -> int:
    pieces = [piece for level in state_of(backend).levels.levels for piece in level]
    return sum(p.run.bytes for p in pieces if p.run is not None and p.id is None and not p.is_spilled)


def test_little_stays_in_memory_and_nothing_is_lost(tmp_path: Path) -> None:
    store, model, generator = MemoryStore(), {}, np.random.default_rng(1)
    for _ in range(3):
        backend = SortedRunBackend.open(store, RunCache(tmp_path))
        fill(backend, generator, model)
        assert bytes_in_memory(backend) <= _HELD
        assert texts_of(backend) == model
        backend.commit()
        assert texts_of(SortedRunBackend.open(store)) == model
    assert max(map(len, store.runs.values())) < 2 * _PIECE
    assert not [path for path in tmp_path.iterdir() if path.suffix != ".run"]


def test_a_committed_run_leaves_the_memory_however_well_it_compresses(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, model, before = MemoryStore(), dict[int, str](), pa.total_allocated_bytes()
    backend = SortedRunBackend.open(store, RunCache(tmp_path))
    fill(backend, np.random.default_rng(3), model)
    monkeypatch.setattr(backends, "_LARGE", _PIECE // 2)
    backend.commit()
    assert max(map(len, store.runs.values())) < _PIECE // 2
    assert pa.total_allocated_bytes() - before < _PIECE  # mapped files do not count
    assert texts_of(backend) == model


def test_runs_stay_in_memory_if_the_disk_is_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError("No space left on device")

    monkeypatch.setattr(cache, "write_plain", full)
    model: dict[int, str] = {}
    backend = SortedRunBackend.open(MemoryStore(), RunCache(tmp_path))
    fill(backend, np.random.default_rng(2), model)
    backend.commit()
    assert texts_of(backend) == model
