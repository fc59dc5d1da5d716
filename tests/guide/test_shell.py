"""The page on the shell: its session, as it is typed from a pipe."""

from __future__ import annotations

import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.guide.test_examples import GUIDE, blocks


@pytest.mark.spark
@pytest.mark.slow
def test_the_session_prints_what_the_guide_says(tmp_path: Path) -> None:
    parts = blocks((GUIDE / "shell.md").read_text(encoding="utf-8"))
    (tmp_path / "orders.json").write_text(parts["orders.json"], encoding="utf-8")
    (typed,) = (name for name in parts if name.startswith("firesteel shell "))
    words = shlex.split(typed)
    assert words[-2:] == ["<", "session.sql"]
    command = [sys.executable, "-m", "firesteel.cli.main", *words[1:-2], "--set", "parallelism.default=1"]
    done = subprocess.run(
        command, cwd=tmp_path, input=parts["session.sql"], capture_output=True, text=True, timeout=250,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout == parts[typed]
