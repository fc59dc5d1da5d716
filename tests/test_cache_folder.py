"""Code of other users is not loaded from the cache folder, and that is said once."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from firesteel.cache_folder import private_cache_folder, read_trusted, write_private

AS_ROOT = pytest.mark.skipif(os.getuid() != 0, reason="only root can give a file to another user")
NOBODY = 65534


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("FIRESTEEL_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.delenv("FIRESTEEL_CACHE_NOT_USED", raising=False)
    return tmp_path / "cache"


def test_folders_and_files_are_made_private(cache: Path) -> None:
    folder = private_cache_folder("kernels")
    write_private(folder / "x", b"1")
    modes = [path.stat().st_mode & 0o777 for path in (cache, folder, folder / "x")]
    assert modes == [0o700, 0o700, 0o600]
    assert read_trusted(folder / "x") == b"1"
    assert [path.name for path in folder.iterdir()] == ["x"]


def test_writers_with_one_process_id_do_not_share_a_temporary_file(cache: Path) -> None:
    folder = private_cache_folder("kernels")
    (folder / f"{os.getpid()}.tmp").write_bytes(b"half of another container's")
    write_private(folder / "x", b"1")
    assert (folder / f"{os.getpid()}.tmp").read_bytes() == b"half of another container's"


@AS_ROOT
def test_a_folder_of_another_user_is_not_used(cache: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (cache / "kernels").mkdir(parents=True)
    os.chown(cache / "kernels", NOBODY, NOBODY)
    for name in ("kernels", "jvm", "kernels"):
        with pytest.raises(PermissionError, match="owns it"):
            private_cache_folder(name)
    assert capsys.readouterr().err.count("The cache is not used") == 1
    child = "from firesteel.cache_folder import private_cache_folder; private_cache_folder('jvm')"
    done = subprocess.run([sys.executable, "-c", child], capture_output=True, text=True)
    assert "PermissionError" in done.stderr
    assert "The cache is not used" not in done.stderr


def test_a_cache_folder_that_all_may_write_is_not_used_nor_changed(cache: Path) -> None:
    cache.mkdir()
    cache.chmod(0o777)
    with pytest.raises(PermissionError, match="every user may write"):
        private_cache_folder("jvm")
    assert cache.stat().st_mode & 0o777 == 0o777
    cache.chmod(0o1777)  # as /tmp: nobody can replace another's folder
    assert private_cache_folder("jvm").stat().st_mode & 0o777 == 0o700


@AS_ROOT
@pytest.mark.parametrize("mode", [0o755, 0o1777], ids=["plain", "sticky"])
@pytest.mark.parametrize("is_default", [True, False], ids=["default", "own"])
def test_a_cache_folder_whose_owner_could_replace_what_is_in_it(
    cache: Path, is_default: bool, mode: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    if is_default:
        monkeypatch.delenv("FIRESTEEL_CACHE_DIR")
        monkeypatch.setenv("XDG_CACHE_HOME", str(cache.parent))
        cache = cache.with_name("firesteel")
    cache.mkdir()
    os.chown(cache, NOBODY, NOBODY)
    cache.chmod(mode)
    with pytest.raises(PermissionError, match="owns it"):
        private_cache_folder("jvm")


@AS_ROOT
def test_files_of_others_and_links_are_not_read(cache: Path) -> None:
    folder = private_cache_folder("kernels")
    write_private(folder / "x", b"1")
    (folder / "link").symlink_to(folder / "x")
    with pytest.raises(OSError):
        read_trusted(folder / "link")
    os.chown(folder / "x", NOBODY, NOBODY)
    with pytest.raises(PermissionError):
        read_trusted(folder / "x")
