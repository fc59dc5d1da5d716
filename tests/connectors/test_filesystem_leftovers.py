"""Hidden files of killed runs go when another job opens the folder; those of living ones stay."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from firesteel.connectors.base import ONCE
from firesteel.connectors.filesystem.manifests import Manifests
from tests.connectors.filesystem.test_sink import hidden, seen, sink, table, write

DRIVER = """
import sys
from pathlib import Path
from tests.connectors.filesystem.test_sink import sink, table, write
made = sink(Path(sys.argv[1]), sys.argv[2])
write(Path(sys.argv[1]), table(1), job=sys.argv[2])
print("written", flush=True)
sys.stdin.read()
"""


def age(path: Path, days: float) -> None:
    then = path.stat().st_mtime - days * 24 * 3600
    os.utime(path, (then, then))


@pytest.mark.parametrize("job", [f"{ONCE}0f", "ab12", "ab12.1"])
def test_files_of_a_killed_run(tmp_path: Path, job: str) -> None:
    command = [sys.executable, "-c", DRIVER, str(tmp_path), job]
    driver = subprocess.Popen(
        command, cwd=Path(__file__).parents[2], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert driver.stdout is not None
    assert driver.stdout.readline() == "written\n"
    sink(tmp_path, "other")
    assert len(hidden(tmp_path)) == 1  # its driver lives
    driver.kill()
    driver.wait()
    sink(tmp_path, "other")
    assert hidden(tmp_path) == []
    assert not (tmp_path / "_firesteel" / f"{job}.run").exists()


def test_files_of_a_driver_that_is_not_known(tmp_path: Path) -> None:
    """It may run on another machine, or be of a version that left no mark."""
    write(tmp_path, table(1), job="old")
    write(tmp_path, table(2), job="elsewhere")
    (tmp_path / "_firesteel").mkdir()
    (tmp_path / "_firesteel" / "elsewhere.run").write_text("another machine")
    for path in hidden(tmp_path):
        age(path, 6)
    sink(tmp_path, "other")
    assert len(hidden(tmp_path)) == 2
    for path in hidden(tmp_path):
        age(path, 2)
    sink(tmp_path, "other")
    assert hidden(tmp_path) == []


def test_what_is_decided_is_shown_and_not_swept(tmp_path: Path) -> None:
    token = write(tmp_path, table(1), job="killed")
    files = json.loads(token)
    Manifests(tmp_path, "killed").decide(0, files)
    for path in hidden(tmp_path):
        age(path, 30)
    sink(tmp_path, "other")
    assert (seen(tmp_path), hidden(tmp_path)) == ([1], [])


def test_a_job_that_ends_leaves_no_mark(tmp_path: Path) -> None:
    once = sink(tmp_path, f"{ONCE}1")
    once.commit(0, [write(tmp_path, table(1), job=f"{ONCE}1")])
    once.end_run()
    assert not (tmp_path / "_firesteel").exists()
    failed = sink(tmp_path, "q")
    failed.abort(0, [])
    assert not (tmp_path / "_firesteel").exists()


def test_drafts_of_manifests(tmp_path: Path) -> None:
    """Those of earlier runs of the job go at once, others once nobody has written to them for a week."""
    folder = tmp_path / "_firesteel"
    folder.mkdir()
    drafts = [folder / f".{job}-5.{'0f' * 16}.tmp" for job in ("mine", "other", "run-ab")]
    for path in drafts:
        path.write_text("{")
    sink(tmp_path, "mine")
    assert [path.exists() for path in drafts] == [False, True, True]
    age(drafts[1], 8)
    sink(tmp_path, "mine")
    assert [path.exists() for path in drafts] == [False, False, True]
