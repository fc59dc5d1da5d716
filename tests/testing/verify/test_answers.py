"""The batch answer: which queries DuckDB answers, and that both answers agree with the job's changes."""

from __future__ import annotations

from pathlib import Path

import pytest

from firesteel.errors import NotSupportedError, UsageError
from firesteel.testing.verify.verify import verify_script
from tests.testing.verify.planted import TOTALS, write_job

PLAIN = [
    "SELECT * FROM orders",
    "SELECT name, cnt + 1 FROM orders WHERE price > 0.15 OR price IS NULL",
    "SELECT name, COUNT(*), COUNT(price), SUM(cnt), MIN(cnt), MAX(name) FROM orders GROUP BY name",
    "SELECT COUNT(*), SUM(price) FROM orders WHERE id > 100",
    "SELECT COUNT(DISTINCT name), COUNT(*) FILTER (WHERE cnt > 5) FROM orders",
    "SELECT DISTINCT name FROM orders",
    "SELECT a.id, b.id FROM orders a JOIN orders b ON a.name = b.name AND a.id < b.id",
    "SELECT a.name, b.cnt FROM orders a LEFT JOIN (SELECT * FROM orders WHERE cnt > 9) b ON a.id = b.id",
    "SELECT a.name, b.cnt FROM (SELECT * FROM orders WHERE id < 3) a FULL JOIN orders b ON a.id = b.id",
    "SELECT name FROM orders UNION ALL SELECT name FROM orders WHERE cnt > 10",
    "SELECT n, COUNT(*) FROM (SELECT name, COUNT(*) AS n FROM orders GROUP BY name) GROUP BY n",
    "SELECT CASE WHEN cnt > 10 THEN 'large' ELSE 'small' END, UPPER(name), id / 2 FROM orders",
]
OTHER = [
    "SELECT price, COUNT(*) FROM orders GROUP BY price",
    "SELECT COUNT(DISTINCT price) FROM orders",
    "SELECT price FROM orders UNION SELECT -price FROM orders",
    "SELECT a.id, b.id FROM orders a LEFT JOIN orders b ON a.price = -b.price",
    "SELECT name, AVG(cnt) FROM orders GROUP BY name",
    "SELECT * FROM orders WHERE id IN (SELECT id FROM orders WHERE cnt > 5)",
    "SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY name ORDER BY id) r FROM orders) WHERE r = 1",
    "SELECT name FROM orders INTERSECT SELECT name FROM orders WHERE cnt > 5",
]


@pytest.mark.parametrize("query", [*PLAIN, *OTHER])
def test_the_changes_of_a_query_leave_the_batch_answer(tmp_path: Path, query: str) -> None:
    script = write_job(tmp_path, f"{query};\n")
    (verdict,) = verify_script(script, define={"DATA": str(tmp_path)})
    assert verdict.is_right, verdict.text()
    assert verdict.oracle == ("DuckDB" if query in PLAIN else "a run in one micro-batch")


def test_several_rows_of_one_key_of_the_sink_need_their_order(tmp_path: Path) -> None:
    insert = "INSERT INTO totals SELECT name, id, cnt, price FROM orders ON CONFLICT DO DEDUPLICATE;\n"
    script = write_job(tmp_path, insert)
    (verdict,) = verify_script(script, define={"DATA": str(tmp_path)})
    assert verdict.is_right, verdict.text()
    assert verdict.oracle == "a run in one micro-batch"


def test_a_function_with_another_value_in_each_run_is_not_supported(tmp_path: Path) -> None:
    script = write_job(tmp_path, "SELECT id, RAND() FROM orders;\n")
    with pytest.raises(NotSupportedError, match="calls RAND"):
        verify_script(script, define={"DATA": str(tmp_path)})


def test_a_query_has_no_sink(tmp_path: Path) -> None:
    script = write_job(tmp_path, "SELECT * FROM orders;\n")
    with pytest.raises(UsageError, match="--sink needs an INSERT"):
        verify_script(script, define={"DATA": str(tmp_path)}, sink=True)


def test_an_endless_table_needs_a_checkpoint(tmp_path: Path) -> None:
    script = write_job(tmp_path, "CREATE TABLE g (a INT) WITH ('connector' = 'datagen'); SELECT * FROM g;\n")
    with pytest.raises(UsageError) as caught:
        verify_script(script, define={"DATA": str(tmp_path)})
    assert "--checkpoint DIR" in str(caught.value)


def test_a_sink_that_cannot_be_read_is_an_error(tmp_path: Path) -> None:
    script = write_job(tmp_path, TOTALS)
    text = script.read_text().replace(
        "'jdbc', 'url' = 'jdbc:sqlite:${DATA}/sink.db', 'table-name' = 'totals'", "'print'"
    )
    script.write_text(text, encoding="utf-8")
    with pytest.raises(UsageError, match="cannot be read"):
        verify_script(script, define={"DATA": str(tmp_path)}, sink=True)
