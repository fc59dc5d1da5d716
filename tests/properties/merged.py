"""One trial of the promise: the merged change stream is what a batch query answers over the rows left."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.cases.changes import folded, normal
from tests.properties.generator import COLUMNS, History, Query, history, queries

if TYPE_CHECKING:
    from firesteel import TableEnvironment
    from firesteel.spark.launch import Spark


@dataclass(frozen=True)
class Failure:
    """A query whose result is not the batch answer, or that failed."""

    seed: int
    sql: str
    why: str

    def __str__(self) -> str:
        return f"seed {self.seed}: {self.sql}\n   {self.why}"


def trial(spark: Spark, folder: Path, seed: int, *, events: int = 60, count: int = 4) -> list[Failure]:
    """Run `count` random queries over a random history; `folder` takes its messages."""
    from firesteel import TableEnvironment

    rng = random.Random(seed)
    made = history(rng, events)
    environment = TableEnvironment.create(spark)
    create_tables(environment, spark, made, folder / f"history-{seed}.json")
    failures = []
    for query in queries(rng, count):
        try:
            why = difference(environment, spark, query)
        except Exception as error:
            why = f"{type(error).__name__}: {error}"
        if why:
            failures.append(Failure(seed, query.flink, why))
    return failures


def create_tables(environment: TableEnvironment, spark: Spark, made: History, path: Path) -> None:
    """Table t for Firesteel (all messages) and view t for Spark (the rows that are left)."""
    path.write_text("".join(message + "\n" for message in made.messages), encoding="utf-8")
    columns = ", ".join(["id BIGINT", *(f"`{name}` {kind.flink}" for name, kind in COLUMNS.items())])
    environment.execute_sql(
        f"CREATE TABLE t ({columns}) WITH ('connector' = 'filesystem', 'path' = '{path}', "
        "'format' = 'canal-json')"
    )
    texts = [[str(key), *(row[name] for name in COLUMNS)] for key, row in made.rows.items()]
    schema = ", ".join(f"`{name}` STRING" for name in ["id", *COLUMNS])
    casts = ["CAST(id AS BIGINT) AS id"]
    casts += [f"CAST(`{name}` AS {kind.spark}) AS `{name}`" for name, kind in COLUMNS.items()]
    # one task each: these tables have a few dozen rows, and a task costs more than they do
    spark.session.conf.set("spark.sql.shuffle.partitions", "1")
    spark.session.createDataFrame(texts, schema).coalesce(1).selectExpr(*casts).createOrReplaceTempView("t")


def difference(environment: TableEnvironment, spark: Spark, query: Query) -> str | None:
    """Why the folded changes are not Spark's answer, or None."""
    result: Any = environment.execute_sql(query.flink)
    rows, invalid = folded(list(result.texts()))
    if invalid:
        return invalid
    expected: Counter[tuple[str, ...]] = Counter()
    if (
        query.global_input is None
        or not spark.session.sql(f"SELECT 1 FROM {query.global_input} LIMIT 1").isEmpty()
    ):
        expected = Counter(
            tuple(normal(_text(v)) for v in row) for row in spark.session.sql(query.spark).collect()
        )
    if rows == expected:
        return None
    return f"missing {sorted((expected - rows).elements())}, too many {sorted((rows - expected).elements())}"


def _text(value: Any) -> str:
    """A value of Spark's as Firesteel prints it."""
    if value is None:
        return "<NULL>"
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, datetime):
        return value.isoformat(sep=" ", timespec="milliseconds")
    return str(value)
