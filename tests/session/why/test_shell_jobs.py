"""The statement that WHY of the shell asks for. No Spark runs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from firesteel import TableEnvironment
from firesteel.errors import FiresteelError, UsageError, ValidationError
from firesteel.jobs.about import About
from firesteel.jobs.job import Source
from firesteel.jobs.registry import Registry
from firesteel.session.started_jobs import KEPT, StartedJob, StartedJobs
from firesteel.session.upgrade.script_jobs import script_jobs
from firesteel.session.why.shell_jobs import statement_in, statement_of_job, statement_writing
from firesteel.session.why.why import Question, explain_in
from firesteel.spark.checkpoint.upgrade.kept_script import FILE
from firesteel.spark.progress import Progress
from tests.session.why.test_group_by import SUMS, TABLES, make
from tests.why.past_job import PastJob

TOM = Question(("name = 'Tom'",))
OTHER = SUMS.replace("totals", "more")
MORE = TABLES + TABLES.split(";\n")[1].replace("totals", "more") + ";\n"


def shell(job: PastJob) -> TableEnvironment:
    """Return a session that has started the statements of a job, the first one as job 1."""
    environment = TableEnvironment.create(configuration=job.options)
    for number, each in enumerate(script_jobs(environment, job.script)):
        text, of_script = each.job.identity.text, each.job.job
        started = StartedJob(text, of_script, each.plans, each.origins, str(job.folder(number)))
        environment.started.add(str(number + 1), started)
    return environment


@pytest.fixture
def jobs(monkeypatch: pytest.MonkeyPatch) -> Registry:
    found = Registry()
    monkeypatch.setattr("firesteel.session.why.shell_jobs.JOBS", found)
    return found


def message(error: pytest.ExceptionInfo[FiresteelError]) -> str:
    return f"{error.value.message} {error.value.hint or ''}"


def test_the_last_job_that_writes_to_a_table(tmp_path: Path) -> None:
    job = make(tmp_path)
    environment = shell(job)
    asked = statement_writing(environment, ["totals"])
    assert asked.folder == job.folder()
    assert explain_in(asked, TOM) == job.why("name = 'Tom'")
    assert statement_writing(environment, ["default_database", "totals"]) == asked
    with pytest.raises(UsageError, match="no job of this shell that has a checkpoint writes to sales"):
        statement_writing(environment, ["sales"])


def test_a_job_by_its_id(tmp_path: Path, jobs: Registry) -> None:
    job = make(tmp_path, SUMS + OTHER, tables=MORE)
    environment = shell(job)
    for text in (SUMS, OTHER):
        jobs.add(Source(text))
    for id, table in (("1", "totals"), ("2", "more")):
        assert explain_in(statement_of_job(environment, id), TOM) == job.why("name = 'Tom'", table=table)
    with pytest.raises(UsageError, match="the job does not write to totals"):
        statement_of_job(environment, "2", ["totals"])


def test_a_statement_set(tmp_path: Path, jobs: Registry) -> None:
    job = make(tmp_path, f"EXECUTE STATEMENT SET BEGIN {SUMS} {OTHER} END;", tables=MORE)
    environment = shell(job)
    jobs.add(Source("EXECUTE STATEMENT SET"))
    with pytest.raises(UsageError, match="writes to several tables: totals, more"):
        statement_of_job(environment, "1")
    assert explain_in(statement_of_job(environment, "1", ["more"]), TOM).table == "more"


def test_jobs_without_an_answer(tmp_path: Path, jobs: Registry) -> None:
    environment = shell(make(tmp_path))
    for number, about in enumerate((About(), About(), About(checkpoint="/c"), About(checkpoint="/c"))):
        record = jobs.add(Source("SELECT 1"))
        jobs.planned(record, Progress(), about=about)
        if number == 3:
            record.end()
    for id, said in (
        ("9", "Job 9 does not exist. SHOW JOBS lists"),
        ("2", "job 2 has no checkpoint SET 'execution.checkpointing.dir'"),
        ("3", "job 3 has not started yet ask after its first micro-batch"),
        ("4", "no longer has the plan of job 4 ask for its checkpoint: WHY CHECKPOINT '/c'"),
    ):
        with pytest.raises((UsageError, ValidationError)) as error:
            statement_of_job(environment, id)
        assert said in message(error)


def test_a_job_that_has_not_begun(tmp_path: Path) -> None:
    job = make(tmp_path)
    environment = shell(job)
    for file in job.folder().iterdir():
        file.rename(tmp_path / file.name)
    with pytest.raises(UsageError, match="no micro-batch of the job has begun"):
        statement_writing(environment, ["totals"])


@pytest.mark.parametrize("table", [(), ("totals",), ("default_catalog", "default_database", "totals")])
def test_a_checkpoint_by_the_script_that_it_keeps(tmp_path: Path, table: Sequence[str]) -> None:
    job = make(tmp_path)
    asked = statement_in(TableEnvironment.create(), str(job.checkpoint), table)
    assert explain_in(asked, TOM) == job.why("name = 'Tom'")


def test_a_checkpoint_of_statements_that_were_typed(tmp_path: Path) -> None:
    job = make(tmp_path)
    (job.folder() / FILE).unlink()
    environment = TableEnvironment.create()
    with pytest.raises(UsageError) as error:
        statement_in(environment, str(job.checkpoint))
    assert "keeps no script, and this shell cannot plan its statement: " in message(error)
    for statement in TABLES.replace("{base}", str(tmp_path)).split(";")[:2]:
        environment.execute_sql(statement)
    asked = statement_in(environment, str(job.checkpoint), ["totals"])
    assert explain_in(asked, TOM) == job.why("name = 'Tom'")


def test_a_checkpoint_with_several_results(tmp_path: Path) -> None:
    job = make(tmp_path, SUMS + OTHER, tables=MORE)
    environment = TableEnvironment.create()
    with pytest.raises(UsageError, match="has several results: totals, more"):
        statement_in(environment, str(job.checkpoint))
    with pytest.raises(UsageError, match="has no result sales"):
        statement_in(environment, str(job.checkpoint), ["sales"])
    asked = statement_in(environment, str(job.checkpoint), ["more"])
    assert explain_in(asked, TOM) == job.why("name = 'Tom'", table="more")


def test_a_checkpoint_that_others_can_write(tmp_path: Path) -> None:
    job = make(tmp_path)
    job.checkpoint.chmod(0o777)
    with pytest.raises(UsageError, match="is not used"):
        statement_in(TableEnvironment.create(), str(job.checkpoint))


def test_the_oldest_jobs_are_dropped(tmp_path: Path) -> None:
    jobs = StartedJobs()
    (planned,) = script_jobs(TableEnvironment.create(), make(tmp_path).script)
    for number in range(KEPT + 2):
        jobs.add(str(number), StartedJob("", planned.job.job, planned.plans, planned.origins, str(number)))
    assert jobs.find("1") is None
    assert jobs.find("2") is not None
    last = jobs.last_to("default_catalog.default_database.totals")
    assert last is not None
    assert last.folder == str(KEPT + 1)
