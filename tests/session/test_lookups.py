"""Tables that lookup joins ask belong to the job: secrets reach workers, errors point at their options."""

from __future__ import annotations

import pytest

from firesteel.config.secrets import hand_on, resolved
from firesteel.errors import JobError
from firesteel.job.lookups import looked_up
from firesteel.job.spec import JobSpec
from firesteel.session.environment import TableEnvironment
from firesteel.session.jobs import job_of
from firesteel.session.planning import plan_all
from firesteel.session.running.option_places import locate_in_job
from firesteel.spark.shipped_code import table_options
from firesteel.sql.parser import parse_script
from firesteel.sql.statements import Insert

DDL = (
    """CREATE TABLE i (a INT, pt AS PROCTIME()) WITH ('connector' = 'filesystem', 'path' = '/i',
      'format' = 'canal-json')""",
    """CREATE TABLE d (a INT, b INT) WITH ('connector' = 'jdbc', 'url' = 'jdbc:postgresql://h/d',
      'table-name' = 'd', 'username' = 'u', 'password' = 's3cret')""",
    "CREATE TABLE o (b INT, n BIGINT) WITH ('connector' = 'print')",
)
INSERT = """INSERT INTO o SELECT d.b, COUNT(*) FROM i JOIN d FOR SYSTEM_TIME AS OF i.pt AS d ON i.a = d.a
  GROUP BY d.b"""


@pytest.fixture(params=["IGNORE", "TRY_RESOLVE"])
def environment(request: pytest.FixtureRequest) -> TableEnvironment:
    options = {"table.optimizer.non-deterministic-update.strategy": request.param}
    found = TableEnvironment.create(configuration=options)
    for statement in DDL:
        found.execute_sql(statement)
    return found


def job(environment: TableEnvironment) -> JobSpec:
    (insert,) = parse_script(INSERT)
    assert isinstance(insert, Insert)
    return job_of(environment, [plan_all(environment, [insert], INSERT)[0].physical])


def test_secrets_reach_the_workers(environment: TableEnvironment, monkeypatch: pytest.MonkeyPatch) -> None:
    made = job(environment)
    assert "s3cret" not in repr(made)
    variables: dict[str, str] = {}
    hand_on(table_options(made), variables)
    (scan,) = looked_up(made)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert dict(resolved(scan.options))["password"] == "s3cret"
    assert "s3cret" in variables.values()


def test_an_error_points_at_the_option_of_the_table(environment: TableEnvironment) -> None:
    error = JobError("connection refused", option="url")
    locate_in_job(error, environment.catalog, job(environment))
    assert "'url' = 'jdbc:postgresql://h/d'" in str(error)
