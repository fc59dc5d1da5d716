"""An error of a running job points at its option where one table alone has set it."""

from __future__ import annotations

import pytest

from firesteel import TableEnvironment
from firesteel.errors import FiresteelError, JobError
from firesteel.job.spec import JobSpec
from firesteel.session.jobs import job_of
from firesteel.session.planning import plan
from firesteel.session.running.option_places import locate_in_job
from firesteel.sql.statements import Query


@pytest.fixture
def environment() -> TableEnvironment:
    made = TableEnvironment.create()
    for name, options in (("t", "'fields.a.max' = '7'"), ("s", "'fields.a.max' = '8', 'fields.a.min' = '1'")):
        made.execute_sql(f"CREATE TABLE {name} (a INT) WITH ('connector' = 'datagen', {options})")
    return made


def job(environment: TableEnvironment, query: str) -> JobSpec:
    (statement,) = environment.parse(query)
    assert isinstance(statement, Query)
    return job_of(environment, [plan(environment, statement, query, collect=True).physical])


def place(error: FiresteelError) -> str | None:
    if error.range is None:
        return None
    assert error.sql is not None
    return error.sql[error.range.start : error.range.end]


@pytest.mark.parametrize(
    ("query", "option", "wanted"),
    [
        ("SELECT a FROM t", "fields.a.max", "'fields.a.max' = '7'"),
        ("SELECT a FROM t UNION ALL SELECT a FROM s", "fields.a.min", "'fields.a.min' = '1'"),
        ("SELECT a FROM t UNION ALL SELECT a FROM s", "fields.a.max", None),
        ("SELECT a FROM t /*+ OPTIONS('fields.a.max' = '9') */", "fields.a.max", None),
        ("SELECT a FROM t", "fields.a.min", None),
        ("SELECT a FROM t", None, None),
    ],
)
def test_the_place_of_an_option(
    environment: TableEnvironment, query: str, option: str | None, wanted: str | None
) -> None:
    error = JobError("the option is wrong", option=option)
    locate_in_job(error, environment.catalog, job(environment, query))
    assert place(error) == wanted
