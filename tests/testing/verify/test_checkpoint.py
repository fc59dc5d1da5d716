"""With a checkpoint, the input counts up to the last finished micro-batch, and no further."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from firesteel import TableEnvironment
from firesteel.errors import NotSupportedError, UsageError
from firesteel.testing.verify.verify import verify_script

if TYPE_CHECKING:
    from firesteel.spark.launch.launch import Spark

SCRIPT = """\
CREATE TABLE orders (id BIGINT, name STRING)
WITH ('connector' = 'filesystem', 'path' = '${DATA}/orders', 'format' = 'json');
CREATE TABLE copies (id BIGINT, name STRING)
WITH ('connector' = 'filesystem', 'path' = '${DATA}/copies', 'format' = 'json');
"""
INSERT = "INSERT INTO copies SELECT id, UPPER(name) FROM orders"


def _write(folder: Path, number: int) -> None:
    text = "".join(json.dumps({"id": number * 10 + i, "name": f"n{i}"}) + "\n" for i in range(4))
    (folder / f"{number}.json").write_text(text, encoding="utf-8")


@pytest.mark.spark
@pytest.mark.slow
def test_rows_after_the_last_micro_batch_do_not_count(tmp_path: Path, spark: Spark) -> None:
    (tmp_path / "orders").mkdir()
    script = tmp_path / "job.sql"
    script.write_text(f"{SCRIPT}{INSERT};\n", encoding="utf-8")
    _write(tmp_path / "orders", 1)
    checkpoint = str(tmp_path / "checkpoint")
    options = {"execution.checkpointing.dir": checkpoint}
    environment = TableEnvironment.create(spark, configuration=options)
    for statement in environment.split(SCRIPT.replace("${DATA}", str(tmp_path))):
        environment.execute_sql(statement)
    environment.execute_sql(INSERT).wait()
    _write(tmp_path / "orders", 2)
    define = {"DATA": str(tmp_path)}
    (verdict,) = verify_script(script, define=define, checkpoint=checkpoint, sink=True)
    assert verdict.text() == "copies: the rows of the table agree with the answer of DuckDB (4 rows)"
    (verdict,) = verify_script(script, define=define, sink=True)
    assert verdict.count == 4
    assert verdict.first[0].expected == ["[20, N0]"]


def test_a_checkpoint_without_the_query_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "orders").mkdir()
    script = tmp_path / "job.sql"
    script.write_text(f"{SCRIPT}{INSERT};\n", encoding="utf-8")
    define = {"DATA": str(tmp_path)}
    with pytest.raises(UsageError, match="there is no folder"):
        verify_script(script, define=define, checkpoint=str(tmp_path / "none"))
    (tmp_path / "empty").mkdir()
    with pytest.raises(UsageError, match="no finished micro-batch") as found:
        verify_script(script, define=define, checkpoint=str(tmp_path / "empty"))
    assert found.value.hint == "run the job first, with this script and this checkpoint"


def test_a_statement_set_with_a_checkpoint_is_not_supported(tmp_path: Path) -> None:
    script = tmp_path / "job.sql"
    script.write_text(f"{SCRIPT}EXECUTE STATEMENT SET BEGIN {INSERT}; END;\n", encoding="utf-8")
    with pytest.raises(NotSupportedError):
        verify_script(script, define={"DATA": str(tmp_path)}, checkpoint=str(tmp_path))
