"""A checkpoint that other users may write to is not used: what is in it can run as code."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from firesteel.errors import UsageError
from firesteel.spark.checkpoint.folder import open_folder

REFUSED = r"the checkpoint .* is not used: .*what is in it can run as code"


def opened(folder: Path, *, trusts_others: bool = False) -> None:
    lock = open_folder(str(folder), trusts_others=trusts_others)
    assert lock is not None
    lock.release()


def test_a_new_folder_is_private(tmp_path: Path) -> None:
    opened(tmp_path / "a" / "b")
    assert (tmp_path / "a" / "b").stat().st_mode & 0o777 == 0o700


def test_one_that_others_may_read_stays_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir(mode=0o755)
    (tmp_path / "a" / "x").write_text("x")
    (tmp_path / "a" / "link").symlink_to("x")
    opened(tmp_path / "a")
    assert (tmp_path / "a").stat().st_mode & 0o777 == 0o755


def test_one_that_all_may_write_is_refused_unless_they_are_trusted(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a").chmod(0o777)
    with pytest.raises(UsageError, match=REFUSED) as error:
        opened(tmp_path / "a")
    assert "firesteel.checkpoint.allow-writable-by-others" in str(error.value)
    assert not list((tmp_path / "a").iterdir())
    opened(tmp_path / "a", trusts_others=True)


def test_what_is_in_it_counts_if_others_can_get_there(tmp_path: Path) -> None:
    inner = tmp_path / "a" / "spark" / "state"
    inner.mkdir(parents=True)
    inner.chmod(0o777)
    (tmp_path / "a").chmod(0o755)
    with pytest.raises(UsageError, match=f"{inner}: every user may write to it"):
        opened(tmp_path / "a")
    (tmp_path / "a").chmod(0o700)
    opened(tmp_path / "a")


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give a file to another user")
def test_one_of_another_user_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir(mode=0o700)
    os.chown(tmp_path / "a", 65534, 65534)
    with pytest.raises(UsageError, match="owns it"):
        opened(tmp_path / "a")
    os.chown(tmp_path / "a", 0, 0)
    (tmp_path / "a").chmod(0o755)
    (tmp_path / "a" / "x").write_text("x")
    os.chown(tmp_path / "a" / "x", 65534, 65534)
    with pytest.raises(UsageError, match=f"{tmp_path}/a/x: user .* owns it"):
        opened(tmp_path / "a")
