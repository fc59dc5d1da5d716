"""What other users could have written is not trusted."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from firesteel import file_trust
from firesteel.file_trust import distrust, first_distrusted, make_private

AS_ROOT = pytest.mark.skipif(os.getuid() != 0, reason="only root can give a file to another user")


@pytest.mark.parametrize("mode", [0o600, 0o644, 0o755, 0o400])
def test_one_s_own_file_is_trusted(tmp_path: Path, mode: int) -> None:
    file = tmp_path / "x"
    file.write_text("x")
    file.chmod(mode)
    assert distrust(file) is None


@pytest.mark.parametrize("mode", [0o666, 0o602, 0o777, 0o1777])
def test_one_that_all_may_write_is_not(tmp_path: Path, mode: int) -> None:
    folder = tmp_path / "x"
    folder.mkdir()
    folder.chmod(mode)
    assert distrust(folder) == "every user may write to it"


def test_a_group_of_one_s_own_may_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "x"
    file.write_text("x")
    file.chmod(0o660)
    monkeypatch.setattr(file_trust, "_is_own_group", lambda group: True)
    assert distrust(file) is None
    monkeypatch.setattr(file_trust, "_is_own_group", lambda group: False)
    assert distrust(file) == f"group {file.stat().st_gid} may write to it"


def test_a_link_is_not_trusted_though_its_target_is(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("x")
    (tmp_path / "link").symlink_to(tmp_path / "x")
    assert distrust(tmp_path / "link") == "it is a symbolic link"
    assert distrust(tmp_path / "link", follow_links=True) is None


@AS_ROOT
def test_another_user_s_file_is_not_trusted(tmp_path: Path) -> None:
    mine, other = tmp_path / "mine", tmp_path / "other"
    for file in (mine, other):
        file.write_text("x")
    os.chown(other, 65534, 65534)
    found = first_distrusted([mine, tmp_path / "gone", other])
    assert found is not None
    assert found[0] == other
    assert found[1].startswith("user ")


def test_a_folder_is_made_private_and_one_s_own_is_closed(tmp_path: Path) -> None:
    folder = tmp_path / "a" / "b"
    make_private(folder)
    assert folder.stat().st_mode & 0o777 == 0o700
    folder.chmod(0o777)
    make_private(folder)
    assert folder.stat().st_mode & 0o777 == 0o700
    folder.chmod(0o755)  # others may look, which is the user's to decide
    make_private(folder)
    assert folder.stat().st_mode & 0o777 == 0o755
