"""A signal ends a running command with one line, leaves no process behind, and the next run goes on."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from firesteel.cache_folder import private_cache_folder
from firesteel.cli.stopping import stop_words
from firesteel.spark.launch import archive
from firesteel.spark.launch.class_path import class_path
from firesteel.spark.launch.java import find_java, spark_home
from firesteel.spark.launch.settings import STREAM
from firesteel.spark.progress import Progress
from tests.scale import FULL

JOB = """
CREATE TABLE numbers (id INT) WITH ('connector' = 'datagen', 'rows-per-second' = '20');
CREATE TABLE counts (n BIGINT) WITH ('connector' = 'blackhole');
INSERT INTO counts SELECT COUNT(*) FROM numbers;
"""
SECONDS = 250.0


@pytest.mark.parametrize(
    ("progress", "said"),
    [
        (None, "Stopped."),
        (Progress(), "Stopped before the end. Another run begins from the start."),
        (
            Progress(streams=True, resumable=True, batch=14),
            "Stopped after batch 14. Run it again to go on.",
        ),
        (
            Progress(streams=True, resumable=True),
            "Stopped before the end of a batch. Run it again to go on.",
        ),
        (
            Progress(streams=True, batch=0),
            "Stopped after batch 0. Another run begins from the start; with --checkpoint it goes on.",
        ),
    ],
)
def test_the_line_says_what_another_run_does(progress: Progress | None, said: str) -> None:
    assert stop_words(progress) == said


def until(happened: Callable[[], Any]) -> None:
    """Wait for it."""
    end = time.monotonic() + SECONDS
    while not happened():
        assert time.monotonic() < end
        time.sleep(0.05)


def descendants(process: int) -> list[int]:
    """The processes that a process has started, and those that they have."""
    listed = subprocess.run(["ps", "-eo", "pid=,ppid="], capture_output=True, text=True, check=True).stdout
    pairs = [tuple(map(int, line.split())) for line in listed.splitlines()]
    found = [process]
    for one in found:
        found += [child for child, parent in pairs if parent == one]
    return found[1:]


def runs(process: int) -> bool:
    """Whether it has not ended."""
    state = subprocess.run(["ps", "-o", "state=", "-p", str(process)], capture_output=True, text=True).stdout
    return bool(state.strip()) and not state.strip().startswith("Z")


def ended_by(number: int, folder: Path) -> tuple[int, list[dict[str, Any]]]:
    """Run the job until a batch is in its checkpoint and send it the signal; its status and its log.

    Nothing of it is left seconds later.
    """
    commits = folder / "checkpoint" / "insert-counts" / "spark" / "commits"
    before = {file.name for file in commits.glob("*")}
    command = [sys.executable, "-m", "firesteel.cli.main", "run", "job.sql", "--checkpoint", "checkpoint"]
    job = subprocess.Popen(
        [*command, "--log-format", "json"], cwd=folder, stderr=subprocess.PIPE, text=True, bufsize=1
    )
    try:
        until(lambda: {file.name for file in commits.glob("[0-9]*")} - before or job.poll() is not None)
        left = descendants(job.pid)
        assert left
        os.kill(job.pid, number)
        said = job.communicate(timeout=SECONDS)[1]
        until(lambda: not any(map(runs, left)))
    finally:
        job.kill()
    return job.returncode, [json.loads(line) for line in said.splitlines()]


@pytest.fixture
def no_new_archive() -> Iterator[None]:
    """Have no JVM begin a class-data archive, which takes a first run's JVM long when it ends."""
    key = archive._key(find_java(), class_path(spark_home() / "jars", own_process=True), STREAM)
    begun = private_cache_folder("jvm") / f"{key}.{os.getpid()}{archive._NEW}"  # as if another one wrote it
    begun.touch()
    yield
    begun.unlink(missing_ok=True)


@pytest.mark.spark
@pytest.mark.slow
@pytest.mark.usefixtures("no_new_archive")
def test_no_process_is_left_and_a_run_after_a_kill_goes_on(tmp_path: Path) -> None:
    (tmp_path / "job.sql").write_text(JOB, encoding="utf-8")
    was_killed = FULL
    if was_killed:
        status, _ = ended_by(signal.SIGKILL, tmp_path)
        assert status == -signal.SIGKILL
    status, lines = ended_by(signal.SIGTERM, tmp_path)
    assert status == 143
    logged = [line["message"] for line in lines if line["event"] == "log"]
    assert sum(message.startswith("taking over the checkpoint ") for message in logged) == 2 * was_killed, (
        logged
    )
    assert lines[-1]["event"] == "stopped"
    assert lines[-1]["batch"] >= was_killed
    assert lines[-1]["message"] == f"Stopped after batch {lines[-1]['batch']}. Run it again to go on."
    assert all(datetime.fromisoformat(line["time"].replace("Z", "+00:00")) for line in lines)
    locks = [*(tmp_path / "checkpoint").rglob("firesteel*.lock")]
    assert locks
    for text in (lock.read_text().strip() for lock in locks):
        assert not text or json.loads(text)["released"]


@pytest.mark.spark
@pytest.mark.slow
@pytest.mark.parametrize("fast_start", ["auto", pytest.param("off", marks=pytest.mark.full)])
def test_a_jvm_that_is_starting_ends_with_a_killed_command(fast_start: str, tmp_path: Path) -> None:
    (tmp_path / "job.sql").write_text(JOB, encoding="utf-8")
    command = [sys.executable, "-m", "firesteel.cli.main", "run", "job.sql"]
    job = subprocess.Popen([*command, "--set", f"firesteel.fast-start={fast_start}"], cwd=tmp_path)
    try:
        until(lambda: descendants(job.pid))
        left = descendants(job.pid)
        job.kill()
        until(lambda: not any(map(runs, left)))
    finally:
        job.kill()
    assert job.wait() == -signal.SIGKILL
