"""What `firesteel why` refuses, and that it changes nothing in a checkpoint. No Spark runs."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from firesteel.errors import FiresteelError, JobError, NotSupportedError, UsageError
from firesteel.spark.checkpoint import fingerprint
from firesteel.spark.checkpoint.lock import RUN_FILE, CheckpointLock
from tests.session.why.test_group_by import SUMS, TABLES, make
from tests.spark.savepoint.test_savepoint import files


def message(error: pytest.ExceptionInfo[FiresteelError]) -> str:
    return f"{error.value.message} {error.value.hint or ''}"


@pytest.mark.parametrize(
    ("key", "said"),
    [
        ((), "--key is missing"),
        (("size = 3",), "no column size its columns are name, total"),
        (("total = 'many'",), "'many' is no value of the column total, which is INT"),
        (("name = 'Tom' AND name = 'Ann'",), "names the column name twice"),
        (("name = UPPER('Tom')",), "is not a key write it as"),
        (("name > 'Tom'",), "is not a key write it as"),
        (("name = 'Tom' OR total = 1",), "is not a key write it as"),
        (("name =",), "cannot be read"),
    ],
)
def test_a_key_that_is_none(tmp_path: Path, key: tuple[str, ...], said: str) -> None:
    job = make(tmp_path)
    with pytest.raises(UsageError) as error:
        job.why(*key)
    assert said in message(error)


def test_a_key_that_is_not_there(tmp_path: Path) -> None:
    job = make(tmp_path)
    with pytest.raises(UsageError, match="totals has never had a row with name = 'Eve'"):
        job.why("name = 'Eve'")


def test_a_row_of_a_later_micro_batch(tmp_path: Path) -> None:
    job = make(tmp_path)
    with pytest.raises(UsageError, match="has never had a row with name = 'Bob'"):
        job.why("name = 'Bob'", at=1)


def test_a_running_job(tmp_path: Path) -> None:
    job = make(tmp_path)
    lock = CheckpointLock(job.checkpoint, RUN_FILE)
    try:
        before = files(job.checkpoint)
        assert job.why("name = 'Tom'").rows == ["[Tom, 8]"]
        assert files(job.checkpoint) == before
    finally:
        lock.release()


def test_a_micro_batch_that_has_not_ended(tmp_path: Path) -> None:
    job = make(tmp_path)
    (job.folder() / "spark/commits/3").unlink()
    assert job.why("name = 'Tom'").batch == 2
    with pytest.raises(UsageError) as error:
        job.why("name = 'Tom'", at=3)
    assert "does not have micro-batch 3 it has the micro-batches 0 to 2" in message(error)


def test_no_micro_batch_has_ended(tmp_path: Path) -> None:
    job = make(tmp_path)
    shutil.rmtree(job.folder() / "spark/commits")
    with pytest.raises(UsageError, match=r"no micro-batch of the checkpoint .* has ended"):
        job.why("name = 'Tom'")


def test_another_version(tmp_path: Path) -> None:
    job = make(tmp_path)
    file = job.folder() / fingerprint.FILE
    file.write_text(json.dumps(json.loads(file.read_text()) | {"version": 0}))
    with pytest.raises(UsageError, match="made by a version of Firesteel that keeps state in another way"):
        job.why("name = 'Tom'")


def test_another_query(tmp_path: Path) -> None:
    job = make(tmp_path)
    with pytest.raises(UsageError, match="belongs to another version of the statement") as found:
        job.why("name = 'Tom'", script=job.script.replace("SUM(cnt)", "MAX(cnt)"))
    assert found.value.hint == "name the script that the checkpoint was made with"


def test_another_statement(tmp_path: Path) -> None:
    job = make(tmp_path)
    with pytest.raises(UsageError, match="has nothing of the statement"):
        job.why("name = 'Tom'", script=job.script.replace("totals", "sums"))


def test_no_checkpoint(tmp_path: Path) -> None:
    job = make(tmp_path)
    shutil.rmtree(job.folder())
    with pytest.raises(UsageError, match="is not a checkpoint of Firesteel"):
        job.why("name = 'Tom'")


def test_several_results(tmp_path: Path) -> None:
    job = make(tmp_path, SUMS + SUMS.replace("> 5", "> 6"))
    with pytest.raises(UsageError) as error:
        job.why("name = 'Tom'")
    assert "the script has several results choose one with --table: totals" in message(error)
    with pytest.raises(UsageError, match="the script has no result sums"):
        job.why("name = 'Tom'", table="sums")


@pytest.mark.parametrize("change", ["gone", "changed"])
def test_a_source_without_its_history(tmp_path: Path, change: str) -> None:
    job = make(tmp_path)
    file = tmp_path / "in" / "1.json"
    text = file.read_text()
    file.unlink()
    if change == "changed":
        file.write_text(text.replace("Tom", "Tim"))
    with pytest.raises(UsageError, match=r"sales no longer has its history: .*1\.json"):
        job.why("name = 'Tom'")


def test_a_damaged_log_of_files(tmp_path: Path) -> None:
    job = make(tmp_path)
    (log,) = job.checkpoint.rglob("files.jsonl")
    log.write_text("")
    with pytest.raises(JobError, match=f"its log of files {log} names 0") as error:
        job.why("name = 'Tom'")
    assert error.value.hint == "restore the checkpoint from a copy"


def test_lost_offsets(tmp_path: Path) -> None:
    job = make(tmp_path)
    (job.folder() / "spark/offsets/1").unlink()
    with pytest.raises(JobError, match="has lost offsets of micro-batches up to 3"):
        job.why("name = 'Tom'")
    (job.folder() / "spark/offsets/1").write_text("v1\n{}\n{")
    with pytest.raises(JobError, match="has damaged offsets of micro-batch 1"):
        job.why("name = 'Tom'")


def test_offsets_that_are_no_longer_kept(tmp_path: Path) -> None:
    job = make(tmp_path)
    for number in (0, 1):
        for log in ("offsets", "commits"):
            (job.folder() / f"spark/{log}/{number}").unlink()
    found = job.why("name = 'Tom'")
    assert found.rows == ["[Tom, 8]"]
    assert [each.batch for each in found.sources] == ["0-2"] * 4 + ["3"]


def test_offsets_that_are_needed(tmp_path: Path) -> None:
    job = make(tmp_path, table_exec_state_ttl="1 d")
    assert job.why("name = 'Tom'").rows == ["[Tom, 8]"]
    for number in (0, 1):
        (job.folder() / f"spark/offsets/{number}").unlink()
    with pytest.raises(NotSupportedError, match=r"time to live.* no offsets of the first micro-batches"):
        job.why("name = 'Tom'")


def test_a_function_whose_value_differs(tmp_path: Path) -> None:
    job = make(tmp_path, SUMS.replace("cnt)", "RAND_INTEGER(cnt))"))
    with pytest.raises(NotSupportedError, match="it calls RAND_INTEGER, whose value differs each time"):
        job.why("name = 'Tom'")


def test_an_operator_that_is_not_traced(tmp_path: Path) -> None:
    statement = "INSERT INTO totals SELECT name, CAST(COUNT(DISTINCT cnt) AS INT) FROM sales GROUP BY name;"
    options = {
        "table_exec_mini-batch_enabled": "true",
        "table_exec_mini-batch_size": "100",
        "table_exec_mini-batch_allow-latency": "1 s",
        "table_optimizer_distinct-agg_split_enabled": "true",
    }
    job = make(tmp_path, statement, 2, TABLES, **options)
    with pytest.raises(NotSupportedError, match="`why` for a query with IncrementalGroupAggregate"):
        job.why("name = 'Tom'")
