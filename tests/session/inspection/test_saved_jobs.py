"""The jobs of a checkpoint, read from its files while their processes run, and after their ends."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from firesteel.errors import FiresteelError, JobError, UsageError
from firesteel.jobs.job import Job, Source
from firesteel.jobs.job_file import FILE, FORMAT, JobFile
from firesteel.jobs.registry import Registry
from firesteel.runtime.dataflow.counters import Counters
from firesteel.session.inspection.saved_jobs import SavedJobs
from firesteel.spark.checkpoint import owner as owners
from firesteel.spark.checkpoint.fingerprint import FILE as FINGERPRINT
from firesteel.spark.checkpoint.fingerprint import VERSION, hashing
from firesteel.spark.checkpoint.lock import FILE as LOCK
from firesteel.spark.checkpoint.lock import CheckpointLock
from firesteel.spark.checkpoint.owner import ShutOutError
from firesteel.spark.progress import Progress

if TYPE_CHECKING:
    from firesteel.spark.launch.launch import Spark

NAME = "insert-totals"


@pytest.fixture
def statement(tmp_path: Path) -> Path:
    """The folder of a statement, as a job makes it."""
    folder = tmp_path / NAME
    (folder / "spark" / "commits").mkdir(parents=True)
    (folder / FINGERPRINT).write_text(json.dumps({"version": VERSION, "hashing": hashing()}))
    (folder / "statement.sql").write_text("INSERT INTO totals SELECT 1")
    return folder


def run_job(folder: Path) -> tuple[Job, JobFile]:
    """Return a running job with one micro-batch, and its file in the folder."""
    registry = Registry()
    job = registry.add(Source("INSERT INTO totals SELECT name FROM t", "orders.sql", 3, 1))
    progress = Progress(name="orders.sql: totals", read=7, steps={0: ("read t", "send")})
    progress.chains = {0: [Counters(0, 7), Counters(7, 7)]}
    progress.lag = lambda: pytest.fail("no broker is asked in a micro-batch")
    progress.state_size = lambda: pytest.fail("Spark is not asked in a micro-batch")
    registry.planned(job, progress, lambda: "== Optimized Physical Plan ==\nSink\n")
    job.run()
    file = JobFile(job, lambda: pytest.fail("a local folder needs no Spark"))
    file.begin(str(folder))
    progress.batch = 4
    progress.end_batch()
    return job, file


def found(checkpoint: Path) -> dict[str, Any]:
    (job,) = SavedJobs(str(checkpoint)).jobs().values()
    return job.job


def test_a_job_that_another_process_runs(statement: Path) -> None:
    run_job(statement)
    lock = CheckpointLock(statement)
    (statement / "spark" / "commits" / "4").touch()
    saved = SavedJobs(str(statement.parent))
    job = saved.jobs()[NAME]
    assert (job.job["state"], job.job["committed"], job.job["ended"]) == ("RUNNING", 4, None)
    assert job.job["plan"].endswith("Sink\n")
    assert job.job["metrics"]["records_in_total"] == 7
    assert job.job["chains"][0]["steps"][0]["records_out"] == 7
    assert [batch["batch"] for batch in job.batches] == [4]
    lock.release()
    job = saved.jobs()[NAME]
    assert (job.job["state"], job.job["ended"]) == ("CANCELED", job.job["saved"])


def test_it_is_read_again_when_it_changes(statement: Path) -> None:
    job, file = run_job(statement)
    saved = SavedJobs(str(statement))
    assert saved.jobs()[NAME].job["metrics"]["records_in_total"] == 7
    assert job.progress is not None
    job.progress.read = 12_345
    file.save()
    assert saved.jobs()[NAME].job["metrics"]["records_in_total"] == 12_345


def test_a_job_that_failed_and_one_that_finished(statement: Path) -> None:
    job, file = run_job(statement)
    error = JobError("the disk is full", hint="make room")
    job.end(error)
    file.end(error)
    failed = found(statement.parent)
    assert failed["state"] == "FAILED"
    assert failed["cause"].startswith("the disk is full")
    assert [each["state"] for each in failed["history"]] == ["RUNNING", "FAILED"]
    job, file = run_job(statement)
    job.end()
    file.end(None)
    assert (found(statement.parent)["state"], found(statement.parent)["cause"]) == ("FINISHED", None)


def test_a_job_that_lost_its_checkpoint_does_not_write(statement: Path) -> None:
    job, file = run_job(statement)
    error = ShutOutError("the checkpoint was taken over")
    job.end(error)
    file.end(error)
    assert json.loads((statement / FILE).read_text())["job"]["state"] == "RUNNING"


def test_a_job_whose_process_was_killed(statement: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run_job(statement)
    lock = CheckpointLock(statement)
    name = json.loads((statement / LOCK).read_text())
    monkeypatch.setattr(owners, "_is_running", lambda pid: False)
    job = found(statement.parent)
    assert job["state"] == "FAILED"
    assert job["cause"].startswith(f"process {name['pid']} on {name['host']}")
    monkeypatch.undo()
    os.utime(statement / LOCK, (0, 0))  # of another machine, no sign of life for long
    assert found(statement.parent)["state"] == "FAILED"
    lock.release()


def test_a_savepoint_has_no_lock(statement: Path) -> None:
    run_job(statement)
    assert found(statement.parent)["state"] == "SUSPENDED"


@pytest.mark.parametrize("text", [None, "", '{"format": 1, "sav'])
def test_a_checkpoint_without_the_file_or_with_a_torn_one(statement: Path, text: str | None) -> None:
    if text is not None:
        (statement / FILE).write_text(text)
    job = found(statement.parent)
    assert (job["statement"], job["state"], job["metrics"]) == (
        "INSERT INTO totals SELECT 1", "SUSPENDED", None,
    )  # fmt: skip
    assert "until it runs again" in job["phase"]
    lock = CheckpointLock(statement)
    assert found(statement.parent)["state"] == "RUNNING"
    lock.release()


def test_a_write_that_fails_does_not_fail_the_job(statement: Path) -> None:
    _, file = run_job(statement)
    (statement / FILE).unlink()
    (statement / FILE).mkdir()
    file.save(at_once=True)
    assert (statement / FILE).is_dir()


def test_folders_that_are_no_checkpoint(tmp_path: Path, statement: Path) -> None:
    with pytest.raises(UsageError, match="there is no folder"):
        SavedJobs(str(tmp_path / "nothing"))
    with pytest.raises(UsageError, match="is not a checkpoint of Firesteel"):
        SavedJobs(str(statement / "spark"))
    with pytest.raises(UsageError, match="is not on a file system of this machine"):
        SavedJobs("hdfs://namenode/job")


def test_checkpoints_of_other_versions(statement: Path) -> None:
    (statement / FILE).write_text(json.dumps({"format": FORMAT + 1, "version": "9.1"}))
    with pytest.raises(UsageError, match=r"was written by version 9\.1"):
        SavedJobs(str(statement.parent))
    (statement / FINGERPRINT).write_text(json.dumps({"version": VERSION + 1, "hashing": hashing()}))
    with pytest.raises(UsageError, match="keeps state in another way") as found:
        SavedJobs(str(statement.parent))
    assert "job.json in this folder names it" in (found.value.hint or "")
    (statement / FINGERPRINT).write_text("{")
    with pytest.raises(JobError, match="damaged"):
        SavedJobs(str(statement.parent))


def run_insert(spark: Spark, folder: Path, lines: str) -> tuple[SavedJobs, str | None]:
    """Run a job over a file with these lines. Return the jobs of its checkpoint, and the job's error."""
    from firesteel import TableEnvironment

    (folder / "t").mkdir(parents=True)
    (folder / "t" / "1.json").write_text(lines)
    options = {
        "execution.checkpointing.dir": str(folder / "checkpoint"),
        "parallelism.default": "1",
        "restart-strategy.type": "none",
    }
    environment = TableEnvironment.create(spark, configuration=options)
    environment.execute_sql(
        "CREATE TABLE t (a INT) WITH ('connector' = 'filesystem', 'format' = 'json', "
        f"'path' = '{folder / 't'}')"
    )
    environment.execute_sql("CREATE TABLE o (a INT) WITH ('connector' = 'blackhole')")
    error = None
    try:
        environment.execute_sql("INSERT INTO o SELECT SUM(a) FROM t").wait()
    except FiresteelError as failure:
        error = str(failure)
    return SavedJobs(str(folder / "checkpoint")), error


@pytest.mark.spark
@pytest.mark.slow
def test_jobs_leave_their_file_in_the_checkpoint(tmp_path: Path, spark: Spark) -> None:
    jobs, error = run_insert(spark, tmp_path / "good", '{"a": 1}\n')
    saved = jobs.jobs()["insert-o"]
    assert error is None
    assert (saved.job["state"], saved.job["committed"]) == ("FINISHED", 0)
    assert saved.job["metrics"]["records_in_total"] == 1
    assert [batch["batch"] for batch in saved.batches] == [0]
    assert [sink["table"] for sink in saved.graph["sinks"]] == ["default_catalog.default_database.o"]

    jobs, error = run_insert(spark, tmp_path / "bad", "nonsense\n")
    saved = jobs.jobs()["insert-o"]
    assert error is not None
    assert (saved.job["state"], saved.job["cause"], saved.job["committed"]) == ("FAILED", error, None)
    assert "GroupAggregate" in saved.job["plan"]
