"""SHOW JOBS, DESCRIBE JOB and STOP JOB, and what the registry knows of the jobs of statements."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING

import pytest

from firesteel import TableEnvironment
from firesteel.errors import NotSupportedError, ParseError, ValidationError
from firesteel.jobs.job import JobState
from firesteel.jobs.registry import JOBS
from firesteel.session.result import OK

if TYPE_CHECKING:
    from firesteel.spark.launch.launch import Spark

COLUMNS = ("job id", "job name", "status", "start time")


@pytest.mark.parametrize(
    "text", ["STOP JOB", "STOP JOB 1", "STOP '1'", "DESCRIBE JOB '1' '2'", "SHOW JOBS 1"]
)
def test_what_is_no_statement(text: str) -> None:
    with pytest.raises(ParseError):
        TableEnvironment.create().execute_sql(text)


@pytest.mark.parametrize("words", ["SAVEPOINT", "DRAIN"])
def test_there_are_no_savepoints(words: str) -> None:
    with pytest.raises(NotSupportedError, match=f"STOP JOB WITH {words}"):
        TableEnvironment.create().execute_sql(f"STOP JOB '1' WITH {words}")


def test_a_job_that_is_not_there() -> None:
    for statement in ("STOP JOB 'x'", "DESCRIBE JOB 'x'"):
        with pytest.raises(ValidationError, match="Job x does not exist") as caught:
            TableEnvironment.create().execute_sql(statement)
        assert caught.value.range is not None
        assert caught.value.sql[caught.value.range.start :] == "'x'"  # type: ignore[index]


def test_a_statement_that_is_wrong_or_whose_result_is_dropped_leaves_no_job() -> None:
    environment = TableEnvironment.create()
    before = JOBS.jobs()
    with pytest.raises(ValidationError):
        environment.execute_sql("SELECT a FROM nowhere")
    result = environment.execute_sql("SELECT 1")
    assert [job.state for job in JOBS.jobs()[len(before) :]] == [JobState.INITIALIZING]
    del result
    gc.collect()
    assert JOBS.jobs() == before


@pytest.mark.spark
def test_jobs_are_listed_described_and_stopped(spark: Spark) -> None:
    environment = TableEnvironment.create(spark, configuration={"table.local-time-zone": "GMT+03:00"})
    environment.execute_sql("CREATE TABLE g (a INT) WITH ('connector' = 'datagen', 'rows-per-second' = '5')")
    text = "SELECT 1;\n  SELECT a FROM g"
    first, second = (environment.execute(statement, text) for statement in environment.parse(text))
    assert first.record is not None
    assert second.record is not None
    assert len(list(first.collect())) == 1
    changes = second.collect()
    next(changes)
    id = second.record.id
    assert (second.record.source.line, second.record.source.column) == (2, 3)
    assert "DataGen" in second.record.plan or "TableSourceScan" in second.record.plan
    listed = environment.execute_sql("SHOW JOBS")
    assert listed.names == COLUMNS
    by_id = {row[0]: row for row in listed.collect()}
    assert by_id[first.record.id][1:3] == ("select", "FINISHED")
    (described,) = environment.execute_sql(f"DESCRIBE JOB '{id}'").collect()
    assert described == by_id[id]
    assert described[1:3] == ("select", "RUNNING")
    assert environment.execute_sql(f"STOP JOB '{id}'") is OK
    assert all(row.names == ("a",) for row in changes)  # they end
    assert second.record.state is JobState.CANCELED
    with pytest.raises(ValidationError, match="has ended: it is CANCELED"):
        environment.execute_sql(f"STOP JOB '{id}'")


@pytest.mark.spark
def test_a_job_that_fails_says_why(spark: Spark) -> None:
    environment = TableEnvironment.create(spark)
    result = environment.execute_sql("SELECT 1 / a FROM (VALUES (0)) AS t (a)")
    assert result.record is not None
    with pytest.raises(Exception, match="/"):
        list(result.collect())
    assert result.record.state is JobState.FAILED
    assert "/" in (result.record.cause or "")
