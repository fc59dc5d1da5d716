"""Killed at any instant and started again, the sink's files fold to the batch answer."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.recovery.kills import run


@pytest.mark.spark
@pytest.mark.slow
@pytest.mark.parametrize("mode", ["records", "bundles"])
def test_killed(tmp_path: Path, mode: str) -> None:
    counts = run(tmp_path, events=3000, kills=3 if mode == "records" else 2, batches=8, mode=mode)
    assert counts.killed >= 1


@pytest.mark.spark
@pytest.mark.slow
def test_a_run_beside_another_is_refused(tmp_path: Path) -> None:
    counts = run(tmp_path, events=3000, kills=1, batches=60, beside=True)
    assert counts.refused >= 1
