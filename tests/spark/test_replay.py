"""`firesteel replay`: messages that could not be read go back into their job, once."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from firesteel import TableEnvironment
from firesteel.cli.checkpoint.replay import Replays
from firesteel.cli.run import Runner
from firesteel.errors import ValidationError
from firesteel.session.replay.dead_letter_rows import read_letters
from firesteel.session.replay.replay import replay_of
from firesteel.spark.checkpoint.replays import keep
from firesteel.sql.statements import Query, Statement
from tests.spark.test_dead_letters import read

if TYPE_CHECKING:
    from firesteel.spark.launch.launch import Spark

pytestmark = pytest.mark.spark

FILES = "'connector' = 'filesystem', 'format' = 'json', 'path' ="
BAD = "source_id STRING, source_position STRING, raw_bytes BYTES, row_kind STRING"
MESSAGES = [
    '{"id": 1, "at": "2026-05-01 10:00:00"}',
    '{"id": 1, "at": "2026-05-01T10:01:00"}',
    '{"id": 2, "at": "2026-05-01T10:02:00"}',
    '{"id": "x", "at": "2026-05-01 10:03:00"}',
]


class Script:
    """A script whose tables are in a folder, run and replayed from one checkpoint."""

    def __init__(
        self, spark: Spark, folder: Path, text: str, capsys: pytest.CaptureFixture[str], **options: str
    ) -> None:
        self._spark, self.folder, self._text, self._capsys = spark, folder, text, capsys
        self.checkpoint = str(folder / "checkpoint")
        self._options = {"execution.checkpointing.dir": self.checkpoint, **options}

    def session(self) -> TableEnvironment:
        return TableEnvironment.create(self._spark, configuration=self._options)

    def text(self, form: str) -> str:
        return self._text.format(folder=self.folder, form=form)

    def run(self, form: str = "SQL") -> list[str]:
        environment = self.session()
        environment.expect(self.text(form))
        Runner(environment, show="changes").run(self.text(form))
        return self._capsys.readouterr().out.splitlines()

    def run_until(self, table: str, rows: int) -> None:
        """Run the script's last statement until a table has rows."""
        environment, statement = self.defined("SQL")
        job = environment.execute(statement, self.text("SQL"))
        end = time.monotonic() + 120
        while len(read(self.folder / table)) < rows:
            assert time.monotonic() < end
            time.sleep(0.2)
        job.cancel()

    def defined(self, form: str) -> tuple[TableEnvironment, Statement]:
        """Return a session with the script's tables, and the last statement."""
        environment, text = self.session(), self.text(form)
        environment.expect(text)
        *definitions, statement = environment.parse(text)
        for each in definitions:
            environment.execute(each, text)
        return environment, statement

    def replay(self, form: str = "ISO-8601", table: str | None = None) -> list[str]:
        environment = self.session()
        environment.expect(self.text(form))
        Replays(environment, Runner(environment, show="changes"), table).run(self.text(form))
        return self._capsys.readouterr().out.splitlines()


QUERY = f"""\
CREATE TABLE t (id INT, `at` TIMESTAMP(3)) WITH ({FILES} '{{folder}}/in.json',
  'json.timestamp-format.standard' = '{{form}}');
CREATE TABLE bad ({BAD}) WITH ({FILES} '{{folder}}/bad');
CREATE VIEW mended AS SELECT source_id, source_position,
  ENCODE(REPLACE(DECODE(raw_bytes, 'UTF-8'), '"x"', '7'), 'UTF-8') AS raw_bytes FROM bad;
SET 'firesteel.dead-letters.table' = 'bad';
SELECT id, COUNT(`at`) FROM t GROUP BY id;
"""


def query(spark: Spark, folder: Path, capsys: pytest.CaptureFixture[str]) -> Script:
    (folder / "in.json").write_text("\n".join(MESSAGES) + "\n")
    return Script(spark, folder, QUERY, capsys)


