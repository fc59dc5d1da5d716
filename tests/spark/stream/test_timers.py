"""Windows by the clock on a stream that is idle, and the clock of a micro-batch that is replayed."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from firesteel.job.spec import ChainSpec, Input, JobSpec, Output, sink_id
from firesteel.runtime.dataflow.chain import wall_clock
from firesteel.runtime.spec.tables import ScanSpec, SinkSpec
from firesteel.runtime.spec.window import WindowTime
from firesteel.spark.stream import host as stream_host
from firesteel.spark.stream.settings import StreamSettings
from firesteel.spark.stream.timers import next_timer
from firesteel.types.sql import BIGINT, STRING, timestamp, timestamp_ltz
from tests.runtime.operators.window.windows import COUNT, TYPES, one_phase, tumble
from tests.spark.jobs import HASH
from tests.spark.stream.test_stream_host import follow

if TYPE_CHECKING:
    from firesteel.spark.launch.launch import Spark

pytestmark = pytest.mark.spark

SECONDS = 2


def job(folder: Path) -> JobSpec:
    """COUNT(*) by k and windows of the clock."""
    options = {
        "connector": "filesystem",
        "path": str(folder),
        "format": "json",
        "source.monitor-interval": "50 ms",
    }
    scan = ScanSpec("filesystem", tuple(options.items()), ("k", "v", "ts"), TYPES, (0, 1, 2), table="t")
    windows = one_phase(tumble(SECONDS * 1000), (COUNT,), time=WindowTime(None, timestamp_ltz(3)))
    chains = (
        ChainSpec(0, (Input(scan),), (), (Output(1, HASH, (0,)),)),
        ChainSpec(1, (Input(0),), (windows,), (Output(sink_id(0)),)),
    )
    sink = SinkSpec(None, (), ("k", "n", "start", "end"), (STRING, BIGINT, timestamp(3), timestamp(3)))
    return JobSpec(chains, (sink,), bounded=False)


def write(folder: Path, name: str, *keys: str) -> None:
    (folder / "new").write_text("".join(json.dumps({"k": key, "v": 1}) + "\n" for key in keys))
    (folder / "new").rename(folder / name)


def millis(clock: datetime) -> int:
    return int((clock - datetime(1970, 1, 1)).total_seconds() * 1000)


def test_windows_end_though_no_row_comes(tmp_path: Path, spark: Spark) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    settings = StreamSettings(str(tmp_path / "checkpoint"), parallelism=2)
    write(folder, "1.json", "a", "a", "b")
    running = stream_host.start(job(folder), spark, settings)
    seen, until = follow(running)
    until(lambda: len(seen) == 2)
    assert sorted(row[1:3] for row in seen) == [("a", 2), ("b", 1)]
    assert millis(seen[0][-1]) <= wall_clock()

    write(folder, "2.json", "c")
    until(lambda: len(seen) == 3)
    running.stop()
    assert running._feedback.timers
    assert next_timer(running._feedback.timers) is None  # no further micro-batch would have begun


@pytest.mark.full
def test_a_replayed_micro_batch_has_the_clock_of_its_offsets(tmp_path: Path, spark: Spark) -> None:
    """Its rows are in the windows in which they were, though these have ended long since."""
    folder, checkpoint = tmp_path / "in", tmp_path / "checkpoint"
    folder.mkdir()
    write(folder, "1.json", "a", "a", "b")
    first = answers(folder, spark, checkpoint, 2)
    forget_all_but_the_first_offsets(checkpoint)
    again = answers(folder, spark, checkpoint, 2)
    assert again == first


def answers(folder: Path, spark: Spark, checkpoint: Path, count: int) -> list[tuple[object, ...]]:
    """The first results of the job, without their orders."""
    running = stream_host.start(job(folder), spark, StreamSettings(str(checkpoint), parallelism=2))
    seen, until = follow(running)
    until(lambda: len(seen) >= count)
    running.stop()
    return sorted(row[1:] for row in seen)


def forget_all_but_the_first_offsets(checkpoint: Path) -> None:
    """As if the query had been killed in its first micro-batch, which is run again then."""
    (first,) = checkpoint.rglob("offsets/0")
    for log in (first.parent, first.parent.parent / "commits"):
        for file in log.iterdir():
            number = file.name.removeprefix(".").split(".")[0]
            if number.isdigit() and (log != first.parent or number != "0"):
                file.unlink()
