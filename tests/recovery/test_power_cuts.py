"""A power cut, or an older copy of the checkpoint: refused or complete. Small samples of both programs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.recovery.restores import SAVEPOINT, run
from tests.recovery.runs import ROOT
from tests.scale import FULL

if TYPE_CHECKING:
    from firesteel.spark.launch.launch import Spark

_CUTS = 20 if FULL else 2


@pytest.mark.spark
@pytest.mark.slow
@pytest.mark.full
@pytest.mark.parametrize("kind", ["files", "sqlite"])
def test_power_cuts(kind: str) -> None:
    """In a process of its own: its workers are told where to record their syncs."""
    command = [sys.executable, "-m", "tests.recovery.power_cuts", "--cuts", str(_CUTS)]
    done = subprocess.run(
        [*command, "--sink", kind], cwd=ROOT, capture_output=True, text=True, timeout=900, check=False
    )
    assert done.returncode == 0, done.stderr[-5000:]
    assert f"{kind}: {_CUTS} cuts" in done.stdout
    assert " 0 refused" in done.stdout


@pytest.mark.spark
@pytest.mark.slow
@pytest.mark.full
@pytest.mark.parametrize("kind", ["sqlite", "files"])
def test_older_copies(spark: Spark, tmp_path: Path, kind: str) -> None:
    pytest.importorskip("sqlalchemy")
    wanted = 8
    outcome = run(spark, tmp_path, kind, wanted, seed=3)
    assert outcome.restores == wanted == outcome.complete + outcome.refused
    assert outcome.refused == outcome.resumed + outcome.again


@pytest.mark.spark
@pytest.mark.slow
@pytest.mark.full
@pytest.mark.parametrize("kind", ["files", "sqlite"])
def test_savepoints_of_a_running_job(spark: Spark, tmp_path: Path, kind: str) -> None:
    pytest.importorskip("sqlalchemy")
    wanted = 8
    outcome = run(spark, tmp_path, kind, wanted, seed=5, of=SAVEPOINT)
    assert outcome.restores == wanted == outcome.complete + outcome.refused
    assert outcome.refused == outcome.resumed + outcome.again
