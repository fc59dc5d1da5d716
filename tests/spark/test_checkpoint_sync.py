"""What is made durable in a checkpoint, and what is left when the power is cut."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from firesteel import durability
from firesteel.durability import make_folders, write_whole
from firesteel.errors import JobError
from firesteel.spark.checkpoint.folder import check_logs
from firesteel.spark.checkpoint.sync import CheckpointSync
from tests.recovery.disk import Disk


@pytest.fixture
def disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Disk:
    monkeypatch.setenv(durability.TRACE, "")
    return Disk(tmp_path / "trace")


def put(path: Path, text: str) -> None:
    """As Spark does: written beside and renamed, without a sync."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.tmp")
    draft.write_text(text)
    draft.rename(path)


def left(disk: Disk, to: Path) -> dict[str, str]:
    disk.cut(to, random.Random(1), 0.0)
    return {str(p.relative_to(to)): p.read_text() for p in to.rglob("*") if p.is_file()}


def test_only_what_was_synced_is_left(disk: Disk, tmp_path: Path) -> None:
    top = tmp_path / "top"
    put(top / "checkpoint" / "spark" / "offsets" / "0", "zero")
    disk.begin(top)
    sync = CheckpointSync(top / "checkpoint")
    put(top / "checkpoint" / "spark" / "offsets" / "1", "one")
    put(top / "checkpoint" / "spark" / "state" / "0" / "1.changelog", "state")
    assert left(disk, tmp_path / "before") == {"checkpoint/spark/offsets/0": "zero"}
    sync.ended(sync.begin())
    put(top / "checkpoint" / "spark" / "offsets" / "1", "another")
    put(top / "checkpoint" / "spark" / "commits" / "1", "not yet")
    expected = {
        "checkpoint/spark/offsets/0": "zero",
        "checkpoint/spark/offsets/1": "one",
        "checkpoint/spark/state/0/1.changelog": "state",
    }
    assert left(disk, tmp_path / "after") == expected
    sync.ended(sync.begin())
    sync.close()
    expected |= {"checkpoint/spark/offsets/1": "another", "checkpoint/spark/commits/1": "not yet"}
    assert left(disk, tmp_path / "again") == expected


def test_what_was_synced_is_not_synced_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[str] = []
    monkeypatch.setattr(durability, "_sync", lambda _, path, is_folder=False: synced.append(path.name))
    sync = CheckpointSync(tmp_path)
    put(tmp_path / "offsets" / "0", "zero")
    sync.ended(sync.begin())
    synced.clear()
    put(tmp_path / "offsets" / "1", "one")
    (tmp_path / "offsets" / ".2.tmp").write_text("a draft")
    sync.ended(sync.begin())
    assert sorted(synced) == ["1", "offsets"]
    synced.clear()
    (tmp_path / "offsets" / "0").unlink()
    sync.ended(sync.begin())
    assert synced == []
    sync.close()


def test_a_file_that_grows_under_its_name_is_synced_again(disk: Disk, tmp_path: Path) -> None:
    """Spark copies SST files so, perhaps while a sync looks at them."""
    top = tmp_path / "top"
    sst = top / "spark" / "state" / "0" / "0" / "SSTs" / "1.sst"
    sst.parent.mkdir(parents=True)
    disk.begin(top)
    sync = CheckpointSync(top)
    for text in ("half", "half and half"):
        with sst.open("w") as stream:
            stream.write(text)
        sync.ended(sync.begin())
        assert left(disk, tmp_path / text) == {"spark/state/0/0/SSTs/1.sst": text}
    sync.close()


def test_a_disk_that_fails_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(descriptor: int, path: Path, is_folder: bool = False) -> None:
        raise OSError(5, "Input/output error", str(path))

    monkeypatch.setattr(durability, "_sync", fail)
    put(tmp_path / "offsets" / "0", "zero")
    sync = CheckpointSync(tmp_path)
    with pytest.raises(JobError, match=r"cannot be made durable: Input/output error: .*offsets/0"):
        sync.ended(sync.begin())
    sync.close()


def test_a_file_written_whole(disk: Disk, tmp_path: Path) -> None:
    (tmp_path / "top").mkdir()
    disk.begin(tmp_path / "top")
    write_whole(tmp_path / "top" / "a" / "b" / "file.json", "{}")
    make_folders(tmp_path / "top" / "c" / "d")
    assert left(disk, tmp_path / "left") == {"a/b/file.json": "{}"}
    assert (tmp_path / "left" / "c" / "d").is_dir()


def test_the_trace_is_off_by_default(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(durability.TRACE, raising=False)
    write_whole(tmp_path / "file", "text")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


@pytest.mark.parametrize("log", ["offsets", "commits"])
def test_an_empty_last_file_of_a_log_is_removed(tmp_path: Path, log: str) -> None:
    line = json.dumps({"file": 1})
    for name in ("offsets", "commits"):
        for batch in (8, 9, 10):
            put(tmp_path / "spark" / name / str(batch), f"v1\n{{}}\n{line}")
    (tmp_path / "spark" / log / "10").write_text("")
    check_logs(str(tmp_path))
    assert {path.name for path in (tmp_path / "spark" / log).iterdir()} == {"8", "9"}
    (tmp_path / "spark" / log / "8").write_text("")
    with pytest.raises(JobError, match="8: the checkpoint's file is damaged"):
        check_logs(str(tmp_path))


@pytest.mark.parametrize("missing", [True, False])
@pytest.mark.parametrize("committed", [True, False])
def test_metadata_whose_schema_is_lost_is_removed(tmp_path: Path, missing: bool, committed: bool) -> None:
    """Unless its batch is committed: then the schema was synced, and its loss is no power cut's."""
    state = tmp_path / "spark" / "state" / "0"
    stores = [
        {"stateSchemaFilePaths": [f"file:/elsewhere/_stateSchema/default/0_{name}"]} for name in ("a", "b")
    ]
    metadata = state / "_metadata" / "v2" / "0"
    put(metadata, "v2\n" + json.dumps({"stateStoreInfo": stores}))
    put(tmp_path / "spark" / "offsets" / "0", "v1\n{}\n{}")
    for name in ("a",) if missing else ("a", "b"):
        put(state / "_stateSchema" / "default" / f"0_{name}", "schema")
    if committed:
        put(tmp_path / "spark" / "commits" / "0", "v1\n{}")
    check_logs(str(tmp_path))
    assert metadata.exists() == (committed or not missing)
