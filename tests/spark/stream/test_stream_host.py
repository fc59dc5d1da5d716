"""Streams that do not end by themselves."""

from __future__ import annotations

import gc
import os
import shutil
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from py4j.java_gateway import JavaObject
from py4j.protocol import Py4JError

from firesteel.errors import DataError, JobError, UsageError
from firesteel.job.spec import Input, JobSpec
from firesteel.runtime.spec.tables import ScanSpec
from firesteel.spark.batch import host as batch_host
from firesteel.spark.stream import host as stream_host
from firesteel.spark.stream.host import StreamJob
from firesteel.spark.stream.settings import StreamSettings
from tests.spark.jobs import folded, grouped, rows, write_changes

if TYPE_CHECKING:
    from firesteel.spark.launch.launch import Spark

pytestmark = pytest.mark.spark


def monitored(folder: Path) -> JobSpec:
    """grouped(), over a folder in which new files are looked for."""
    job = grouped(folder)
    first, *others = job.chains
    assert isinstance(first.source, ScanSpec)
    scan = replace(first.source, options=(*first.source.options, ("source.monitor-interval", "100 ms")))
    return replace(job, chains=(replace(first, inputs=(Input(scan),)), *others), bounded=False)


def follow(job: StreamJob) -> tuple[list[tuple[Any, ...]], Callable[[Callable[[], bool]], None]]:
    """The rows so far, filled by a thread, and a way to wait for more of them."""
    seen: list[tuple[Any, ...]] = []
    more = threading.Condition()

    def take() -> None:
        for table in job.results():
            with more:
                seen.extend(rows([table]))
                more.notify_all()

    threading.Thread(target=take, daemon=True).start()

    def until(condition: Callable[[], bool]) -> None:
        with more:
            assert more.wait_for(condition, timeout=180)

    return seen, until


def _has(seen: list[tuple[Any, ...]], wanted: int) -> bool:
    return len(seen) >= wanted


def test_new_files_are_read_until_the_job_is_stopped(tmp_path: Path, spark: Spark) -> None:
    folder, all_changes = tmp_path / "in", tmp_path / "all.json"
    folder.mkdir()
    write_changes(all_changes, 400)
    lines = all_changes.read_text().splitlines(keepends=True)
    expected = rows(batch_host.run(grouped(all_changes), spark))
    settings = StreamSettings(str(tmp_path / "checkpoint"), parallelism=2)

    (folder / "1.json").write_text("".join(lines[:150]))
    job = stream_host.start(monitored(folder), spark, settings)
    seen, until = follow(job)
    until(lambda: len(seen) > 100)
    (folder / "2.json").write_text("".join(lines[150:300]))
    first = len(seen)
    until(lambda: len(seen) > first + 100)
    job.stop()
    before_restart = list(seen)
    assert before_restart == expected[: len(before_restart)]

    (folder / "3.json").write_text("".join(lines[300:]))
    again = stream_host.start(monitored(folder), spark, settings)
    seen, until = follow(again)
    until(lambda: len(before_restart) + len(seen) >= len(expected))
    again.stop()
    assert before_restart + seen == expected
    assert folded(expected)


@pytest.mark.full
def test_state_grows_and_is_taken_up(tmp_path: Path, spark: Spark) -> None:
    """Small runs lie with the manifest, large ones are entries of a map that is set up when it is needed
    (spark/stream/run_store.py): here first in a later micro-batch."""
    folder, changes = tmp_path / "in", tmp_path / "all.json"
    folder.mkdir()
    write_changes(changes, 12_100, names=12_000)
    lines = changes.read_text().splitlines(keepends=True)
    settings = StreamSettings(str(tmp_path / "checkpoint"), parallelism=2)
    got: list[tuple[Any, ...]] = []
    expected: list[tuple[Any, ...]] = []
    for ends in ((50, 12_000), (12_050,), (12_100,)):
        job = stream_host.start(monitored(folder), spark, settings)
        seen, until = follow(job)
        for end in ends:
            begin = sum(len(file.read_text().splitlines()) for file in folder.iterdir())
            (tmp_path / "next").write_text("".join(lines[begin:end]))
            (tmp_path / "next").rename(folder / f"{end}.json")
            changes.write_text("".join(lines[:end]))
            expected = rows(batch_host.run(grouped(changes), spark))
            until(partial(_has, seen, len(expected) - len(got)))
        job.stop()
        got += seen
    assert got == expected


def test_a_job_that_nobody_reads_can_be_stopped(tmp_path: Path, spark: Spark) -> None:
    path = tmp_path / "t.json"
    write_changes(path, 3000)
    job = stream_host.start(grouped(path), spark, StreamSettings(max_rows=20))
    next(job.results())
    job.stop()
    assert job.progress.read < 3000


