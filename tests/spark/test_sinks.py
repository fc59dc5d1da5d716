"""Sinks get a batch in one piece: nothing of it where something fails, and once, whatever is tried again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from firesteel.errors import DataError, FiresteelError, JobError
from firesteel.job.spec import JobSpec
from firesteel.spark.batch import host as batch_host
from firesteel.spark.batch.host import BatchSettings
from firesteel.spark.progress import Progress
from firesteel.spark.stream import host as stream_host
from firesteel.spark.stream import sinks as stream_sinks
from firesteel.spark.stream.settings import StreamSettings
from firesteel.spark.task import spilled_packets
from firesteel.types.sql import BIGINT, INT, STRING
from tests.spark.jobs import folded, grouped, nested, rows, write_changes
from tests.spark.sqlite_sink import TestedSink, partitions_in, registered, rows_in

if TYPE_CHECKING:
    from firesteel.spark.launch.launch import Spark

pytestmark = pytest.mark.spark

Run = Callable[[JobSpec, "Spark", Progress], None]
ROOT = Path(__file__).parents[2]
TYPES = (STRING, INT, INT, BIGINT)


@pytest.fixture(scope="module", autouse=True)
def _workers(spark: Spark) -> Iterator[None]:
    """Workers find the sinks of tests/spark/sqlite_sink.py."""
    spark.context.environment["PYTHONPATH"] = str(ROOT)
    with registered():
        yield
    del spark.context.environment["PYTHONPATH"]


def sink(connector: str, path: Path, *key: int) -> TestedSink:
    options = (("connector", connector), ("path", str(path)), ("format", "canal-json"))
    return TestedSink(connector, options, ("name", "total", "biggest", "n"), TYPES, "s", primary_key=key)


def on_batch(job: JobSpec, spark: Spark, progress: Progress) -> None:
    list(batch_host.run(job, spark, BatchSettings(4), progress))


def on_stream(job: JobSpec, spark: Spark, progress: Progress) -> None:
    stream_host.start(job, spark, StreamSettings(parallelism=4, max_rows=300), progress).wait()


HOSTS = pytest.mark.parametrize("run", [on_batch, on_stream], ids=["batch", "stream"])


@pytest.fixture(scope="module")
def changes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("changes") / "in.json"
    write_changes(path, 800)
    return path


@pytest.fixture(scope="module")
def answer(changes: Path, spark: Spark) -> Counter[tuple[Any, ...]]:
    return +folded(rows(batch_host.run(grouped(changes), spark)))


@HOSTS
@pytest.mark.parametrize(
    "key",
    [
        pytest.param((0,), id="the key of the plan"),
        pytest.param((3,), id="another key", marks=pytest.mark.full),
        pytest.param((), id="no key", marks=pytest.mark.full),
    ],
)
def test_tasks_that_commit_get_all_rows(
    run: Run, key: tuple[int, ...], tmp_path: Path, spark: Spark, changes: Path, answer: Any
) -> None:
    progress = Progress()
    run(grouped(changes, sink=sink("sqlite", tmp_path / "db", *key)), spark, progress)
    found = rows_in(tmp_path / "db")
    assert progress.changes == len(found)
    assert progress.read > 800
    assert len(partitions_in(tmp_path / "db")) > 1
    left = Counter[tuple[Any, ...]]()
    for kind, *cells in found:
        left[tuple(cells)] += 1 if kind in ("+I", "+U") else -1
    assert +left == answer
    if key == (0,):
        assert folded(found) == folded(rows(batch_host.run(grouped(changes), spark)))


@pytest.mark.full
def test_tasks_that_commit_get_rows_that_lie_in_files(
    tmp_path: Path, spark: Spark, changes: Path, answer: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spilled_packets, "IN_MEMORY", 0)
    on_stream(grouped(changes, sink=sink("sqlite", tmp_path / "db", 0)), spark, Progress())
    left = Counter[tuple[Any, ...]]()
    for kind, *cells in rows_in(tmp_path / "db"):
        left[tuple(cells)] += 1 if kind in ("+I", "+U") else -1
    assert +left == answer


@HOSTS
@pytest.mark.full
def test_nothing_is_written_where_a_task_before_fails(
    run: Run, tmp_path: Path, spark: Spark, changes: Path
) -> None:
    bad = tmp_path / "in.json"
    lines = changes.read_text().splitlines(keepends=True)
    bad.write_text("".join(lines[:250]) + "{not json\n")
    for connector in ("sqlite", "failing-files"):
        out = tmp_path / connector
        with pytest.raises(DataError, match=r"in\.json, line 251"):
            run(grouped(bad, sink=sink(connector, out, 0)), spark, Progress())
        assert rows_in(out) == [] if connector == "sqlite" else list(out.iterdir()) == []


def test_a_sink_that_fails_in_one_of_four_tasks(
    tmp_path: Path, spark: Spark, changes: Path, answer: Any
) -> None:
    from tests.recovery.kills import folded_files

    out, trap = tmp_path / "out", tmp_path / "out.fail"
    trap.write_text("")
    settings = StreamSettings(str(tmp_path / "checkpoint"), parallelism=4, key_groups=4)
    job = grouped(changes, sink=sink("failing-files", out))
    with pytest.raises(JobError, match="the disk is full"):
        stream_host.start(job, spark, settings).wait()
    assert list(out.iterdir()) == []
    trap.unlink()
    stream_host.start(job, spark, settings).wait()
    assert folded_files(out, ("name", "total", "biggest", "n")) == answer
    assert not list(out.glob(".part-*"))


@pytest.mark.parametrize(
    ("when", "few_rows"),
    [
        pytest.param("write", (0, 0), id="write in tasks", marks=pytest.mark.full),
        pytest.param("committed", (0, 1000), id="committed in tasks", marks=pytest.mark.full),
        pytest.param("committed", (1000, 0), id="committed by the driver"),
        pytest.param("write", (1000, 1000), id="write by the driver", marks=pytest.mark.full),
    ],
)
def test_what_has_been_committed_is_not_repeated(
    when: str,
    few_rows: tuple[int, int],
    tmp_path: Path,
    spark: Spark,
    changes: Path,
    answer: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Whoever runs the sink's tasks before and after the failure: Spark, or for few rows the driver."""
    out = tmp_path / "db"
    out.with_suffix(".fail").write_text(when)
    settings = StreamSettings(str(tmp_path / "checkpoint"), parallelism=4, max_rows=400)
    job = grouped(changes, sink=sink("sqlite", out, 0))
    monkeypatch.setattr(stream_sinks, "FEW_ROWS", few_rows[0])
    with pytest.raises(FiresteelError, match="the database is full" if when == "write" else "died"):
        stream_host.start(job, spark, settings).wait()
    monkeypatch.setattr(stream_sinks, "FEW_ROWS", few_rows[1])
    stream_host.start(job, spark, settings).wait()
    assert +folded(rows_in(out)) == answer


