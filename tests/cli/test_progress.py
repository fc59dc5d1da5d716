"""The progress line: what it says, and that quick jobs say nothing."""

from __future__ import annotations

import io
import threading
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING
from unittest.mock import MagicMock

import pytest

from firesteel.cli import progress as module
from firesteel.cli.app import run_app
from firesteel.cli.progress import ProgressLine, describe
from firesteel.counted import amount
from firesteel.runtime.state.size import StateSize
from firesteel.session.environment import TableEnvironment
from firesteel.spark.progress import Progress

if TYPE_CHECKING:
    from firesteel.spark.launch.launch import Spark


@pytest.mark.parametrize(
    ("count", "text"), [(0, "0"), (950, "950"), (12_345, "12.3K"), (4_500_000, "4.5M"), (2e9, "2G")]
)
def test_amounts_are_short(count: float, text: str) -> None:
    assert amount(count) == text


def test_the_line_tells_what_is_known() -> None:
    assert describe(3.2, None) == "running for 3 s"
    states = {(1, 0): {"sum": StateSize(2_000_000, 9)}, (1, 1): {"sum": StateSize(1, 9)}}
    causes = Counter(invalid_value=2, damaged_message=5)
    progress = Progress(read=2_000_000, changes=1_000, skip_causes=causes, late=3, batches=4, states=states)
    said = describe(10, progress)
    assert said.startswith("running for 10 s, 2M rows read (")
    assert said.endswith(
        "/s), 1K changes out, 7 messages skipped (5 damaged_message, 2 invalid_value), 3 late rows dropped, "
        "4 micro-batches, 2M entries of state"
    )


def test_the_line_tells_what_is_waited_for_until_something_is_counted() -> None:
    seen: list[str] = []
    progress = Progress(watch=lambda p: seen.append(describe(3, p)))
    progress.enter("starting Spark")
    progress.enter("planning the stream")
    progress.enter("first micro-batch")
    progress.end_batch()
    assert seen == [
        "running for 3 s, starting Spark",
        "running for 3 s, planning the stream",
        "running for 3 s, first micro-batch",
        "running for 3 s, 1 micro-batch",
    ]


@pytest.mark.spark
@pytest.mark.full
def test_a_stream_tells_its_phases(spark: Spark) -> None:
    environment = TableEnvironment.create(spark, configuration={"firesteel.host": "stream"})
    seen: list[str] = []

    def watch(progress: Progress) -> None:
        if progress.phase and progress.phase not in seen:
            seen.append(progress.phase)

    text = "SELECT COUNT(*) FROM (VALUES (1), (2)) AS t (a)"
    result = environment.execute(environment.parse(text)[0], text, watch)
    assert len(list(result.collect())) == 2 + 1
    assert seen == ["starting Spark", "planning the stream", "first micro-batch"]


def test_a_quick_job_tells_nothing() -> None:
    out = io.StringIO()
    with ProgressLine(out) as line:
        line.watch(Progress(read=5))
    assert out.getvalue() == ""


def test_a_long_job_tells_plain_lines_until_results_come(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "QUIET_SECONDS", 0.0)
    monkeypatch.setattr(module, "FIRST_SECONDS", 0.02)
    monkeypatch.setattr(module, "PLAIN_SECONDS", 0.02)
    out = io.StringIO()
    with ProgressLine(out) as line:
        line.watch(Progress(read=5, changes=2))
        deadline = time.monotonic() + 100
        while "5 rows read" not in out.getvalue() and time.monotonic() < deadline:
            time.sleep(0.01)
        line.hide()
        said = out.getvalue()
        time.sleep(0.1)
    assert "5 rows read" in said
    assert "2 changes out" in said
    assert out.getvalue() == said


@pytest.mark.parametrize(
    ("command", "works"),
    [
        (["savepoint", "job", "copy"], "firesteel.session.savepoint.savepoints.savepoint"),
        (["rescale", "job", "--parallelism", "2"], "firesteel.session.savepoint.savepoints.rescaled"),
        (["state", "job"], "firesteel.session.inspection.state_report.open_reports"),
        (["state", "job", "--diff", "1", "2"], "firesteel.session.inspection.state_report.open_reports"),
    ],
)
def test_commands_about_a_checkpoint_tell_that_they_run(
    command: list[str], works: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    class Stderr(io.StringIO):
        is_written = threading.Event()

        def write(self, text: str) -> int:
            if "running for" in text:
                self.is_written.set()
            return super().write(text)

    stderr = Stderr()
    Stderr.is_written.clear()
    monkeypatch.setattr(module, "QUIET_SECONDS", 0.0)
    monkeypatch.setattr(module, "FIRST_SECONDS", 0.0)
    monkeypatch.setattr("sys.stderr", stderr)
    monkeypatch.setattr(
        works, lambda *_: [] if stderr.is_written.wait(60) else pytest.fail("it says nothing")
    )
    monkeypatch.setattr("firesteel.session.environment.TableEnvironment.create", lambda **_: MagicMock())
    monkeypatch.chdir(tmp_path)
    Path("job").mkdir()
    assert run_app(command) == 0


def test_counts_of_one_are_in_the_singular() -> None:
    states = {(1, 0): {"sum": StateSize(1, 9)}}
    causes = Counter(invalid_value=1)
    said = describe(1, Progress(read=1, changes=1, skip_causes=causes, late=1, states=states))
    assert said.startswith("running for 1 s, 1 row read (")
    assert said.endswith(
        "/s), 1 change out, 1 message skipped (1 invalid_value), 1 late row dropped, 1 entry of state"
    )
