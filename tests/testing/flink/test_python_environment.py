"""The Python with Flink: what is wrong with the one that is named, and an installation without a network."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from firesteel.errors import UsageError
from firesteel.testing.flink import python_environment
from firesteel.testing.flink.python_environment import cause, flink_python
from tests.testing.flink.fake_flink import fake_python


def test_a_python_with_flink_is_taken(tmp_path: Path) -> None:
    python = fake_python(tmp_path, [])
    assert flink_python(python, None) == python


@pytest.mark.parametrize(
    ("python", "message"),
    [
        ("/no/such/python", "/no/such/python does not run: No such file or directory"),
        (sys.executable, "does not have the package apache-flink"),
    ],
)
def test_a_python_that_has_no_flink_is_refused(python: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        flink_python(python, None)


@pytest.mark.parametrize("version", ["2", "latest", "2.3", "2.3.0; rm"])
def test_another_version_is_three_numbers(version: str) -> None:
    with pytest.raises(UsageError, match="--flink-version takes a version such as"):
        flink_python(None, version)


def test_a_version_and_a_python_exclude_each_other() -> None:
    with pytest.raises(UsageError, match="not both"):
        flink_python("/usr/bin/python3", "2.3.0")


@pytest.mark.parametrize(
    ("output", "why"),
    [
        ("Collecting x\nERROR: No x found\n\nnote: look there\n", "No x found"),
        ("  error: subprocess\n  \n  \u2570\u2500> ERROR: No space left\n\nnote: it\n", "No space left"),
        ("The virtual environment was not created\n", "The virtual environment was not created"),
        ("", "no message"),
    ],
)
def test_the_cause_of_a_failure_is_one_line(output: str, why: str) -> None:
    assert cause(output) == why


@pytest.mark.slow
@pytest.mark.full
def test_without_a_network_there_is_one_error_and_nothing_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("FIRESTEEL_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")
    monkeypatch.setenv("PIP_RETRIES", "0")
    for name in ("PIP_EXTRA_INDEX_URL", "PIP_FIND_LINKS", "PIP_NO_INDEX"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(UsageError, match="cannot be installed: No matching distribution") as raised:
        flink_python(None, None)
    assert "--flink-python PATH" in str(raised.value)
    assert list((tmp_path / "cache" / "flink").iterdir()) == []
    assert capsys.readouterr().err.count("This happens once.") == 1


def test_an_environment_in_the_cache_folder_is_used_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FIRESTEEL_CACHE_DIR", str(tmp_path / "cache"))
    made: list[Path] = []

    def make(folder: Path, base: str, version: str) -> None:
        made.append(folder)
        (folder / "bin").mkdir(parents=True)
        (folder / "bin" / "python").touch()

    monkeypatch.setattr(python_environment, "_make", make)
    monkeypatch.setattr(python_environment, "_base_python", lambda: "/usr/bin/python3.12")
    first = flink_python(None, "2.2.1")
    assert flink_python(None, "2.2.1") == first == str(made[0] / "bin" / "python")
    assert made[0].name.startswith("2.2.1-python3.12")
    assert len(made) == 1
