"""Snapshots that no run may begin with are removed from a checkpoint."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest

from firesteel.spark.checkpoint.snapshots import first_batch, remove_useless_snapshots


def snapshot(store: Path, version: int, sst: str | None = "content") -> None:
    """Write a snapshot as Spark does. sst: what is left of its file; None for no file."""
    name = f"{version}.sst"
    (store / "SSTs").mkdir(parents=True, exist_ok=True)
    if sst is not None:
        (store / "SSTs" / name).write_text(sst)
    files = [{"localFileName": name, "dfsSstFileName": name, "sizeBytes": len("content")}]
    with zipfile.ZipFile(store / f"{version}.zip", "w") as archive:
        archive.writestr("metadata", f"v1\n{json.dumps({'sstFiles': files, 'numKeys': 1})}")


def begin(folder: Path, planned: int, committed: int) -> Path:
    """Make the logs of a checkpoint. Return the folder of a state store."""
    for log, last in (("offsets", planned), ("commits", committed)):
        (folder / "spark" / log).mkdir(parents=True)
        for batch in range(last + 1):
            (folder / "spark" / log / str(batch)).write_text("v1")
    return folder / "spark" / "state" / "0" / "0"


def left(store: Path) -> list[str]:
    return sorted(path.name for path in store.glob("*.zip"))


@pytest.mark.parametrize(("planned", "committed", "expected"), [(-1, -1, 0), (3, 2, 3), (3, 3, 4), (3, 1, 3)])
def test_the_first_batch(tmp_path: Path, planned: int, committed: int, expected: int) -> None:
    begin(tmp_path, planned, committed)
    assert first_batch(None, str(tmp_path)) == expected


def test_snapshots_of_later_versions_are_removed(tmp_path: Path) -> None:
    store = begin(tmp_path, planned=3, committed=2)
    for version in (1, 3, 4, 5):
        snapshot(store, version)
    remove_useless_snapshots(None, str(tmp_path))
    assert left(store) == ["1.zip", "3.zip"]


@pytest.mark.parametrize("sst", ["", "cont", None])
def test_a_snapshot_with_lost_files_is_removed(tmp_path: Path, sst: str | None) -> None:
    store = begin(tmp_path, planned=3, committed=2)
    snapshot(store, 1)
    snapshot(store, 3, sst)
    remove_useless_snapshots(None, str(tmp_path))
    assert left(store) == ["1.zip"]


def test_a_cut_snapshot_is_removed_and_one_of_another_form_stays(tmp_path: Path) -> None:
    store = begin(tmp_path, planned=9, committed=8)
    snapshot(store, 3)
    with zipfile.ZipFile(store / "2.zip", "w") as archive:
        archive.writestr("metadata", "v9\n[]")
    whole = (store / "3.zip").read_bytes()
    (store / "3.zip").write_bytes(whole[: len(whole) // 2])
    remove_useless_snapshots(None, str(tmp_path))
    assert left(store) == ["2.zip"]
