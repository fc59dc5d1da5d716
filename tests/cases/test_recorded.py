"""Scripts that Flink 2.3 has run, with the changes that it answered: the same are expected here."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.cases.changes import difference

if TYPE_CHECKING:
    from firesteel import TableEnvironment
    from firesteel.spark.start.launch import Spark

RECORDED = sorted((Path(__file__).parent / "recorded").iterdir())
ON_THE_STREAM_HOST = ("seed-1002",)
"""Both hosts run the same chains; each stream costs seconds, so one case is enough."""


@dataclass(frozen=True)
class Query:
    """A SELECT of a case: its text, how many leading columns are its key, and Flink's changes."""

    sql: str
    key_columns: int
    every_change: bool
    changes: list[list[str]]


def queries(case: Path) -> Iterator[Query]:
    text = (case / "case.sql").read_text(encoding="utf-8")
    heads = re.findall(r"^-- keys: (\d+), compare: (\w+)\n(.+?);$", text, re.MULTILINE | re.DOTALL)
    answers = json.loads((case / "flink.json").read_text(encoding="utf-8"))
    for (keys, how, sql), answer in zip(heads, answers, strict=True):
        assert sql == answer["sql"]
        yield Query(sql, int(keys), how == "exact", answer["rows"])


def prepare(environment: TableEnvironment, case: Path) -> None:
    """Run the statements of the case that are no query."""
    text = (case / "case.sql").read_text(encoding="utf-8").replace("${DATA}", str(case))
    for statement in re.findall(r"^((?:SET|CREATE) .+?);$", text, re.MULTILINE | re.DOTALL):
        environment.execute_sql(statement)


def changes(environment: TableEnvironment, sql: str) -> list[tuple[str, ...]]:
    result: Any = environment.execute_sql(sql)
    return list(result.texts())


def disagreements(environment: TableEnvironment, case: Path) -> list[str]:
    prepare(environment, case)
    found = []
    for query in queries(case):
        why = difference(
            query.changes, changes(environment, query.sql), query.key_columns, query.every_change
        )
        if why:
            found.append(f"{query.sql}\n   {why}")
    return found


@pytest.mark.spark
@pytest.mark.parametrize("case", RECORDED, ids=lambda case: case.name)
def test_the_batch_host_answers_as_flink(case: Path, spark: Spark) -> None:
    from firesteel import TableEnvironment

    assert disagreements(TableEnvironment.create(spark), case) == []


@pytest.mark.spark
@pytest.mark.slow
@pytest.mark.parametrize("name", ON_THE_STREAM_HOST)
def test_the_stream_host_answers_as_flink(name: str, spark: Spark) -> None:
    from firesteel import TableEnvironment

    environment = TableEnvironment.create(spark)
    environment.execute_sql("SET 'firesteel.host' = 'stream'")
    assert disagreements(environment, Path(__file__).parent / "recorded" / name) == []
