"""A SparkSession of the user's, made by an interpreter whose environment is not activated."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
from pyspark.sql import SparkSession
from firesteel import TableEnvironment

builder = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
environment = TableEnvironment.create(builder.getOrCreate())
print(environment.sql_query("SELECT COUNT(*) AS n FROM (VALUES (1), (2)) AS t(a)").to_pandas())
"""


@pytest.mark.spark
@pytest.mark.slow
@pytest.mark.full
def test_workers_run_with_this_interpreter(tmp_path: Path) -> None:
    other = tmp_path / "python3"
    other.write_text("#!/bin/sh\necho no Firesteel here >&2\nexit 7\n")
    other.chmod(0o755)
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYSPARK_")}
    environment["PATH"] = f"{tmp_path}{os.pathsep}{environment['PATH']}"
    command = [sys.executable, "-c", PROGRAM]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=180, check=False, env=environment, cwd=tmp_path
    )
    assert done.stdout.split() == ["n", "0", "2"], done.stderr[-3000:]
