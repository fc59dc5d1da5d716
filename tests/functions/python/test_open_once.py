"""A function is opened once in each worker process and closed once at its end, on both hosts."""

from __future__ import annotations

import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

MODULE = """
import os
from firesteel.functions.python import AggregateFunction, ScalarFunction, udf

def note(what):
    with open(os.environ["NOTES"], "a") as file:
        file.write(f"{what} {os.getpid()}\\n")

class Twice(ScalarFunction):
    def open(self, context):
        note("open")
    def eval(self, x):
        return 2 * x
    def close(self):
        note("close")

twice = udf(Twice(), result_type="BIGINT")
"""
PROGRAM = """
import sys
from firesteel import TableEnvironment

environment = TableEnvironment.create(
    configuration={"spark.master": "local[2]", "firesteel.host": sys.argv[1],
                   "firesteel.source.max-rows-per-batch": "20", "pipeline.max-parallelism": "8"}
)
environment.functions_folder = "."
environment.execute_sql("CREATE FUNCTION twice AS 'of_the_user.twice' LANGUAGE PYTHON")
environment.execute_sql(
    "CREATE TABLE t (k INT, v INT) WITH ('connector' = 'filesystem', 'path' = 't.csv', 'format' = 'csv')"
)
query = "SELECT k, SUM(twice(v)), twice(COUNT(*)) FROM t GROUP BY k"
for _ in range(2):
    print(len(list(environment.execute_sql(query).collect())))
environment.close()
"""


@pytest.mark.private
@pytest.mark.spark
@pytest.mark.slow
@pytest.mark.full
@pytest.mark.parametrize("host", ["batch", "stream"])
def test_in_workers_of_many_tasks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, host: str) -> None:
    (tmp_path / "of_the_user.py").write_text(MODULE, encoding="utf-8")
    (tmp_path / "t.csv").write_text("".join(f"{n % 7},{n}\n" for n in range(60)), encoding="utf-8")
    notes = tmp_path / "notes"
    monkeypatch.setenv("NOTES", str(notes))
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, host], cwd=tmp_path, capture_output=True, text=True, timeout=240
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == [str(60 + 60 - 7)] * 2
    end = time.monotonic() + 20  # the workers end by themselves, behind the program
    while is_open(noted := notes.read_text().splitlines()):
        assert time.monotonic() < end, noted
        time.sleep(0.1)
    assert set(Counter(noted).values()) == {1}


def is_open(noted: list[str]) -> bool:
    """Whether something was opened that is not closed yet."""
    return sum(line.startswith("open") for line in noted) != sum(line.startswith("close") for line in noted)
