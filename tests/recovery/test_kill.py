"""Killed at any instant and started again, the sink's files fold to the batch answer."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.recovery.kills import run


@pytest.mark.spark
@pytest.mark.slow
def test_killed_three_times(tmp_path: Path) -> None:
    assert run(tmp_path, events=3000, kills=3, batches=8) >= 2
