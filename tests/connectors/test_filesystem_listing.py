"""Files are found once, and a poll costs what the new ones cost."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from firesteel.connectors.filesystem import listing as filesystem_listing
from firesteel.connectors.filesystem.listing import Listing
from firesteel.errors import DataError


class Clock:
    """The monotonic clock, which the test moves, and the folders that were listed."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 100.0
        self.listed: list[str] = []
        listdir = os.listdir

        def listing(path: str) -> list[str]:
            self.listed.append(path)
            return listdir(path)

        monkeypatch.setattr(time, "monotonic", lambda: self.now)
        monkeypatch.setattr(os, "listdir", listing)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(monkeypatch)


def names(listing: Listing) -> list[str]:
    return [Path(file.path).name for file in listing.new()]


def make(folder: Path, *files: str, modified: int | None = None) -> None:
    """Files in a folder, whose own time is as given afterwards."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in files:
        (folder / name).write_text("x")
    if modified is not None:
        os.utime(folder, (modified, modified))


def test_each_file_is_found_once(tmp_path: Path, clock: Clock) -> None:
    make(tmp_path, "a", "_b", ".c")
    make(tmp_path / "deep", "d")
    listing = Listing(str(tmp_path))
    assert sorted(names(listing)) == ["a", "d"]
    assert names(listing) == []
    make(tmp_path / "deep", "e")
    make(tmp_path / "new", "f")
    assert sorted(names(listing)) == ["e", "f"]
    (tmp_path / "a").unlink()
    make(tmp_path, "a")  # under a name that was found before
    assert names(listing) == []


def test_a_folder_that_is_quiet_is_not_listed(tmp_path: Path, clock: Clock) -> None:
    make(tmp_path / "quiet", "a", modified=1000)
    make(tmp_path, "b", modified=1000)
    listing = Listing(str(tmp_path))
    assert sorted(names(listing)) == ["a", "b"]
    clock.now += 2
    make(tmp_path / "quiet", "c", modified=1000)  # within what the file system tells apart
    assert names(listing) == ["c"]
    clock.now += 4
    assert names(listing) == []
    clock.listed.clear()
    clock.now += 1
    assert names(listing) == []
    assert clock.listed == []
    make(tmp_path / "quiet", "d", modified=2000)
    assert names(listing) == ["d"]
    assert clock.listed == [str(tmp_path / "quiet")]


def test_a_mount_that_keeps_no_time_is_listed_each_time(tmp_path: Path, clock: Clock) -> None:
    make(tmp_path, "a", modified=1000)
    listing = Listing(str(tmp_path))
    assert names(listing) == ["a"]
    clock.now += 6
    assert names(listing) == []
    make(tmp_path, "b", modified=1000)
    clock.now += 1
    assert names(listing) == []
    clock.now += 30
    assert names(listing) == ["b"]
    make(tmp_path, "c", modified=1000)
    assert names(listing) == ["c"]


def test_a_file_that_goes_while_it_is_looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make(tmp_path, "a")
    (tmp_path / "later").symlink_to(tmp_path / "target")
    listing = Listing(str(tmp_path))
    assert names(listing) == ["a"]
    (tmp_path / "target").write_text("x")
    assert sorted(names(listing)) == ["later", "target"]


def test_what_is_known_is_not_found(tmp_path: Path) -> None:
    make(tmp_path, "a", "b")
    listing = Listing(str(tmp_path))
    listing.know([str(tmp_path / "a")])
    assert names(listing) == ["b"]
    alone = Listing(str(tmp_path / "a"))
    assert (names(alone), names(alone)) == (["a"], [])


def test_folders_that_go(tmp_path: Path) -> None:
    make(tmp_path / "day", "a")
    listing = Listing(str(tmp_path))
    assert names(listing) == ["a"]
    (tmp_path / "day" / "a").unlink()
    (tmp_path / "day").rmdir()
    assert names(listing) == []
    make(tmp_path / "day", "b")
    assert names(listing) == ["b"]
    with pytest.raises(DataError, match="does not exist"):
        Listing(str(tmp_path / "nothing")).new()
    assert filesystem_listing.list_files(str(tmp_path))[0].size == 1
