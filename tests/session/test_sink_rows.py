"""Samples of what INSERTs send: from the tasks to the web page, and only while it looks."""

from __future__ import annotations

import os
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest

from firesteel import TableEnvironment
from firesteel.jobs.job import Source
from firesteel.jobs.registry import JOBS, Registry
from firesteel.runtime.dataflow.packets import read_ipc
from firesteel.runtime.spec.tables import SinkSpec
from firesteel.session.live.sink_rows import SinkRows, sampled
from firesteel.session.running import running_job
from firesteel.session.upgrade.script_jobs import script_jobs
from firesteel.spark.delivery import Delivery
from firesteel.spark.progress import Progress
from firesteel.spark.task.sink_sample import BYTES, LOOK_SECONDS, ROWS, SinkSample, is_watched, touch
from firesteel.types.sql import BIGINT, STRING
from tests.session.test_live_rows import changes
from tests.spark.in_process import _Run
from tests.spark.in_process import changes as source_rows

if TYPE_CHECKING:
    from firesteel.spark.launch.launch import Spark

SCRIPT = """
CREATE TABLE s (name STRING, n BIGINT) WITH ('connector' = 'datagen');
CREATE TABLE files (name STRING, n BIGINT)
  WITH ('connector' = 'filesystem', 'path' = '{base}/out', 'format' = 'json');
CREATE TABLE nowhere (name STRING, n BIGINT) WITH ('connector' = 'blackhole');
EXECUTE STATEMENT SET BEGIN
  INSERT INTO files SELECT name, n FROM s WHERE n > 1;
  INSERT INTO nowhere SELECT name, SUM(n) FROM s GROUP BY name;
END;
"""


def sinks(count: int = 1) -> dict[int, SinkSpec]:
    return {n: SinkSpec("blackhole", (), ("name", "total"), (STRING, BIGINT), f"t{n}") for n in range(count)}


