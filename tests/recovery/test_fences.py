"""A run that is paused, taken over, and goes on: nothing is written twice or lost, and it is told."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tests.recovery.fences import fenced


@pytest.mark.spark
@pytest.mark.slow
@pytest.mark.full
@pytest.mark.parametrize("place", ["deciding", "begun", "noted", "committed"])
def test_paused_while_another_run_takes_over(tmp_path: Path, place: str) -> None:
    fenced(tmp_path, place)


@pytest.mark.spark
@pytest.mark.slow
@pytest.mark.full
def test_paused_before_a_database_gets_a_batch(tmp_path: Path) -> None:
    pytest.importorskip("sqlalchemy")
    fenced(tmp_path, "running", "sqlite")


@pytest.mark.spark
@pytest.mark.slow
@pytest.mark.full
def test_paused_at_any_instant(tmp_path: Path) -> None:
    fenced(tmp_path, None, chance=random.Random(3))
