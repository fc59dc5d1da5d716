"""CREATE TABLE ... AS and BEGIN STATEMENT SET, run."""

from __future__ import annotations

from pathlib import Path

import pytest

from firesteel import TableEnvironment
from firesteel.spark.launch.launch import Spark
from firesteel.sql import statements as s
from firesteel.sql.parser import is_complete, parse_script, split_script

SET = "BEGIN STATEMENT SET;\nINSERT INTO a SELECT 1;\nINSERT INTO b SELECT 2;\nEND;"


def test_the_clients_statement_set() -> None:
    (parsed,) = parse_script(SET)
    assert isinstance(parsed, s.StatementSet)
    assert [insert.table.parts for insert in parsed.inserts] == [("a",), ("b",)]
    assert len(split_script(SET)) == 1
    assert not is_complete(SET[:30])
    assert is_complete(SET)


@pytest.mark.spark
def test_the_table_is_filled(spark: Spark, tmp_path: Path) -> None:
    environment = TableEnvironment.create(spark)
    options = f"WITH ('connector' = 'filesystem', 'format' = 'json', 'path' = '{tmp_path}')"
    environment.execute_sql(
        f"CREATE TABLE made (z INT) {options} AS SELECT * FROM (VALUES (1, 'x')) AS q (a, b)"
    ).wait()
    (written,) = [f.read_text() for f in tmp_path.glob("part-*")]
    assert written == '{"z":null,"a":1,"b":"x"}\n'
