"""What a killed driver leaves behind ends with it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from firesteel.spark.launch.orphans import Orphans

pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="no /proc here")

DEAF = """
import signal, subprocess, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(300)"])
print(child.pid, flush=True)
time.sleep(300)
"""
"""Stands for a JVM that goes on with its work, and has started a process."""

WATCHER = """
import subprocess, sys
from firesteel.spark.launch.orphans import Orphans
worker = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(300)"])
orphans = Orphans(int(sys.argv[1]))
print(worker.pid, flush=True)
sys.stdin.read()
orphans.end(0.2)
print("ended", flush=True)
"""


@contextmanager
def session(*command: str) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """A process that leads a session, and the number that it prints."""
    with subprocess.Popen(
        [sys.executable, "-c", *command],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        assert process.stdout is not None
        try:
            yield process, int(process.stdout.readline())
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)


def has_ended(process: int) -> bool:
    """Whether a process is gone, or is there only to be asked how it ended."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def test_the_jvm_the_workers_and_what_they_started_are_killed() -> None:
    with session(DEAF) as (jvm, child), session(WATCHER, str(jvm.pid)) as (watcher, worker):
        assert watcher.communicate(timeout=100)[0] == "ended\n"
        assert jvm.wait(100) == -signal.SIGKILL
        end = time.monotonic() + 100
        while not (has_ended(child) and has_ended(worker)):
            assert time.monotonic() < end
            time.sleep(0.01)


def test_those_that_end_by_themselves_are_not_waited_for() -> None:
    with session("print(0)") as (jvm, _):
        orphans = Orphans(jvm.pid)
        jvm.wait(100)
        began = time.monotonic()
        orphans.end(600)
        assert time.monotonic() - began < 300


def test_another_process_with_the_number_of_the_jvm_is_left_alone() -> None:
    with session(DEAF) as (other, child):
        orphans = Orphans(other.pid)
        orphans._started = "1"  # the JVM had the number before
        orphans.end(0)
        assert other.poll() is None
        assert not has_ended(child)
