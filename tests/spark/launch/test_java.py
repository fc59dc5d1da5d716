"""Java is found, or its absence is told with what to do."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from firesteel.errors import UsageError
from firesteel.spark.launch.java import find_java


def install(folder: Path, version: str, release: bool = True) -> Path:
    """A Java in `folder` that says its version in its release file, or when it is run."""
    (folder / "bin").mkdir(parents=True)
    java = folder / "bin" / "java"
    java.write_text(f"#!/bin/sh\necho 'openjdk version \"{version}\"' >&2\n")
    java.chmod(java.stat().st_mode | stat.S_IXUSR)
    if release:
        (folder / "release").write_text(f'IMPLEMENTOR="x"\nJAVA_VERSION="{version}"\n')
    return folder


@pytest.mark.parametrize("release", [True, False])
@pytest.mark.parametrize("version", ["17.0.15", "21", "25.0.1"])
def test_java_of_java_home(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: str, release: bool
) -> None:
    monkeypatch.setenv("JAVA_HOME", str(install(tmp_path / "jdk", version, release)))
    assert find_java().version == version


@pytest.mark.parametrize("version", ["1.8.0_402", "11.0.2"])
def test_an_old_java_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: str) -> None:
    monkeypatch.setenv("JAVA_HOME", str(install(tmp_path / "jdk", version)))
    with pytest.raises(UsageError, match="too old") as told:
        find_java()
    assert "17 or later" in str(told.value.hint)


def test_no_java_is_reported_with_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UsageError, match="no java on PATH"):
        find_java()
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(UsageError, match="has no bin/java"):
        find_java()


def test_java_of_the_path_is_resolved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = install(tmp_path / "jdk", "17.0.1")
    (tmp_path / "links").mkdir()
    (tmp_path / "links" / "java").symlink_to(home / "bin" / "java")
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path / "links"))
    assert find_java().executable == home / "bin" / "java"
