"""The option that names a table for dead letters, and tables that do not fit."""

from __future__ import annotations

import pytest

from firesteel import TableEnvironment
from firesteel.errors import ValidationError
from firesteel.job.spec import JobSpec
from firesteel.session.jobs import job_of
from firesteel.session.planning import plan
from firesteel.sql.parser import parse_statement
from firesteel.sql.statements import Insert

INSERT = "INSERT INTO counts SELECT COUNT(*) FROM t"
WHOLE = (
    "source_table STRING, source_position STRING, failed_at TIMESTAMP_LTZ(3), error_class STRING, "
    "error_text STRING, raw_bytes BYTES, row_kind STRING"
)


def environment(columns: str, connector: str = "blackhole", name: str = "bad") -> TableEnvironment:
    made = TableEnvironment.create(configuration={"firesteel.dead-letters.table": name})
    made.execute_sql(
        "CREATE TABLE t (a INT) WITH ('connector' = 'filesystem', 'path' = '/x', 'format' = 'json')"
    )
    made.execute_sql("CREATE TABLE counts (n BIGINT) WITH ('connector' = 'blackhole')")
    made.execute_sql(f"CREATE TABLE bad ({columns}) WITH ('connector' = '{connector}')")
    return made


def job(made: TableEnvironment) -> JobSpec:
    statement = parse_statement(INSERT)
    assert isinstance(statement, Insert)
    return job_of(made, [plan(made, statement, INSERT).physical])


@pytest.mark.parametrize(
    "columns",
    [
        WHOLE,
        "raw_bytes BYTES",
        "error_text STRING NOT NULL, source_position STRING",
        "source_position STRING, raw_bytes BYTES",
    ],
)
def test_a_table_may_have_some_of_the_columns(columns: str) -> None:
    made = job(environment(columns))
    assert [sink.takes_dead_letters for sink in made.sinks] == [False, True, True]
    assert [sink.takes_refused_rows for sink in made.sinks] == [False, False, True]
    assert made.target == "default_catalog.default_database.counts"


def test_without_the_option_there_is_no_such_sink() -> None:
    made = environment(WHOLE)
    made.configuration.reset("firesteel.dead-letters.table")
    assert len(job(made).sinks) == 1


@pytest.mark.parametrize(
    ("columns", "connector", "name", "words"),
    [
        ("raw_bytes BYTES", "blackhole", "nowhere", "There is no table 'nowhere' for dead letters."),
        ("raw_bytes BYTES, more INT", "blackhole", "bad", "dead letters have no column 'more'"),
        ("raw_bytes STRING", "blackhole", "bad", "the column 'raw_bytes' is STRING, and must be BYTES"),
        ("raw_bytes BYTES NOT NULL", "blackhole", "bad", "the column 'raw_bytes' must take NULL"),
        (
            "source_position INT",
            "blackhole",
            "bad",
            "the column 'source_position' is INT, and must be STRING",
        ),
        ("error_text STRING", "datagen", "bad", "Connector 'datagen' can only be used as a source."),
    ],
)
def test_a_table_that_does_not_fit_is_refused_before_the_job_starts(
    columns: str, connector: str, name: str, words: str
) -> None:
    made = environment(columns, connector, name)
    with pytest.raises(ValidationError) as told:
        made.execute_sql(f"\n{INSERT}")
    assert words in told.value.message
    assert "line 2, column 1" in str(told.value)
    assert "'firesteel.dead-letters.table' names it" in str(told.value)
