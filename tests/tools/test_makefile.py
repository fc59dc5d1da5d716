"""`make demo` and `make test` share one environment: it is made once, whichever comes first."""

from __future__ import annotations

import configparser
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.conftest import LEAN_ON_PRIVATES

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.skipif(shutil.which("make") is None, reason="needs make")


def make(*arguments: str) -> str:
    """Run make in the project's folder, as if no make ran this test, and return what it prints."""
    own = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    command = ["make", *arguments]
    done = subprocess.run(command, cwd=ROOT, env=own, capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stderr
    return done.stdout


def steps(target: str, environment: Path) -> list[str]:
    """The steps of making an environment that `make TARGET` would take."""
    marks = {"-m venv": "venv", "-e .": "install", ".[dev]": "tools", "kernels.warm": "compile"}
    lines = make("--dry-run", target, f"VENV={environment}").splitlines()
    return [step for line in lines for mark, step in marks.items() if mark in line]


def test_it_is_made_once(tmp_path: Path) -> None:
    assert steps("demo", tmp_path) == ["venv", "install"]
    assert steps("test", tmp_path) == ["venv", "tools", "compile"]
    (tmp_path / "pyvenv.cfg").touch()
    assert steps("test", tmp_path) == ["tools", "compile"]
    (tmp_path / ".usable").touch()
    assert steps("demo", tmp_path) == []
    assert steps("lint", tmp_path) == ["tools"]
    (tmp_path / ".installed").touch()
    assert steps("types", tmp_path) == []
    assert steps("test", tmp_path) == ["compile"]
    (tmp_path / ".compiled").touch()
    assert steps("test", tmp_path) == []
    (tmp_path / ".ready").touch()
    assert steps("test", tmp_path) == []


def test_the_tests_find_class_data_archives(tmp_path: Path) -> None:
    lines = make("-n", "test", f"VENV={tmp_path}").splitlines()
    steps = [step for line in lines for step in ("warm_spark", "-m pytest") if step in line]
    assert steps == ["warm_spark", "-m pytest"]


def test_the_steps_keep_what_python_compiles(tmp_path: Path) -> None:
    """Most of it is imported by the kernels' compiler and by pytest; every process would compile it again."""
    lines = make("-n", "test", f"VENV={tmp_path}").splitlines()
    assert [line for line in lines if "kernels.warm" in line and "PYTHONDONTWRITEBYTECODE= " in line]


def test_all_private_tests_run_on_the_oldest_pyspark(request: pytest.FixtureRequest) -> None:
    lines = make("-n", "test-spark-versions", "OLDEST_READY=").splitlines()
    (command,) = (line for line in lines if "-m private" in line)
    named = [ROOT / word for word in command.split() if word.startswith("tests/")]
    assert set(named) >= LEAN_ON_PRIVATES
    paths = {item.path for item in request.session.items if item.get_closest_marker("private")}
    assert [path for path in paths if not any(map(path.is_relative_to, named))] == []


def test_pyspark_is_not_compressed() -> None:
    shown = make("--silent", "--eval", "shown: ; @echo $$DIST_EXTRA_CONFIG", "shown").strip()
    settings = configparser.ConfigParser()
    assert settings.read(shown) == [str(ROOT / "tools" / "stored_wheels.cfg")]
    assert settings["bdist_wheel"]["compression"] == "stored"