@pytest.mark.parametrize(
    ("few_rows", "were_few", "kept"),
    [
        pytest.param(1000, None, "the first", id="few", marks=pytest.mark.full),
        pytest.param(1, None, "all", id="many", marks=pytest.mark.full),
        pytest.param(1, True, "the first", id="many where few were expected"),
    ],
)
def test_what_spark_keeps_for_the_tasks_of_a_sink(
    few_rows: int,
    were_few: bool | None,
    kept: str,
    tmp_path: Path,
    spark: Spark,
    changes: Path,
    answer: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Where a micro-batch had few rows, the next one's all come to the driver, however many they are."""
    from pyspark.sql.classic.dataframe import DataFrame

    calls, persist = [], DataFrame.persist
    monkeypatch.setattr(DataFrame, "persist", lambda frame: calls.append(1) or persist(frame))
    monkeypatch.setattr(stream_sinks, "FEW_ROWS", few_rows)
    if were_few is not None:
        monkeypatch.setattr(stream_sinks.KeptPackets, "were_few", were_few)
    job, progress = grouped(changes, sink=sink("sqlite", tmp_path / "db", 0)), Progress()
    stream_host.start(job, spark, StreamSettings(max_rows=400), progress).wait()
    assert +folded(rows_in(tmp_path / "db")) == answer
    assert progress.batches > 1
    assert len(calls) == (1 if kept == "the first" else progress.batches)


def test_a_batch_job_that_failed_leaves_no_files(tmp_path: Path, spark: Spark, changes: Path) -> None:
    out = tmp_path / "out"
    out.with_suffix(".fail").write_text("")
    with pytest.raises(JobError, match="the disk is full"):
        on_batch(grouped(changes, sink=sink("failing-files", out)), spark, Progress())
    assert list(out.iterdir()) == []


@HOSTS
@pytest.mark.full
def test_several_steps_before_a_sink(run: Run, tmp_path: Path, spark: Spark, changes: Path) -> None:
    job = nested(changes)
    spec = sink("sqlite", tmp_path / "db")
    types = job.sinks[0].types
    one = TestedSink("sqlite", spec.options, job.sinks[0].names, types, "s", primary_key=(0,))
    run(JobSpec(job.chains, (one,)), spark, Progress())
    assert folded(rows_in(tmp_path / "db")) == folded(rows(batch_host.run(job, spark)))
