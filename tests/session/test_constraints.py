"""NOT NULL and lengths are held at sinks, on both hosts, as Flink holds them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from firesteel.errors import JobError

if TYPE_CHECKING:
    from firesteel import TableEnvironment
    from firesteel.spark.launch.launch import Spark

pytestmark = pytest.mark.spark
NO_NULL = "Column '{}' is NOT NULL, however, a null value is being written into it."


@pytest.fixture
def environment(tmp_path: Path, spark: Spark) -> TableEnvironment:
    from firesteel import TableEnvironment

    rows = ['{"id": 1, "s": "abc"}', '{"id": null, "s": "abcdef"}', '{"id": 3, "s": "a"}']
    (tmp_path / "in.json").write_text("\n".join(rows) + "\n")
    made = TableEnvironment.create(spark)
    with_path = "WITH ('connector' = 'filesystem', 'format' = 'json', 'path' = '{}')"
    for table in ("o (id BIGINT, s CHAR(4))", "liar (id BIGINT NOT NULL, s CHAR(4))"):
        made.execute_sql(f"CREATE TABLE {table} {with_path.format(tmp_path / 'in.json')}")
    columns = "id BIGINT, s CHAR(4), PRIMARY KEY (id) NOT ENFORCED"
    made.execute_sql(f"CREATE TABLE keyed ({columns}) {with_path.format(tmp_path / 'out')}")
    return made


def written(folder: Path) -> list[str]:
    return sorted(line for file in folder.glob("part-*") for line in file.read_text().splitlines())


@pytest.mark.parametrize("host", [pytest.param("batch", marks=pytest.mark.full), "stream"])
def test_null_in_a_primary_key(environment: TableEnvironment, tmp_path: Path, host: str) -> None:
    environment.get_config().set("firesteel.host", host)
    insert = "INSERT INTO keyed SELECT id, s FROM o"
    with pytest.raises(JobError, match=NO_NULL.format("id")):
        environment.execute_sql(insert).wait()
    assert written(tmp_path / "out") == []
    environment.get_config().set("table.exec.sink.not-null-enforcer", "drop")
    environment.get_config().set("table.exec.sink.type-length-enforcer", "trim_pad")
    environment.execute_sql(insert).wait()
    assert written(tmp_path / "out") == ['{"id":1,"s":"abc "}', '{"id":3,"s":"a   "}']


def test_a_select_is_held_to_its_own_names(environment: TableEnvironment) -> None:
    with pytest.raises(JobError, match=NO_NULL.format("renamed")):
        list(environment.execute_sql("SELECT id AS renamed FROM liar").collect())
    environment.get_config().set("table.exec.sink.not-null-enforcer", "DROP")
    result: Any = environment.execute_sql("SELECT id AS renamed, s FROM liar")
    assert list(result.texts()) == [("+I", "1", "abc"), ("+I", "3", "a")]
