"""Killed at any instant and started again, the sink's files fold to the batch answer."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.recovery.kills import run


@pytest.mark.spark
@pytest.mark.slow
@pytest.mark.parametrize("mode", ["records", "bundles"])
def test_killed(tmp_path: Path, mode: str) -> None:
    assert run(tmp_path, events=3000, kills=3 if mode == "records" else 2, batches=8, mode=mode) >= 1
