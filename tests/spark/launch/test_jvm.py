"""A JVM that does not come up is told of soon: the plain way is taken then."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from firesteel.errors import JobError
from firesteel.spark.launch.java import Java
from firesteel.spark.launch.jvm import LocalJvm
from firesteel.spark.temporary import sweep


def java(folder: Path, script: str) -> Java:
    file = folder / "java"
    file.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    file.chmod(0o755)
    return Java(file, "17")


def test_one_that_ends_is_quoted(tmp_path: Path) -> None:
    jvm = LocalJvm(java(tmp_path, "echo no memory; exit 3"), [], {})
    with pytest.raises(JobError, match=r"Spark's JVM ended with status 3 while it started: no memory"):
        jvm.connect()
    assert jvm.has_ended


def test_one_that_says_nothing_is_given_up(tmp_path: Path) -> None:
    jvm = LocalJvm(java(tmp_path, "exec sleep 600"), [], {})
    began = time.monotonic()
    with pytest.raises(JobError, match=r"Spark's JVM was not up after 0 s"):
        jvm.connect(patience=0.3)
    assert time.monotonic() - began < 100
    while not jvm.has_ended:
        assert time.monotonic() - began < 100
        time.sleep(0.05)


KILLED = """
import os, signal, sys
from pathlib import Path
from firesteel.spark.launch.java import Java
from firesteel.spark.launch.jvm import LocalJvm
jvm = LocalJvm(Java(Path(sys.argv[1]), "17"), [], {})
print(jvm.process_id, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_the_folder_for_its_answer_is_kept_if_the_driver_is_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without it, Spark's gateway fails, and the JVM waits for connections without an end."""
    script = 'until [ -e "$0.go" ]; do sleep 0.05; done; echo > "$_PYSPARK_DRIVER_CONN_INFO_PATH"'
    program = java(tmp_path, script + ' && touch "$0.done"').executable
    command, environment = (
        [sys.executable, "-c", KILLED, str(program)],
        {**os.environ, "TMPDIR": str(tmp_path)},
    )
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True)
    assert done.returncode == -signal.SIGKILL
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    sweep()
    (tmp_path / "java.go").touch()
    end = time.monotonic() + 100
    while not (tmp_path / "java.done").exists():
        assert time.monotonic() < end
        time.sleep(0.05)
    while list(tmp_path.glob("firesteel-*")):  # the JVM has ended, too
        assert time.monotonic() < end
        sweep()
