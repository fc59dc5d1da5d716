"""`--log-format json`: what others write to stderr is JSON, too."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from firesteel.cli.stderr_lines import as_json

WRITERS = """
import os, subprocess, sys, warnings
from firesteel.cli.json_logs import tell
from firesteel.cli.stderr_lines import json_stderr
with json_stderr():
    os.write(2, b"from C\\n")
    subprocess.run([sys.executable, "-c", "import sys; print('from a process', file=sys.stderr)"])
    left = subprocess.Popen(["sleep", "30"])  # it has the pipe when this process has done with it
    tell("notice", message="ours")
    sys.stderr.write("without an end")
sys.stderr.write("plain again")
left.kill()
"""


def test_what_anybody_writes_comes_in_order() -> None:
    done = subprocess.run([sys.executable, "-c", WRITERS], capture_output=True, text=True, timeout=60)
    *lines, after = done.stderr.splitlines()
    found = [json.loads(line) for line in lines]
    assert [(line["event"], line["message"]) for line in found] == [
        ("log", "from C"),
        ("log", "from a process"),
        ("notice", "ours"),
        ("log", "without an end"),
    ]
    assert all(line["time"] and line["level"] == "INFO" for line in found)
    assert (done.returncode, after) == (0, "plain again")


@pytest.mark.parametrize(
    ("text", "level", "logger", "message"),
    [
        ("INFO SparkContext: Running Spark", "INFO", "SparkContext", "Running Spark"),
        ("26/05/01 12:30:05 WARN TaskSetManager: Lost task", "WARN", "TaskSetManager", "Lost task"),
        ("warning: a column is not read", "WARN", None, "a column is not read"),
        ("taking over the checkpoint /c", "INFO", None, "taking over the checkpoint /c"),
        ('{"time": what is no JSON', "INFO", None, '{"time": what is no JSON'),
    ],
)
def test_level_and_logger_are_taken_from_the_line(
    text: str, level: str, logger: str | None, message: str
) -> None:
    line = json.loads(as_json(text))
    assert (line["event"], line["level"], line.get("logger"), line["message"]) == (
        "log",
        level,
        logger,
        message,
    )