def test_a_task_keeps_its_last_rows_while_a_page_looks(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    sample = SinkSample(str(mark), 3)
    sample.add(changes(("+I", "unseen", 0)))
    assert sample.packets() == []
    touch(mark)
    sample.add(changes(*(("+I", "Tom", n) for n in range(ROWS + 5))))
    (packet,) = sample.packets()
    assert (packet.port, packet.rows) == (3, 0)
    assert read_ipc(packet.payload).column("f1").to_pylist() == list(range(5, ROWS + 5))
    assert sample.packets() == []


def test_a_page_that_has_left_is_not_watching(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    touch(mark)
    assert is_watched(str(mark))
    before = time.time() - LOOK_SECONDS - 1
    os.utime(mark, (before, before))
    assert not is_watched(str(mark))
    sample = SinkSample(str(mark), 0)
    sample.add(changes(("+I", "Tom", 1)))
    assert sample.packets() == []


@pytest.mark.parametrize(("size", "left"), [(BYTES * 2, 0), (BYTES // 3, 2)])
def test_large_rows_are_left_out(tmp_path: Path, size: int, left: int) -> None:
    mark = tmp_path / "mark"
    touch(mark)
    sample = SinkSample(str(mark), 0)
    sample.add(changes(*(("+I", "x" * size, n) for n in range(5))))
    assert sum(read_ipc(packet.payload).num_rows for packet in sample.packets()) == left


def test_without_a_page_there_is_no_file_to_look_for() -> None:
    sample = SinkSample("", 0)
    sample.add(changes(("+I", "Tom", 1)))
    assert sample.packets() == []


def test_the_page_gets_the_last_changes_of_each_sink(tmp_path: Path) -> None:
    rows = SinkRows(sinks(2), "UTC", tmp_path / "mark")
    rows.add(1, changes(("-U", "Tom", 3), ("+U", "Tom", 4)))
    rows.add(0, changes(("+I", "Ann", None)))
    rows.add(7, changes(("+I", "of no sink", 1)))
    assert not is_watched(str(tmp_path / "mark"))
    answer = rows.answer({"sink": "1", "size": "1"})
    assert is_watched(str(tmp_path / "mark"))
    assert answer == {
        "view": "changes",
        "is_sample": True,
        "sinks": ["t0", "t1"],
        "sink": 1,
        "columns": [{"name": "name", "type": "STRING"}, {"name": "total", "type": "BIGINT"}],
        "change_count": 2,
        "changes": [["+U", "Tom", "4"]],
    }
    assert rows.answer({"sink": "nine"})["changes"] == [["+I", "Ann", "<NULL>"]]


def test_a_page_gets_its_answer_when_the_folder_is_gone(tmp_path: Path) -> None:
    rows = SinkRows(sinks(), "UTC", tmp_path / "gone" / "mark")
    rows.add(0, changes(("+I", "Tom", 1)))
    assert rows.answer({})["changes"] == [["+I", "Tom", "1"]]


def test_what_is_kept_is_bounded(tmp_path: Path) -> None:
    rows = SinkRows(sinks(), "UTC", tmp_path / "mark")
    for number in range(1000):
        rows.add(0, changes(*(("+I", "Tom", number) for _ in range(15))))
    assert sum(table.num_rows for table in rows._tables[0]) < 230
    answer = rows.answer({"size": "200"})
    assert (len(answer["changes"]), answer["change_count"]) == (200, 15_000)
    assert answer["changes"][-1] == ["+I", "Tom", "999"]


def test_only_jobs_with_sinks_and_a_page_have_samples(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (insert,) = script_jobs(TableEnvironment.create(), SCRIPT.replace("{base}", str(tmp_path)))
    (query,) = script_jobs(TableEnvironment.create(), "SELECT 1;")
    record, progress = Registry().add(Source("INSERT")), Progress()
    assert sampled(record, insert.job.job, progress, "UTC") == ""
    monkeypatch.setattr(JOBS, "shows_rows", True)
    assert sampled(record, query.job.job, progress, "UTC") == ""
    assert (record.rows, progress.sampled) == (None, None)
    assert not is_watched(sampled(record, insert.job.job, progress, "UTC"))
    assert record.rows is not None
    assert record.rows.answer({})["sinks"] == ["files", "nowhere"]
    progress.close()
    assert progress.sampled is None


def test_samples_reach_the_page(tmp_path: Path) -> None:
    """One sink writes in the tasks that compute its rows, the other gets packets."""
    (planned,) = script_jobs(TableEnvironment.create(), SCRIPT.replace("{base}", str(tmp_path)))
    job, mark, progress = planned.job.job, tmp_path / "mark", Progress()
    delivery, run = Delivery(job.sinks, progress), _Run(job, 2, 1)
    rows = SinkRows(dict(enumerate(job.sinks)), "UTC", mark)
    progress.sampled = rows.add
    run._first = tuple(replace(each, watched=str(mark), job=delivery.job) for each in run._first)
    run._later = [
        tuple(replace(each, watched=str(mark), job=delivery.job) for each in stage) for stage in run._later
    ]
    for batch in range(2):
        source = source_rows([0, 0], pa.array(["Tom", "Ann"]), pa.array([1, 2 + batch], pa.int64()))
        packets = [p for work in run._first for p in run._read(work, [source], range(1), batch, False)]
        for stage, works in enumerate(run._later):
            packets = run._stage(stage, works, packets, batch)
        assert list(delivery.deliver(packets, batch, lambda task: [])) == []
        found = [rows.answer({"sink": str(sink)})["changes"] for sink in range(2)]
        if batch == 0:
            assert found == [[], []]
    assert found[0] == [["+I", "Ann", "3"]]
    assert sorted(found[1]) == [["+U", "Ann", "5"], ["+U", "Tom", "2"]]


@pytest.mark.spark
@pytest.mark.parametrize("host", ["batch", "stream"])
def test_a_job_on_spark(spark: Spark, monkeypatch: pytest.MonkeyPatch, host: str) -> None:
    def watched(*asked: object) -> str:
        mark = sampled(*asked)  # type: ignore[arg-type]
        touch(Path(mark))
        os.utime(mark, (time.time() + 3600,) * 2)  # however long the start takes
        return mark

    monkeypatch.setattr(JOBS, "shows_rows", True)
    monkeypatch.setattr(running_job, "sampled", watched)
    environment = TableEnvironment.create(spark, configuration={"firesteel.host": host})
    environment.execute_sql("CREATE TABLE o (name STRING, n BIGINT) WITH ('connector' = 'blackhole')")
    insert = (
        "INSERT INTO o SELECT name, SUM(n) FROM (VALUES ('Tom', 1), ('Tom', 2)) AS v(name, n) GROUP BY name"
    )
    result = environment.execute_sql(insert)
    result.wait()
    assert result.record is not None
    assert result.record.rows is not None
    assert result.record.rows.answer({})["changes"][-1] == ["+U", "Tom", "3"]
