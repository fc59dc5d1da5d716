"""Functions of the user's in Spark's workers: both hosts, and what cannot be imported there."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from firesteel import TableEnvironment
from firesteel.errors import JobError
from firesteel.functions.python import udf

if TYPE_CHECKING:
    from firesteel.spark.launch.launch import Spark

pytestmark = pytest.mark.spark

MODULE = """
from firesteel.functions.python import AggregateFunction, udf

@udf(result_type="BIGINT")
def twice(x):
    return x * 2

@udf(result_type="BIGINT")
def last(x):
    import os
    os._exit(7)

class Total(AggregateFunction):
    def create_accumulator(self):
        return {"total": 0}
    def accumulate(self, accumulator, x):
        accumulator["total"] += x
    def retract(self, accumulator, x):
        accumulator["total"] -= x
    def get_value(self, accumulator):
        return accumulator["total"]
    def get_result_type(self):
        return "BIGINT"
"""


@pytest.fixture
def environment(spark: Spark, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> TableEnvironment:
    """A module that only the driver's path knows, and a table of five rows and one deletion."""
    (tmp_path / "beside_the_script.py").write_text(MODULE, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    rows = [{"id": i, "k": "ab"[i % 2], "v": i} for i in range(5)]
    changes = [("INSERT", row) for row in rows] + [("DELETE", rows[3])]
    lines = [json.dumps({"data": [row], "type": kind, "old": None, "isDdl": False}) for kind, row in changes]
    (tmp_path / "t.json").write_text("\n".join(lines) + "\n", encoding="utf-8")
    made = TableEnvironment.create(spark)
    made.execute_sql(
        f"CREATE TABLE t (id INT, k STRING, v INT) WITH ('connector' = 'filesystem', "
        f"'path' = '{tmp_path}/t.json', 'format' = 'canal-json')"
    )
    for name in ("twice", "last", "Total"):
        made.execute_sql(f"CREATE FUNCTION {name} AS 'beside_the_script.{name}' LANGUAGE PYTHON")
    return made


QUERY = "SELECT k, total(twice(v)), COUNT(*) FROM t GROUP BY k"
CHANGES = [
    "+I[a, 0, 1]", "+I[b, 2, 1]", "-U[a, 0, 1]", "+U[a, 4, 2]", "-U[b, 2, 1]", "+U[b, 8, 2]",
    "-U[a, 4, 2]", "+U[a, 12, 3]", "-U[b, 8, 2]", "+U[b, 2, 1]",
]  # fmt: skip


@pytest.mark.parametrize("host", ["batch", "stream"])
def test_a_module_beside_the_script(environment: TableEnvironment, host: str) -> None:
    environment.execute_sql(f"SET 'firesteel.host' = '{host}'")
    assert [str(row) for row in environment.execute_sql(QUERY).collect()] == CHANGES


def test_a_function_that_no_module_holds(environment: TableEnvironment) -> None:
    offset = 100
    environment.create_temporary_function("shifted", udf(lambda x: x + offset, result_type="INT"))
    rows = environment.execute_sql("SELECT shifted(v) FROM t WHERE shifted(v) > 102").collect()
    assert [str(row) for row in rows] == ["+I[103]", "+I[104]", "-D[103]"]


@pytest.mark.parametrize("host", ["batch", "stream"])
def test_a_function_that_fails_ends_the_job(environment: TableEnvironment, host: str) -> None:
    environment.execute_sql(f"SET 'firesteel.host' = '{host}'")
    with pytest.raises(JobError, match=r"Function twice\('a'\) gave 'aa', which is no int64; row \+I\[a\]"):
        list(environment.execute_sql("SELECT twice(k) FROM t").collect())


@pytest.mark.parametrize("host", ["batch", "stream"])
def test_a_function_that_ends_its_process_is_named_with_the_partition(
    environment: TableEnvironment, host: str
) -> None:
    environment.execute_sql(f"SET 'firesteel.host' = '{host}'")
    said = r"a worker's process ended in partition \d+, function last: .*Python worker exited unexpectedly"
    with pytest.raises(JobError, match=said):
        list(environment.execute_sql("SELECT last(v) FROM t").collect())
