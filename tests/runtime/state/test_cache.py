"""The directory of runs: shared, bounded, disposable."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pyarrow as pa

from firesteel.runtime.columns.keys import find_keys
from firesteel.runtime.state.backend import SortedRunBackend
from firesteel.runtime.state.cache import RunCache
from firesteel.runtime.state.memory import MemoryStore
from firesteel.runtime.state.runs import Run


def run_of(number: int, rows: int = 1000) -> Run:
    words = np.arange(rows, dtype=np.uint64)
    return Run((words, words), (pa.array(np.full(rows, number)),))


def size_of(directory: Path) -> int:
    return sum(path.stat().st_size for path in directory.iterdir())


def test_a_run_is_found_by_another_process_s_cache(tmp_path):
    RunCache(tmp_path).put("a", run_of(1))
    found = RunCache(tmp_path).get("a")
    assert found is not None
    assert found.columns[0].to_pylist() == [1] * 1000
    assert RunCache(tmp_path).get("b") is None


def test_what_was_not_used_for_longest_goes_first(tmp_path):
    cache = RunCache(tmp_path, limit=200_000)
    cache.put("old", run_of(0))
    cache.put("used", run_of(0))
    mapped = RunCache(tmp_path).get("old")
    for name in ("old", "used"):
        os.utime(tmp_path / f"{name}.run", (1, 1))
    RunCache(tmp_path).get("used")
    for i in range(40):
        cache.put(f"run {i}", run_of(i))
        time.sleep(0.001)
    assert size_of(tmp_path) <= 200_000 + 200_000 // 16 + 30_000
    reader = RunCache(tmp_path)
    assert reader.get("old") is None
    assert reader.get("run 39") is not None
    assert mapped is not None
    assert mapped.columns[0].to_pylist() == [0] * 1000


def test_damaged_files_and_left_over_ones_are_as_if_not_there(tmp_path):
    cache = RunCache(tmp_path)
    cache.put("a", run_of(1))
    path = tmp_path / "a.run"
    path.write_bytes(path.read_bytes()[:100])
    assert RunCache(tmp_path).get("a") is None
    assert not path.exists()
    left_over = tmp_path / "b.1.0.tmp"
    left_over.write_bytes(b"")
    os.utime(left_over, (1, 1))
    cache.clean()
    assert not left_over.exists()


def test_the_store_is_asked_for_what_the_cache_lost(tmp_path):
    store = MemoryStore()
    keys = find_keys([pa.array(["a", "b"])], 2)
    backend = SortedRunBackend.open(store, RunCache(tmp_path))
    backend.value("s", [pa.string()], [pa.int64()]).put(keys, np.arange(2), [pa.array([1, 2])], 0)
    backend.commit()
    for path in tmp_path.iterdir():
        path.unlink()
    for _ in range(2):
        state = SortedRunBackend.open(store, RunCache(tmp_path)).value("s", [pa.string()], [pa.int64()])
        assert state.get(keys, 0).columns[0].to_pylist() == [1, 2]
        assert len(list(tmp_path.iterdir())) == 1
        store.runs.clear()  # the second time the file is enough


def test_runs_that_are_merged_away_are_closed_in_each_process(tmp_path):
    store = MemoryStore()
    writer, reader = RunCache(tmp_path), RunCache(tmp_path)
    keys = find_keys([pa.array(["a", "b"])], 2)
    for turn in range(100):
        backend = SortedRunBackend.open(store, writer)
        backend.value("s", [pa.string()], [pa.int64()]).put(keys, np.arange(2), [pa.array([turn, 2])], 0)
        backend.commit()
        state = SortedRunBackend.open(store, reader).value("s", [pa.string()], [pa.int64()])
        assert state.get(keys, 0).columns[0].to_pylist() == [turn, 2]
        dead = {path.stem for path in tmp_path.glob("*.run")} - set(store.runs)
        assert not any(cache.known(name) for name in dead for cache in (writer, reader))
    assert len(dead) > 50


def test_states_that_share_a_cache_leave_each_others_runs_open(tmp_path):
    cache = RunCache(tmp_path)
    cache.keep("a", run_of(1))
    cache.live({"a"}, "first")
    cache.live({"b"}, "second")
    assert cache.known("a") is not None
    cache.live(set(), "first")
    assert cache.known("a") is None


WORKER = """
import sys
from pathlib import Path
from tests.runtime.state.test_cache import RunCache, run_of
cache = RunCache(Path(sys.argv[1]), limit=150_000)
for i in range(300):
    name = str(i % 17)
    found = RunCache(Path(sys.argv[1]), limit=150_000).get(name)
    assert found is None or found.columns[0].to_pylist() == [i % 17] * 1000
    cache.put(name, run_of(i % 17))
print("done")
"""


def test_several_processes_write_read_and_clean_at_once(tmp_path):
    root = Path(__file__).parents[3]
    workers = [
        subprocess.Popen(
            [sys.executable, "-c", WORKER, str(tmp_path)], stdout=subprocess.PIPE, cwd=root, text=True
        )
        for _ in range(3)
    ]
    for worker in workers:
        out, _ = worker.communicate(timeout=120)
        assert worker.returncode == 0
        assert out == "done\n"
    assert not list(tmp_path.glob("*.tmp"))
    assert size_of(tmp_path) <= 150_000 * 2
