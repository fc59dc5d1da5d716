"""Replays in a checkpoint: written whole or not at all, and never a message twice."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pytest

from firesteel.changelog import KIND
from firesteel.errors import JobError, NotSupportedError
from firesteel.job.spec import ChainSpec, Input, JobSpec
from firesteel.runtime.spec.tables import ScanSpec, SinkSpec
from firesteel.spark.checkpoint import replays
from firesteel.spark.checkpoint.replays import (
    TAKEN,
    Replay,
    has_untaken,
    keep,
    replayed_letters,
    rows_of_chain,
)
from firesteel.types.sql import INT

SCAN = ScanSpec("filesystem", (), ("n",), (INT,), (0,))
JOB = JobSpec(
    tuple(ChainSpec(number, (Input(SCAN),), ()) for number in (0, 1)), (SinkSpec(None, (), (), ()),)
)


def rows(*values: int) -> pa.Table:
    return pa.table({KIND: pa.array([0] * len(values), pa.int8()), "f0": pa.array(values, pa.int32())})


def replay(chain: int, *values: int) -> Replay:
    return Replay({chain: {0: rows(*values)}}, [(chain, f"f, line {value}") for value in values])


def commit(folder: Path, batch: int, *taken: str) -> None:
    for log in ("offsets", "commits"):
        (folder / "spark" / log).mkdir(parents=True, exist_ok=True)
    lines = ["v1", "{}", *(json.dumps({"file": 1, **({TAKEN: name} if name else {})}) for name in taken)]
    (folder / "spark" / "offsets" / str(batch)).write_text("\n".join(lines))
    (folder / "spark" / "commits" / str(batch)).write_text("v1\n{}")


def test_what_is_kept_is_found_by_chain(tmp_path: Path) -> None:
    keep(str(tmp_path), replay(0, 1, 2))
    keep(f"file://{tmp_path}", replay(1, 5))
    assert replayed_letters(str(tmp_path)) == {(0, "f, line 1"), (0, "f, line 2"), (1, "f, line 5")}
    (first,), (second,) = rows_of_chain(str(tmp_path), 0), rows_of_chain(str(tmp_path), 1)
    assert first.name < second.name
    with pa.OSFile(first.file) as stream:
        assert pa.ipc.open_stream(stream).read_all() == rows(1, 2)
    assert rows_of_chain(str(tmp_path), 10) == ()


def test_an_attempt_after_a_failure_writes_nothing_twice(tmp_path: Path) -> None:
    same = replay(0, 1)
    keep(str(tmp_path), same)
    keep(str(tmp_path), same)
    assert len(rows_of_chain(str(tmp_path), 0)) == 1


def test_a_message_of_another_replay_is_refused(tmp_path: Path) -> None:
    keep(str(tmp_path), replay(0, 1, 2))
    with pytest.raises(JobError, match="another run has just replayed f, line 2"):
        keep(str(tmp_path), replay(0, 2, 3))
    assert len(rows_of_chain(str(tmp_path), 0)) == 1


def test_half_a_replay_does_not_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cut = replay(0, 1)

    def die(folder: Path) -> None:
        raise OSError("no space")

    with monkeypatch.context() as patched:
        patched.setattr(replays, "sync_tree", die)
        with pytest.raises(OSError, match="no space"):
            keep(str(tmp_path), cut)
    assert replayed_letters(str(tmp_path)) == set()
    assert rows_of_chain(str(tmp_path), 0) == ()
    keep(str(tmp_path), cut)
    assert replayed_letters(str(tmp_path)) == {(0, "f, line 1")}


def test_a_replay_is_taken_with_the_commit_of_its_batch(tmp_path: Path) -> None:
    folder = str(tmp_path)
    commit(tmp_path, 0, "", "")
    assert not has_untaken(folder, JOB)
    keep(folder, replay(1, 4))
    assert has_untaken(folder, JOB)
    (name,) = [each.name for each in rows_of_chain(folder, 1)]
    commit(tmp_path, 1, name, "")  # that of the other chain
    assert has_untaken(folder, JOB)
    commit(tmp_path, 2, "", name)
    assert not has_untaken(folder, JOB)


def test_messages_without_rows_are_noted(tmp_path: Path) -> None:
    keep(str(tmp_path), Replay({}, [(0, "f, line 1")]))
    assert replayed_letters(str(tmp_path)) == {(0, "f, line 1")}
    assert not has_untaken(str(tmp_path), JOB)


def test_a_checkpoint_elsewhere_is_refused() -> None:
    with pytest.raises(NotSupportedError, match="not on this machine"):
        keep("hdfs://there/checkpoint", replay(0, 1))
