"""Bytes of runs and manifests, and what is refused."""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
import pytest

from firesteel.errors import JobError
from firesteel.runtime.columns.keys import find_keys
from firesteel.runtime.state import codec, levels
from firesteel.runtime.state.backend import SortedRunBackend
from firesteel.runtime.state.codec import decode, encode, write_plain
from firesteel.runtime.state.memory import MemoryStore
from firesteel.runtime.state.runs import Run


def sample(live: bool, time: bool) -> Run:
    words = (np.array([1, 5, 2**64 - 1], np.uint64), np.array([3, 2, 1], np.uint64))
    columns = (pa.array(["a", None, "c"]), pa.array([1, 2, None]), pa.array([[1], None, []]))
    return Run(
        words,
        columns,
        np.array([True, False, True]) if live else None,
        np.array([7, 8, 9]) if time else None,
    )


def same(one: Run, other: Run) -> bool:
    def listed(run: Run) -> list:
        words = [word.tolist() for word in run.words]
        rest = [None if part is None else part.tolist() for part in (run.live, run.time)]
        return [words, [column.to_pylist() for column in run.columns], rest]

    return listed(one) == listed(other)


@pytest.mark.parametrize("live", [False, True])
@pytest.mark.parametrize("time", [False, True])
def test_round_trip(live, time, tmp_path):
    run = sample(live, time)
    assert same(decode(encode(run)), run)
    write_plain(run.slice(1, 3), tmp_path / "run")
    assert same(decode((tmp_path / "run").read_bytes()), run.slice(1, 3))


def test_a_mapped_file_is_not_copied(tmp_path):
    write_plain(sample(False, True), tmp_path / "run")
    with pa.memory_map(str(tmp_path / "run")) as file:
        run = decode(file.read_buffer())
    assert not run.words[0].flags.owndata
    assert not run.words[0].flags.writeable
    assert same(run, sample(False, True))


def test_what_is_no_run_is_refused(monkeypatch):
    with pytest.raises(JobError, match="cannot be read"):
        decode(b"nonsense")
    monkeypatch.setattr(codec, "VERSION", b"99")
    other = encode(sample(False, False))
    monkeypatch.undo()
    with pytest.raises(JobError, match="layout 99, this version reads layout 1"):
        decode(other)


@pytest.mark.parametrize(
    ("change", "message"),
    [({"version": 3}, "version 3, this version reads 2"), ({"hash": "0"}, "other hash functions")],
)
def test_manifests_of_others_are_refused(change, message):
    store = committed()
    store.set_manifest(json.dumps(json.loads(store.manifest()) | change).encode())
    with pytest.raises(JobError, match=message):
        SortedRunBackend.open(store)


def test_the_first_manifests_are_read(monkeypatch):
    """Their pieces were bounded by the first word alone."""
    monkeypatch.setattr(levels, "PIECE_ROWS", 10)
    store = MemoryStore()
    backend = SortedRunBackend.open(store)
    keys = find_keys([pa.array(np.arange(100))], 100)
    backend.value("s", [pa.int64()], [pa.int64()]).put(keys, np.arange(100), [keys.columns[0]], 0)
    backend.commit()
    document = json.loads(store.manifest()) | {"version": 1}
    pieces = document["states"]["s"]["levels"][0]
    for piece in pieces:
        piece[2:] = [piece[2] >> 64, piece[3] >> 64]
    assert len(pieces) == 10
    assert pieces[-1][3] == 1 << 64
    store.set_manifest(json.dumps(document).encode())
    state = SortedRunBackend.open(store).value("s", [pa.int64()], [pa.int64()])
    assert state.get(keys, 0).columns[0] == keys.columns[0]


def test_another_query_is_refused_with_the_difference():
    backend = SortedRunBackend.open(committed())
    with pytest.raises(
        JobError, match=r"\(string, int64\), the query needs a value state of \(string, double\)"
    ):
        backend.value("s", [pa.string()], [pa.float64()])


def test_a_run_that_the_store_lost_is_named():
    store = committed()
    store.runs.clear()
    state = SortedRunBackend.open(store).value("s", [pa.string()], [pa.int64()])
    with pytest.raises(JobError, match="is not in the store"):
        state.get(find_keys([pa.array(["a"])], 1), 0)


def committed() -> MemoryStore:
    store = MemoryStore()
    backend = SortedRunBackend.open(store)
    state = backend.value("s", [pa.string()], [pa.int64()])
    state.put(find_keys([pa.array(["a"])], 1), np.array([0]), [pa.array([1])], 0)
    backend.commit()
    return store
