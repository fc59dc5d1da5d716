"""A checkpoint on a file system of Hadoop's belongs to one run at a time, without locks on files."""

from __future__ import annotations

import json
import os
import queue
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from firesteel.errors import UsageError
from firesteel.spark.checkpoint import hadoop_lock
from firesteel.spark.checkpoint.hadoop_lock import HadoopLock
from firesteel.spark.checkpoint.owner import LEASE_SECONDS, ShutOutError
from firesteel.spark.internals import hadoop_files
from firesteel.spark.stream import host as stream_host
from firesteel.spark.stream.settings import StreamSettings
from tests.spark.jobs import grouped, rows, write_changes

if TYPE_CHECKING:
    from firesteel.spark.launch.launch import Spark

pytestmark = pytest.mark.spark


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hadoop_lock, "RACE_SECONDS", 0.01)


@pytest.fixture
def folder(tmp_path: Path) -> str:
    return f"file://{tmp_path}"


def owners(path: Path) -> list[str]:
    return sorted(one.name for one in path.glob("firesteel.owner-*"))


def leave(path: Path, number: int, silent: float, **more: object) -> None:
    """The file of a run elsewhere that wrote to it `silent` seconds ago."""
    file = path / f"firesteel.owner-{number}"
    owner = {"pid": 7, "host": "elsewhere", "since": "2026-01-01", "machine": "another", "name": "x"}
    file.write_text(json.dumps(owner | more))
    os.utime(file, (time.time() - silent,) * 2)


def test_one_run_at_a_time(folder: str, tmp_path: Path, spark: Spark) -> None:
    lock = HadoopLock(spark.context, folder)
    with pytest.raises(UsageError, match=rf"is in use by process {os.getpid()} .*seen \d s ago"):
        HadoopLock(spark.context, folder)
    lock.check()
    lock.release()
    HadoopLock(spark.context, folder).release()
    assert owners(tmp_path) == ["firesteel.owner-2"]
    assert [one.name for one in tmp_path.iterdir() if not one.name.startswith((".f", "firesteel"))] == []


def test_a_silent_run_is_taken_over(
    folder: str, tmp_path: Path, spark: Spark, capsys: pytest.CaptureFixture[str]
) -> None:
    leave(tmp_path, 4, LEASE_SECONDS - 10)
    with pytest.raises(UsageError, match="in use by process 7 on elsewhere"):
        HadoopLock(spark.context, folder)
    leave(tmp_path, 4, LEASE_SECONDS + 10)
    lock = HadoopLock(spark.context, folder)
    assert "taking over the checkpoint" in capsys.readouterr().err
    assert owners(tmp_path) == ["firesteel.owner-5"]
    lock.release()


def test_a_run_that_was_taken_over_learns_by_whom(
    folder: str, tmp_path: Path, spark: Spark, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hadoop_lock, "BEAT_SECONDS", 0.05)
    told: queue.Queue[ShutOutError] = queue.Queue()
    paused = HadoopLock(spark.context, folder)
    paused.watch(told.put)
    leave(tmp_path, 2, 0, released=True)
    assert "taken over by process 7 on elsewhere" in told.get(timeout=30).message
    with pytest.raises(ShutOutError):
        paused.check()
    third = HadoopLock(spark.context, folder)
    paused.release()
    third.check()
    third.release()


@pytest.mark.parametrize("later", [2, 3])
def test_of_two_that_start_at_once_one_has_it(
    later: int, folder: str, tmp_path: Path, spark: Spark, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both find number 1 released; the other one goes on while this one is paused."""
    leave(tmp_path, 1, 0, released=True)
    create = hadoop_files.create_new

    def raced(*arguments: Any) -> bool:
        leave(tmp_path, later, 0)
        return create(*arguments)

    monkeypatch.setattr(hadoop_files, "create_new", raced)
    with pytest.raises(UsageError, match="in use by process 7"):
        HadoopLock(spark.context, folder)
    assert f"firesteel.owner-{later}" in owners(tmp_path)
    assert later == 2 or "firesteel.owner-2" not in owners(tmp_path)


@pytest.fixture
def without_local_locks(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """As if no checkpoint lay on a file system of this machine."""
    monkeypatch.setattr(stream_host, "open_folder", lambda _, trusts_others: None)
    return iter(())


@pytest.mark.full
def test_a_job_holds_it_and_ends_where_it_is_shut_out(
    folder: str, tmp_path: Path, spark: Spark, without_local_locks: None
) -> None:
    write_changes(tmp_path / "in.json", 300)
    checkpoint = tmp_path / "checkpoint"
    settings = StreamSettings(f"file://{checkpoint}", parallelism=2, max_rows=50)
    job = stream_host.start(grouped(tmp_path / "in.json"), spark, settings)
    results = job.results()
    next(results)
    with pytest.raises(UsageError, match="in use"):
        stream_host.start(grouped(tmp_path / "in.json"), spark, settings)
    leave(checkpoint, 2, LEASE_SECONDS + 1)
    with pytest.raises(ShutOutError, match="taken over by process 7"):
        for _ in results:
            pass
    assert owners(checkpoint) == ["firesteel.owner-1", "firesteel.owner-2"]
    assert rows(stream_host.start(grouped(tmp_path / "in.json"), spark, settings).results())
