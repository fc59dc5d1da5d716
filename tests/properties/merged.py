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
    from firesteel.spark.launch.launch import Spark


_BUNDLES = {"table.exec.mini-batch.enabled": "true", "table.exec.mini-batch.allow-latency": "5 s"}
_SPLIT = "table.optimizer.distinct-agg.split.enabled"
MODES = {
    "row by row": {"table.exec.mini-batch.enabled": "false", _SPLIT: "false"},
    "one phase": {**_BUNDLES, "table.optimizer.agg-phase-strategy": "ONE_PHASE", _SPLIT: "false"},
    "two phases": {**_BUNDLES, "table.optimizer.agg-phase-strategy": "AUTO", _SPLIT: "false"},
    "split": {**_BUNDLES, "table.optimizer.agg-phase-strategy": "AUTO", _SPLIT: "true"},
}
"""How an aggregate may run; the changes differ, what they leave does not."""
_SIZES = (1, 4, 15, 5000)


@dataclass(frozen=True)
class Failure:
    """A query whose result is not the batch answer, or that failed."""

    seed: int
    mode: str
    sql: str
    why: str

    def __str__(self) -> str:
        return f"seed {self.seed}, {self.mode}: {self.sql}\n   {self.why}"


def trial(spark: Spark, folder: Path, seed: int, *, events: int = 60, count: int = 4) -> list[Failure]:
    """Run `count` random queries over a random history, each in every mode; `folder` takes its messages."""
    from firesteel import TableEnvironment

    rng = random.Random(seed)
    made = history(rng, events)
    environment = TableEnvironment.create(spark)
    create_tables(environment, spark, made, folder / f"history-{seed}.json")
    failures = []
    for query in queries(rng, count):
        expected = answer(spark, query)
        for mode, settings in MODES.items():
            for key, value in settings.items():
                environment.execute_sql(f"SET '{key}' = '{value}'")
            environment.execute_sql(f"SET 'table.exec.mini-batch.size' = '{rng.choice(_SIZES)}'")
            try:
                why = difference(environment, query, expected)
            except Exception as error:
                why = f"{type(error).__name__}: {error}"
            if why:
                failures.append(Failure(seed, mode, query.flink, why))
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


def answer(spark: Spark, query: Query) -> Counter[tuple[str, ...]]:
    """The rows that a batch query gives."""
    source = query.global_input
    if source is not None and spark.session.sql(f"SELECT 1 FROM {source} LIMIT 1").isEmpty():
        return Counter()
    rule = "org.apache.spark.sql.catalyst.optimizer.RemoveRedundantAliases"  # breaks plans of a few queries
    spark.session.conf.set("spark.sql.optimizer.excludedRules", rule)
    try:
        rows = spark.session.sql(query.spark).collect()
    finally:
        spark.session.conf.unset("spark.sql.optimizer.excludedRules")
    return Counter(tuple(normal(_text(v)) for v in row) for row in rows)


def difference(environment: TableEnvironment, query: Query, expected: Counter[tuple[str, ...]]) -> str | None:
    """Why the folded changes are not the batch answer, or None."""
    result: Any = environment.execute_sql(query.flink)
    rows, invalid = folded(list(result.texts()))
    if invalid:
        return invalid
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