@pytest.mark.usefixtures("no_collector")
@pytest.mark.full
def test_no_frame_of_an_earlier_batch_is_kept(tmp_path: Path, spark: Spark) -> None:
    path = tmp_path / "t.json"
    write_changes(path, 200)
    job = stream_host.start(grouped(path), spark, StreamSettings(max_rows=20))
    job.wait()
    collected = [each for each in gc.get_objects() if isinstance(each, JavaObject) and _is_frame(each)]
    assert job.progress.batches >= 10
    end = time.monotonic() + 20
    while any(map(_is_alive, collected)):
        assert time.monotonic() < end  # a thread of py4j's lets go


@pytest.fixture
def no_collector() -> Iterator[None]:
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def _is_frame(thing: JavaObject) -> bool:
    return "collectToPython" in thing._methods


def _is_alive(thing: JavaObject) -> bool:
    try:
        thing.hashCode()
    except Py4JError:
        return False
    return True


@pytest.mark.full
def test_a_batch_that_comes_while_the_job_is_stopped_does_not_hold_it_up(
    tmp_path: Path, spark: Spark, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "t.json"
    write_changes(path, 3000)
    armed, computed, stopping = threading.Event(), threading.Event(), threading.Event()
    compute = StreamJob._for_driver

    def held_back(job: StreamJob, *batch: Any) -> Any:
        packets = compute(job, *batch)
        if armed.is_set():
            computed.set()
            assert stopping.wait(60)
        return packets

    def committed(_: StreamJob) -> bool:
        stopping.set()
        return True

    monkeypatch.setattr(StreamJob, "_for_driver", held_back)
    monkeypatch.setattr(StreamJob, "_committed", committed)
    job = stream_host.start(grouped(path), spark, StreamSettings(max_rows=20))
    seen, until = follow(job)
    until(lambda: len(seen) > 0)
    armed.set()
    assert computed.wait(60)
    stop = threading.Thread(target=job.stop, daemon=True)
    stop.start()
    stop.join(60)
    assert not stop.is_alive()


def test_a_checkpoint_that_another_job_holds_is_refused(tmp_path: Path, spark: Spark) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    write_changes(folder / "1.json", 20)
    settings = StreamSettings(str(tmp_path / "checkpoint"), parallelism=2)
    job = stream_host.start(monitored(folder), spark, settings)
    seen, until = follow(job)
    until(lambda: len(seen) > 0)
    with pytest.raises(UsageError, match=f"in use by process {os.getpid()} on "):
        stream_host.start(monitored(folder), spark, settings)
    job.stop()
    again = stream_host.start(monitored(folder), spark, settings)
    again.stop()


@pytest.mark.full
def test_a_disk_that_is_full_is_named(tmp_path: Path, spark: Spark) -> None:
    folder, disk = tmp_path / "in", tmp_path / "disk"
    folder.mkdir()
    disk.mkdir()
    write_changes(folder / "1.json", 20_000, names=20_000)
    command = ["mount", "-t", "tmpfs", "-o", "size=600k", "tmpfs", str(disk)]
    if shutil.which("mount") is None or subprocess.run(command, capture_output=True).returncode:
        pytest.skip("no small disk: mounting is not allowed")
    try:
        settings = StreamSettings(str(disk / "checkpoint"), parallelism=2, max_rows=5000)
        with pytest.raises(JobError, match=f"no space left on device: {disk}/checkpoint") as raised:
            stream_host.start(grouped(folder), spark, settings).wait()
        assert raised.value.hint == "make room and run it again: it goes on from its checkpoint"
    finally:
        subprocess.run(["umount", "--lazy", str(disk)], check=True)


@pytest.mark.full
def test_a_lost_log_of_files_is_refused(tmp_path: Path, spark: Spark) -> None:
    folder, checkpoint = tmp_path / "in", tmp_path / "checkpoint"
    folder.mkdir()
    write_changes(folder / "1.json", 20)
    settings = StreamSettings(str(checkpoint), parallelism=2)
    stream_host.start(grouped(folder), spark, settings).wait()
    shutil.rmtree(checkpoint / "sources")
    with pytest.raises(DataError, match="the log was lost or damaged"):
        stream_host.start(grouped(folder), spark, settings).wait()


def test_lost_offsets_are_refused_where_sinks_count_on_them(tmp_path: Path, spark: Spark) -> None:
    folder, checkpoint = tmp_path / "in.json", tmp_path / "checkpoint"
    write_changes(folder, 20)
    settings = StreamSettings(checkpoint=str(checkpoint))
    stream_host.start(grouped(folder), spark, settings).wait()
    shutil.rmtree(checkpoint / "spark")
    with pytest.raises(UsageError, match="has lost Spark's offsets"):
        stream_host.start(grouped(folder), spark, settings)
    (checkpoint / "delivered").unlink()  # as where the first run was killed before its first batch
    stream_host.start(grouped(folder), spark, settings).wait()
