"""The page on the shell: its session, as it is typed from a pipe."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from firesteel.sql.variables import substitute
from tests.guide.test_examples import GUIDE, blocks


@pytest.mark.spark
@pytest.mark.slow
def test_the_session_prints_what_the_guide_says(tmp_path: Path) -> None:
    parts = blocks((GUIDE / "shell.md").read_text(encoding="utf-8"))
    (tmp_path / "orders.json").write_text(parts["orders.json"], encoding="utf-8")
    typed = substitute(parts["session.sql"], {"DATA": str(tmp_path)})
    command = [sys.executable, "-m", "firesteel.cli.main", "shell", "--set", "parallelism.default=1"]
    done = subprocess.run(command, input=typed, capture_output=True, text=True, timeout=250, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout == parts["firesteel shell < session.sql"]
