"""The log of the files of a stream: what it says counts, whoever appended it."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path

import pytest

from firesteel.connectors.filesystem.log import FileLog
from firesteel.connectors.filesystem.splits import FileInfo
from firesteel.errors import JobError


def files(*names: str) -> list[FileInfo]:
    return [FileInfo(name, 1, 2, "d") for name in names]


def paths(log: FileLog) -> list[str]:
    return [file.path for file in log.files]


def test_a_run_that_was_paused_appends_to_the_log_of_another(tmp_path: Path) -> None:
    """The offsets of both, and of a third that reads the log, mean the same files."""
    paused = FileLog(str(tmp_path))
    paused.add(files("a", "b"), seal=False)
    other = FileLog(str(tmp_path))
    other.add(files("c"), seal=False)
    paused.add(files("d", "c"), seal=False)
    assert paths(paused) == ["a", "b", "c", "d"]
    other.add(files("e"), seal=False)
    assert paths(other) == paths(FileLog(str(tmp_path))) == ["a", "b", "c", "d", "e"]


def test_nothing_comes_behind_the_seal(tmp_path: Path) -> None:
    paused = FileLog(str(tmp_path))
    other = FileLog(str(tmp_path))
    other.add(files("a"), seal=True)
    with (tmp_path / "files.jsonl").open("a") as stream:  # of one that had not seen the seal
        stream.write('{"path": "b", "size": 1, "modified": 2}\n"sealed"\n')
    paused.add(files("c"), seal=True)
    assert paths(paused) == paths(FileLog(str(tmp_path))) == ["a"]


def test_a_log_of_an_earlier_version_goes_on(tmp_path: Path) -> None:
    (tmp_path / "files.jsonl").write_text('{"path": "a", "size": 1, "modified": 2}\n')
    log = FileLog(str(tmp_path))
    log.add(files("b"), seal=False)
    assert [file.digest for file in FileLog(str(tmp_path)).files] == ["", "d"]


def test_an_append_that_fails_leaves_the_log_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = FileLog(str(tmp_path))
    log.add(files("a"), seal=False)
    before = (tmp_path / "files.jsonl").read_bytes()

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(JobError, match=r"files\.jsonl: cannot be written: No space left on device"):
            log.add(files("b"), seal=True)
    assert (tmp_path / "files.jsonl").read_bytes() == before
    assert (paths(log), log.sealed) == (["a"], False)
    log.add(files("b"), seal=True)
    assert paths(FileLog(str(tmp_path))) == ["a", "b"]


def test_an_append_reads_what_was_appended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And not the whole log: it may name a million files."""
    log = FileLog(str(tmp_path))
    log.add(files(*(f"file-{n}" for n in range(1000))), seal=False)
    read: list[str] = []
    loads = json.loads
    monkeypatch.setattr(json, "loads", lambda text: (read.append(text), loads(text))[1])
    log.add(files("new"), seal=False)
    log.add(files("new", "file-1"), seal=False)
    assert len(read) == 1
    assert len(FileLog(str(tmp_path)).files) == 1001
