"""What a job of the soak knows of its processes and of its checkpoint."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections import Counter
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from tests.soak.job import EndedError, Job

pytest.importorskip("confluent_kafka")


def _job(folder: Path, produced: dict[str, int]) -> Job:
    feed = cast("Any", SimpleNamespace(produced=Counter(produced)))
    return Job("totals", folder, "", {}, ("changes", "teams"), feed, 1.0)


def test_a_process_belongs_to_it_without_its_parent(tmp_path: Path) -> None:
    job = _job(tmp_path, {})
    command = ["sh", "-c", "sleep 60 >/dev/null & echo $!"]
    with subprocess.Popen(
        command, env={**os.environ, "SOAK_JOB": str(tmp_path)}, stdout=subprocess.PIPE
    ) as parent:
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
    try:
        assert job.processes() == [child]
        assert _job(tmp_path / "another", {}).processes() == []
    finally:
        os.kill(child, signal.SIGKILL)


def test_the_lag_is_what_no_committed_micro_batch_has(tmp_path: Path) -> None:
    job = _job(tmp_path, {"changes": 100, "teams": 10, "orders": 1_000})
    assert job.lag() == 110
    spark = job.checkpoint / "insert-totals" / "spark"
    for folder in ("offsets", "commits"):
        (spark / folder).mkdir(parents=True)
    for batch, changes in enumerate((20, 80)):
        places = [{"at": {"teams": {"0": 1, "1": 2}}}, {"at": {"changes": {"0": changes, "1": 5}}}]
        (spark / "offsets" / str(batch)).write_text("\n".join(["v1", "{}", *map(json.dumps, places)]))
    (spark / "commits" / "0").touch()
    assert job.lag() == 110 - 28
    (spark / "commits" / "1").touch()
    assert job.lag() == 110 - 88
    (spark / "offsets" / "1").unlink()  # as while a folder is replaced: the last known one counts
    assert job.lag() == 110 - 88


def test_a_job_that_has_ended_is_found(tmp_path: Path) -> None:
    job = _job(tmp_path, {})
    job.run = cast("Any", SimpleNamespace(poll=lambda: 1, said="error: no such table"))
    with pytest.raises(EndedError, match=r"ended by itself, status 1: error: no such table"):
        job.works()
