"""The folder of runs is this user's, whatever lies in the folder for temporary files."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from firesteel.runtime.state.cache import RunCache
from firesteel.spark.stream.keyed_processor import run_cache


def folder_of(cache: RunCache) -> Path:
    return cache._directory


@pytest.fixture(autouse=True)
def local(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("SPARK_LOCAL_DIRS", str(tmp_path))
    run_cache.cache_clear()
    yield
    run_cache.cache_clear()


def test_it_is_private(tmp_path: Path) -> None:
    folder = folder_of(run_cache())
    assert folder.parent == tmp_path
    assert folder.stat().st_mode & 0o777 == 0o700


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give a file to another user")
def test_one_that_another_user_has_made_is_not_used(tmp_path: Path) -> None:
    planted = tmp_path / f"firesteel-runs-{os.getuid()}"
    planted.mkdir(mode=0o777)
    os.chown(planted, 65534, 65534)
    folder = folder_of(run_cache())
    assert folder.parent != tmp_path
    assert folder.stat().st_uid == 0


def test_a_link_that_another_user_could_have_made_is_not_used(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / f"firesteel-runs-{os.getuid()}").symlink_to(tmp_path / "elsewhere")
    assert folder_of(run_cache()).parent != tmp_path
