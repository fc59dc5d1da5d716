"""`--verbose` brings Spark's logs, on stderr; without it Spark is quiet."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = "SELECT a, COUNT(*) FROM (VALUES (1), (2)) AS t(a) GROUP BY a;\n"


@pytest.mark.spark
@pytest.mark.slow
@pytest.mark.parametrize("before", ["", "SET 'spark.app.name' = 'mine';\n"])
@pytest.mark.full
def test_sparks_logs_come_with_it(tmp_path: Path, before: str) -> None:
    (tmp_path / "job.sql").write_text(before + SCRIPT, encoding="utf-8")
    command = [sys.executable, "-m", "firesteel.cli.main", "run", "job.sql"]
    quiet, verbose = (
        subprocess.run([*command, *more], cwd=tmp_path, capture_output=True, text=True, timeout=120)
        for more in ([], ["--verbose"])
    )
    assert quiet.stdout == verbose.stdout
    assert "2 rows in set" in quiet.stdout
    assert "INFO SparkContext: Running Spark version" in verbose.stderr
    assert "INFO TaskSchedulerImpl" in verbose.stderr
    assert "INFO" not in quiet.stderr
