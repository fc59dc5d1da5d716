"""Killed at any instant and started again, the sink's files fold to the batch answer."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.recovery.kills import answer, run, run_windows, start, written
from tests.scale import FULL
from tests.spark.jobs import write_changes


@pytest.mark.spark
@pytest.mark.slow
@pytest.mark.parametrize("mode", ["records", pytest.param("bundles", marks=pytest.mark.full)])
def test_killed(tmp_path: Path, mode: str) -> None:
    counts = run(tmp_path, events=3000, kills=3 if FULL else 1, batches=8, mode=mode)
    assert counts.killed >= 1


@pytest.mark.spark
@pytest.mark.slow
@pytest.mark.full
@pytest.mark.parametrize("job", ["sessions", "over", "joins"])
def test_killed_in_windows(tmp_path: Path, job: str) -> None:
    counts, late = run_windows(tmp_path, job, events=2000, kills=3, batches=10)
    assert counts.killed >= 1
    assert late > 0


@pytest.mark.spark
@pytest.mark.slow
@pytest.mark.full
def test_a_run_beside_another_is_refused(tmp_path: Path) -> None:
    counts = run(tmp_path, events=3000, kills=1, batches=60, beside=True)
    assert counts.refused >= 1


@pytest.mark.spark
@pytest.mark.slow
@pytest.mark.full
@pytest.mark.parametrize("place", ["written", "noted"])
def test_killed_between_writing_and_showing(tmp_path: Path, place: str) -> None:
    source, output, checkpoint = tmp_path / "in.json", tmp_path / "out", tmp_path / "checkpoint"
    write_changes(source, 600)
    first = start(source, output, checkpoint, 150, "records", place)
    assert first.wait() == -9, first.said
    assert len(list(output.glob(".part-*"))) > 0
    second = start(source, output, checkpoint, 150, "records")
    assert second.wait() == 0, second.said
    assert written(output) == answer(source)
    assert not list(output.glob(".part-*"))
    assert len(list((output / "_firesteel").glob("*.json"))) <= 2
