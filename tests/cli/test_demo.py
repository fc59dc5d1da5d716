"""The demo as a user runs it: a process of its own, its output what Flink printed for the same script."""

from __future__ import annotations

import subprocess
import sys

import pytest

from firesteel.cli.demo import folder


@pytest.mark.spark
@pytest.mark.slow
def test_the_demo_prints_the_plan_and_the_changes_that_flink_prints() -> None:
    command = [sys.executable, "-m", "firesteel.cli.main", "demo"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    shown = [line for line in done.stdout.splitlines() if not line.startswith("> ")]
    expected = (folder() / "expected.txt").read_text(encoding="utf-8").splitlines()
    assert [line for line in shown if line] == [line for line in expected if line]
    assert "the same by hand: firesteel run " in done.stderr
