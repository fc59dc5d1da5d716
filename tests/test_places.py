"""Nothing depends on where a clone lies: not on a folder of the package's name, nor on blanks and umlauts."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[1]


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A copy of what runs, in a folder like those that people have."""
    folder = tmp_path / "mein Häuschen" / "firesteel"
    for part in ("src", "tests", "examples"):
        shutil.copytree(PROJECT / part, folder / part, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(PROJECT / "pyproject.toml", folder)
    return folder


def run_in(clone: Path, *arguments: str) -> str:
    """Output of this Python with the copy's package; must succeed."""
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=clone,
        env={**os.environ, "PYTHONPATH": str(clone / "src")},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert done.returncode == 0, done.stdout
    return done.stdout


@pytest.mark.full
def test_errors_name_their_place_in_the_users_functions(clone: Path) -> None:
    where = run_in(clone, "-c", "import firesteel; print(firesteel.__file__)")
    assert where.startswith(str(clone))
    run_in(clone, "-m", "pytest", "-m", "not spark", "tests/functions/python")


@pytest.mark.spark
@pytest.mark.slow
@pytest.mark.full
def test_the_demo_runs(clone: Path) -> None:
    job = clone / "examples" / "demo" / "job.sql"
    shown = run_in(clone, "-m", "firesteel.cli.main", "demo")
    assert "17 rows in set" in shown
    assert f"the same by hand: firesteel run '{job}' -D 'DATA={job.parent}'" in shown