def test_each_message_is_replayed_once(
    spark: Spark, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    script = query(spark, tmp_path, capsys)
    assert script.run() == ["+I[1, 1]"]
    place = f"{tmp_path}/in.json, line"
    unread = f"  {place} 4: Failed to deserialize JSON"
    *changes, said, why = script.replay()
    assert sorted(changes) == ["+I[2, 1]", "+U[1, 2]", "-U[1, 1]"]
    assert said == "2 messages of bad replayed, 1 still cannot be read."
    assert why.startswith(unread)
    said, why = script.replay()
    assert said == "0 messages of bad replayed, 1 still cannot be read, 2 were replayed before."
    assert script.replay("SQL", "mended") == [
        "+I[7, 1]",
        "1 message of mended replayed, 2 were replayed before.",
    ]
    assert script.run("ISO-8601") == []
    assert len(read(tmp_path / "bad")) == 3


@pytest.mark.full
@pytest.mark.parametrize("goes_on", ["replay", "run"])
def test_an_interrupted_replay_is_completed(
    goes_on: str, spark: Spark, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    script = query(spark, tmp_path, capsys)
    script.run()
    environment, statement = script.defined("ISO-8601")
    assert isinstance(statement, Query)
    letters = read_letters(environment, "bad")
    found = replay_of(environment, statement, script.text("ISO-8601"), script.checkpoint, letters)
    assert found is not None
    assert found.replay is not None
    (folder,) = Path(script.checkpoint).glob("select-*")
    keep(str(folder), found.replay)  # the process ends here
    again = script.replay if goes_on == "replay" else script.run
    lines = again("SQL")  # the rows are those that were read before
    assert sorted(lines[:3]) == ["+I[2, 1]", "+U[1, 2]", "-U[1, 1]"]
    if goes_on == "replay":
        assert lines[3] == "A replay that was interrupted is complete."
    assert script.replay("SQL")[0].startswith("0 messages of bad replayed")
    assert script.run() == []


ENDLESS = f"""\
CREATE TABLE t (id INT, `at` TIMESTAMP(3), WATERMARK FOR `at` AS `at`) WITH ({FILES} '{{folder}}/in',
  'json.timestamp-format.standard' = '{{form}}', 'source.monitor-interval' = '100 ms');
CREATE TABLE bad ({BAD}) WITH ({FILES} '{{folder}}/bad');
CREATE TABLE counts (id INT, c BIGINT) WITH ({FILES} '{{folder}}/counts');
CREATE TABLE kept (id INT NOT NULL, d INT NOT NULL) WITH ({FILES} '{{folder}}/kept');
SET 'firesteel.dead-letters.table' = 'bad';
EXECUTE STATEMENT SET BEGIN
INSERT INTO counts SELECT id, COUNT(*) FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(`at`), INTERVAL '1' HOUR))
  GROUP BY id, window_start, window_end;
INSERT INTO kept SELECT id, NULLIF(id, 2) FROM t WHERE `at` IS NOT NULL;
END;
"""


@pytest.mark.full
def test_a_job_without_end_takes_messages_and_ends(
    spark: Spark, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "in").mkdir()
    late = '{"id": 5, "at": "2026-05-01 12:00:00"}'
    second = '{"id": 2, "at": "2026-05-01 10:00:30"}'
    (tmp_path / "in" / "1.json").write_text("\n".join([second, *MESSAGES[:3]]) + "\n")
    mini_batch = {
        "table.exec.mini-batch.enabled": "true",
        "table.exec.mini-batch.size": "1000",
        "table.exec.mini-batch.allow-latency": "600 s",
    }
    script = Script(spark, tmp_path, ENDLESS, capsys, **mini_batch)
    script.run_until("bad", 3)
    assert read(tmp_path / "counts") == []
    lines = script.replay()
    assert lines == [
        "2 messages of bad replayed.",
        "1 row of bad not replayed: they are results, not messages. Write them to their table with INSERT.",
    ]
    assert [row["id"] for row in read(tmp_path / "kept")] == [1, 1]
    assert len(read(tmp_path / "bad")) == 4  # the replayed message with the id 2 is refused, too
    (tmp_path / "in" / "2.json").write_text(f"{late}\n")
    script.run_until("counts", 2)
    assert {row["id"]: row["c"] for row in read(tmp_path / "counts")} == {1: 2, 2: 2}


def test_a_table_without_the_columns_is_an_error(
    spark: Spark, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    script = query(spark, tmp_path, capsys)
    environment = script.session()
    environment.execute_sql(f"CREATE TABLE topic (n INT) WITH ({FILES} '{tmp_path}/n')")
    with pytest.raises(ValidationError, match="no column 'source_id'"):
        read_letters(environment, "topic")
