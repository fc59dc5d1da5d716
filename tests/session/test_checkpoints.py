"""A script of several statements has one checkpoint, and goes on from it when it is put in another order."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from firesteel.cli.run import Runner
from firesteel.session.checkpoints import statement_text
from firesteel.sql.parser import parse_script

if TYPE_CHECKING:
    from firesteel.spark.launch.launch import Spark

TABLES = """
CREATE TABLE t (id INT, name STRING, cnt INT)
WITH ('connector' = 'filesystem', 'path' = '{0}/in', 'format' = 'json');
CREATE TABLE o (name STRING, cnt INT) WITH ('connector' = 'print');
"""
SELECT = "SELECT name, SUM(cnt) FROM t GROUP BY name;"
INSERT = "INSERT INTO o SELECT name, MAX(cnt) FROM t GROUP BY name;"


def test_a_statements_text_is_the_same_however_it_is_laid_out() -> None:
    text = "SELECT a, -- the first\n  'b  -- c' FROM `t`;\n/* two */ SELECT   a , 'b  -- c' FROM `t`"
    one, other = parse_script(text)
    assert statement_text(one, text) == statement_text(other, text) == "SELECT a , 'b  -- c' FROM `t`"


@pytest.mark.spark
@pytest.mark.slow
@pytest.mark.full
def test_a_script(tmp_path: Path, spark: Spark, capsys: pytest.CaptureFixture[str]) -> None:
    from firesteel import TableEnvironment

    def run(*statements: str) -> list[str]:
        script = TABLES.format(tmp_path) + "\n".join(statements)
        options = {"execution.checkpointing.dir": str(tmp_path / "checkpoint"), "parallelism.default": "1"}
        environment = TableEnvironment.create(spark, configuration=options)
        environment.expect(script)
        assert Runner(environment, show="changes").run(script) == 0
        return capsys.readouterr().out.splitlines()

    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "1.json").write_text('{"id": 1, "name": "a", "cnt": 3}\n')
    assert run(SELECT, INSERT) == ["+I[a, 3]", "+I[a, 3]"]
    assert run(INSERT, "SELECT id FROM t;", SELECT) == ["+I[1]"]
