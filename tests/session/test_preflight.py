"""What needs no Spark to be found wrong is told while Spark starts."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, cast

import pytest

from firesteel.errors import DataError, FiresteelError, JobError, UsageError, ValidationError
from firesteel.session.context import Environment
from firesteel.session.environment import TableEnvironment
from firesteel.session.jobs import job_of
from firesteel.session.planning import plan_all
from firesteel.session.running.preflight import await_spark
from firesteel.spark.checkpoint.fingerprint import FILE, Layout, check_or_write
from firesteel.sql.parser import parse_script
from firesteel.sql.statements import Insert

if TYPE_CHECKING:
    from firesteel.job.spec import JobSpec
    from firesteel.spark.launch.launch import Spark
    from firesteel.sql.statements import Query

IN, OUT = "CREATE TABLE i (a INT) WITH ({})", "CREATE TABLE o (a INT) WITH ({})"
NUMBERS, NOTHING = "'connector' = 'datagen'", "'connector' = 'blackhole'"
KAFKA = (
    "'connector' = 'kafka', 'topic' = 't', 'format' = 'json', 'properties.bootstrap.servers' = 'localhost:1'"
)
EARLIEST = f"{KAFKA}, 'scan.startup.mode' = 'earliest-offset'"
SQLITE = "'connector' = 'jdbc', 'url' = 'jdbc:sqlite:there.db', 'table-name' = '{}'"


class Starting:
    """A Spark that does not come up."""

    is_local = True

    @property
    def context(self) -> object:
        threading.Event().wait()
        raise AssertionError

    waits_for = "its JVM"


class Failing(Starting):
    """A Spark that does not start."""

    @property
    def context(self) -> object:
        raise JobError("Spark did not start")


class Running(Starting):
    """A Spark that is up."""

    context = None


def job(source: str, sink: str, options: dict[str, str] | None = None) -> tuple[Environment, JobSpec]:
    """An INSERT from one table to another."""
    environment = TableEnvironment.create(configuration=options or {})
    for definition in (IN.format(source), OUT.format(sink)):
        environment.execute_sql(definition)
    text = "INSERT INTO o SELECT a FROM i"
    (insert,) = parse_script(text)
    assert isinstance(insert, Insert)
    return environment, job_of(environment, [plan_all(environment, [insert], text)[0].physical])


def told(spark: Starting, source: str, sink: str, options: dict[str, str] | None = None) -> FiresteelError:
    environment, made = job(source, sink, options)
    with pytest.raises(FiresteelError) as failed:
        await_spark(cast("Spark", spark), environment, made, "INSERT INTO o SELECT a FROM i")
    return failed.value


@pytest.mark.parametrize(
    ("source", "sink", "kind", "message"),
    [
        (KAFKA, NOTHING, ValidationError, "Property group.id is required"),
        (EARLIEST, NOTHING, JobError, "Kafka at localhost:1 cannot be reached"),
        (NUMBERS, KAFKA, JobError, "Kafka at localhost:1 cannot be reached"),
        (SQLITE.format("none"), NOTHING, JobError, "no such table: none"),
        (NUMBERS, SQLITE.format("none"), JobError, "no such table: none"),
        (
            "'connector' = 'filesystem', 'path' = '/no/such', 'format' = 'json'",
            NOTHING,
            DataError,
            "/no/such",
        ),
    ],
)
def test_what_is_wrong_does_not_wait_for_spark(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    source: str,
    sink: str,
    kind: type[FiresteelError],
    message: str,
) -> None:
    pytest.importorskip("confluent_kafka")
    pytest.importorskip("sqlalchemy")
    monkeypatch.chdir(tmp_path)
    with sqlite3.connect("there.db") as database:
        database.execute("CREATE TABLE other (a INT)")
    database.close()
    error = told(Starting(), source, sink)
    assert isinstance(error, kind)
    assert message in str(error)


@pytest.mark.parametrize("strategy", ["IGNORE", "TRY_RESOLVE"])
def test_a_table_that_is_looked_up_is_asked_for_at_the_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, strategy: str
) -> None:
    pytest.importorskip("sqlalchemy")
    monkeypatch.chdir(tmp_path)
    sqlite3.connect("there.db").close()
    (tmp_path / "i.json").write_text("")
    files = f"'connector' = 'filesystem', 'path' = '{tmp_path}/i.json', 'format' = 'canal-json'"
    options = {"table.optimizer.non-deterministic-update.strategy": strategy}
    environment = TableEnvironment.create(configuration=options)
    environment.execute_sql(f"CREATE TABLE i (a INT, pt AS PROCTIME()) WITH ({files})")
    environment.execute_sql(f"CREATE TABLE d (a INT, b INT) WITH ({SQLITE.format('none')})")
    environment.execute_sql("CREATE TABLE o (b INT, n BIGINT) WITH ('connector' = 'print')")
    text = """INSERT INTO o SELECT d.b, COUNT(*) FROM i JOIN d FOR SYSTEM_TIME AS OF i.pt AS d ON i.a = d.a
      GROUP BY d.b"""
    (insert,) = parse_script(text)
    assert isinstance(insert, Insert)
    made = job_of(environment, [plan_all(environment, [insert], text)[0].physical])
    with pytest.raises(JobError, match="table none: no such table: none"):
        await_spark(cast("Spark", Starting()), environment, made, text)


def test_the_phase_says_what_the_start_waits_for() -> None:
    phases: list[str] = []

    class Slow(Starting):
        """A Spark that takes two steps, each until it was reported."""

        _next = threading.Event()

        @property
        def context(self) -> object:
            assert self._next.wait(60)
            raise JobError("the last step")

    spark = Slow()

    def enter(phase: str) -> None:
        phases.append(phase)
        if len(phases) == 1:
            spark.waits_for = "its context"
        else:
            spark._next.set()

    environment, made = job(NUMBERS, NOTHING)
    with pytest.raises(JobError, match="the last step"):
        await_spark(cast("Spark", spark), environment, made, "INSERT INTO o SELECT a FROM i", enter)
    assert phases == ["starting Spark, waiting for its JVM", "starting Spark, waiting for its context"]


def test_a_client_that_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "confluent_kafka", None)
    error = told(Starting(), EARLIEST, NOTHING)
    assert isinstance(error, UsageError)
    assert "needs the package confluent-kafka" in str(error)


def test_a_spark_that_does_not_start_is_reported_while_a_check_waits() -> None:
    assert "Spark did not start" in str(told(Failing(), NUMBERS, NOTHING))


def test_a_checkpoint_of_another_query(tmp_path: Path) -> None:
    options = {"execution.checkpointing.dir": str(tmp_path)}
    environment, made = job(NUMBERS, NOTHING, options)
    await_spark(cast("Spark", Running()), environment, made, "INSERT")
    folder = environment.known_statements.folder(None, str(tmp_path), made, "INSERT INTO o SELECT a FROM i")
    Path(folder).mkdir()
    with pytest.MonkeyPatch.context() as patch:  # written as Spark writes it
        patch.setattr(
            "firesteel.spark.checkpoint.fingerprint.write_text",
            lambda _, file, text: Path(file).write_text(text),
        )
        patch.setattr(
            "firesteel.spark.checkpoint.fingerprint._moved", lambda _, file, to: bool(Path(file).replace(to))
        )
        check_or_write(None, folder, made, Layout(4, 2), "INSERT INTO o SELECT a FROM i")
    assert (Path(folder) / FILE).exists()
    environment, made = job(NUMBERS, NOTHING, options)
    await_spark(cast("Spark", Running()), environment, made, "INSERT INTO o SELECT a FROM i")
    error = told(Starting(), f"{NUMBERS}, 'fields.a.kind' = 'sequence', 'fields.a.start' = '1', "
                 "'fields.a.end' = '9'", NOTHING, options)  # fmt: skip
    assert isinstance(error, UsageError)
    assert f"the checkpoint {folder} belongs to another version of the statement" in str(error)


@pytest.mark.parametrize(("tells", "saved"), [(True, True), (True, False), (False, True)])
def test_a_query_that_goes_on_from_its_checkpoint(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], tells: bool, saved: bool
) -> None:
    environment, _ = job(NUMBERS, NOTHING, {"execution.checkpointing.dir": str(tmp_path)})
    environment.tells_resumed = tells
    (query,) = parse_script("SELECT a FROM i")
    plans = plan_all(environment, [cast("Query", query)], "SELECT a FROM i", collect=True)
    made = job_of(environment, [plans[0].physical], ("a",))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("firesteel.session.running.preflight.has_saved", lambda *_: saved)
        patch.setattr("firesteel.session.running.preflight.check_saved", lambda *_: None)
        await_spark(cast("Spark", Running()), environment, made, "SELECT a FROM i")
    assert ("The query goes on from its checkpoint" in capsys.readouterr().err) is (tells and saved)


@pytest.mark.skipif(os.name != "posix", reason="the JVM is a script")
def test_the_command_tells_it_with_a_jvm_that_never_comes_up(tmp_path: Path) -> None:
    pytest.importorskip("confluent_kafka")
    script = f"{IN.format(KAFKA)};\n{OUT.format(NOTHING)};\nINSERT INTO o SELECT a FROM i;\n"
    (tmp_path / "job.sql").write_text(script, encoding="utf-8")
    java = tmp_path / "jdk" / "bin" / "java"
    java.parent.mkdir(parents=True)
    java.write_text("#!/bin/sh\nexec sleep 90\n")
    java.chmod(0o755)
    (tmp_path / "jdk" / "release").write_text('JAVA_VERSION="17"\n')
    command = [sys.executable, "-m", "firesteel.cli.main", "run", "job.sql"]
    plain, going = (
        subprocess.run(
            [*command, *more],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            env={**os.environ, "JAVA_HOME": str(tmp_path / "jdk")},
            timeout=60,
        )
        for more in ([], ["--keep-going"])
    )
    assert (plain.returncode, plain.stdout) == (2, "")
    assert plain.stderr.startswith("error: Property group.id is required")
    assert (going.returncode, going.stdout, going.stderr) == (2, plain.stderr, "")
