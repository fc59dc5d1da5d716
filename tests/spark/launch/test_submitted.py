"""A program that spark-submit has started uses the master and the settings of its command line."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from firesteel.spark.launch.java import spark_home
from firesteel.spark.launch.submitted import submitted_settings
from tests.recovery.runs import ROOT


def test_without_spark_submit_there_are_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYSPARK_GATEWAY_PORT", "1")  # as a start of Spark sets it for a moment
    assert submitted_settings() == {}


@pytest.mark.spark
@pytest.mark.slow
@pytest.mark.full
def test_the_master_is_that_of_spark_submit(tmp_path: Path) -> None:
    (tmp_path / "job.sql").write_text("SELECT 1;")
    program = ROOT / "examples" / "deployment" / "submit.py"
    command = [str(spark_home() / "bin" / "spark-submit"), "--master", "spark://127.0.0.1:1", str(program)]
    done = subprocess.run(
        [*command, "run", str(tmp_path / "job.sql")],
        env={"PYSPARK_PYTHON": sys.executable, "PATH": "/usr/bin:/bin", "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode != 0
    assert "error: Spark's master spark://127.0.0.1:1 cannot be reached" in done.stdout + done.stderr
