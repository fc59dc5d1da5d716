"""Other users of the machine are kept out of a local Spark by its settings."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest

from firesteel.spark import temporary
from firesteel.spark.launch.private_sockets import SECRET, SOCKET_FOLDER, UNIX_SOCKETS, with_private_sockets
from firesteel.spark.launch.settings import LaunchOptions


def settings(master: str | None = None, **conf: str) -> dict[str, str]:
    given = {key.replace("_", "."): value for key, value in conf.items()}
    return with_private_sockets(LaunchOptions(master, conf=given).settings())


def test_a_local_spark_asks_for_a_secret_and_uses_unix_sockets() -> None:
    made = settings()
    assert made["spark.authenticate"] == "true"
    assert made[UNIX_SOCKETS] == "true"
    assert Path(made[SOCKET_FOLDER]).stat().st_mode & 0o777 == 0o700
    assert SECRET not in made  # Spark makes it


def test_executors_on_this_machine_share_a_secret_of_their_own() -> None:
    one, other = (settings("local-cluster[1,1,1024]")[SECRET] for _ in range(2))
    assert len(one) == 64
    assert one != other


def test_what_the_user_sets_stands() -> None:
    assert settings(spark_authenticate="false")["spark.authenticate"] == "false"
    own = settings(**{SOCKET_FOLDER: "/mine"})
    assert own[SOCKET_FOLDER] == "/mine"
    off = settings(**{UNIX_SOCKETS: "false"})
    assert SOCKET_FOLDER not in off


def test_the_settings_of_a_cluster_are_the_user_s() -> None:
    options = LaunchOptions("spark://there:7077")
    assert with_private_sockets(options.settings()) == options.settings()


def test_sockets_lie_elsewhere_if_the_temporary_folder_has_a_long_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    deep = tmp_path / ("x" * 90)
    deep.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(deep))
    temporary.process_folder.cache_clear()
    folder = temporary.socket_folder()
    try:
        assert len(os.fsencode(folder)) < 60
        assert folder.parent.stat().st_mode & 0o777 == folder.stat().st_mode & 0o777 == 0o700
        assert temporary.process_folder().is_relative_to(deep)
    finally:
        folder.rmdir()
        temporary.process_folder.cache_clear()
