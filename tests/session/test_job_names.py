"""What a job is called, and what of it Spark's UI shows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from firesteel.session.environment import TableEnvironment
from firesteel.session.launch import launch_options

if TYPE_CHECKING:
    from firesteel.spark.launch.launch import Spark
    from firesteel.spark.progress import Progress

NUMBERS = "CREATE TABLE numbers (id INT) WITH ('connector' = 'datagen', 'number-of-rows' = '3')"
NOTHING = "CREATE TABLE nothing (id INT) WITH ('connector' = 'blackhole')"
INSERT = "INSERT INTO nothing SELECT id FROM numbers"


@pytest.mark.parametrize(
    ("options", "script", "name"),
    [
        ({}, "", "firesteel"),
        ({}, "job.sql", "job.sql"),
        ({"pipeline.name": "counts"}, "job.sql", "counts"),
        ({"pipeline.name": "counts", "spark.app.name": "mine"}, "job.sql", "mine"),
    ],
)
def test_the_application_has_the_name_of_the_pipeline_or_the_script(
    options: dict[str, str], script: str, name: str
) -> None:
    assert launch_options(options, script=script).settings()["spark.app.name"] == name


def descriptions(spark: Spark) -> list[str]:
    """Those of the last jobs that Spark knows."""
    context: Any = spark.context
    store = context._jsc.sc().statusStore()
    found = store.jobsList(context._jvm.java.util.ArrayList())
    jobs = [found.apply(index) for index in range(found.size())]
    return [job.description().get() for job in jobs if job.description().isDefined()]


@pytest.mark.spark
@pytest.mark.parametrize(
    ("options", "name", "shown"),
    [
        ({"firesteel.host": "batch"}, "job.sql: nothing", INSERT),
        ({"firesteel.host": "stream", "pipeline.name": "counts"}, "counts", "counts"),
    ],
)
def test_jobs_carry_their_name_and_their_sql(
    spark: Spark, options: dict[str, str], name: str, shown: str
) -> None:
    environment = TableEnvironment.create(spark, configuration=options)
    environment.script = "job.sql"
    seen: list[str] = []

    def watch(progress: Progress) -> None:
        seen.append(progress.name)

    for text in (NUMBERS, NOTHING, INSERT):
        (statement,) = environment.parse(text)
        environment.execute(statement, text, watch=watch).wait()
    assert set(seen) == {name}
    assert any(text.partition("<br/>")[0].startswith(shown) for text in descriptions(spark))
