"""Random set operations and UNNESTs over random changes: what they leave is what Spark SQL answers.

Micro-batches may cut the changes anywhere.
"""

from __future__ import annotations

import random
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from firesteel import TableEnvironment
from tests.properties.generator import Query, history
from tests.properties.merged import answer, create_tables, difference

if TYPE_CHECKING:
    from firesteel.spark.launch.launch import Spark

COLUMNS = (("grp",), ("tag",), ("grp", "tag"), ("name", "ok"), ("dt", "grp"), ("MOD(qty, 3)",))
CONDITIONS = ("qty > 0", "qty <= 3", "tag <> 'x'", "ok", "grp IN (1, 3)", "price > 0", "TRUE")
SETS = ("INTERSECT", "EXCEPT", "INTERSECT ALL", "EXCEPT ALL")
COLLECTED = "(SELECT grp, {call} AS xs FROM t WHERE {column} IS NOT NULL GROUP BY grp)"


def set_query(rng: random.Random) -> Query:
    """Two or three queries over the same columns, perhaps counted."""
    columns = rng.choice(COLUMNS)
    shown = ", ".join(f"{column} AS c{i}" for i, column in enumerate(columns))
    parts = [f"SELECT {shown} FROM t WHERE {rng.choice(CONDITIONS)}" for _ in range(rng.choice([2, 2, 3]))]
    sql = parts[0]
    for part in parts[1:]:
        sql = f"({sql}) {rng.choice(SETS)} ({part})"
    if rng.random() < 0.3:
        sql = f"SELECT c0, COUNT(*) FROM ({sql}) GROUP BY c0"
    return Query(sql, sql, None)


def unnest_query(rng: random.Random) -> Query:
    """UNNEST of what a row holds, or of what an aggregate has collected."""
    where = rng.choice(CONDITIONS)
    condition = rng.choice(CONDITIONS[:-1])
    forms = [
        (
            f"SELECT id, e FROM t CROSS JOIN UNNEST(ARRAY[grp, qty]) AS u (e) WHERE {where}",
            f"SELECT id, e FROM t LATERAL VIEW explode(array(grp, qty)) AS e WHERE {where}",
        ),
        (
            "SELECT id, e, n FROM t CROSS JOIN UNNEST(ARRAY[tag, name]) WITH ORDINALITY AS u (e, n) "
            f"WHERE {where}",
            f"SELECT id, e, n + 1 FROM t LATERAL VIEW posexplode(array(tag, name)) AS n, e WHERE {where}",
        ),
        (
            "SELECT id, e FROM t LEFT JOIN "
            f"UNNEST(CASE WHEN {condition} THEN ARRAY[grp] END) AS u (e) ON TRUE",
            f"SELECT id, e FROM t LATERAL VIEW OUTER explode(CASE WHEN {condition} THEN array(grp) END) AS e",
        ),
        (
            f"SELECT e, COUNT(*) FROM {COLLECTED.format(call='ARRAY_AGG(qty)', column='qty')} "
            "CROSS JOIN UNNEST(xs) AS u (e) GROUP BY e",
            "SELECT qty, COUNT(*) FROM t WHERE qty IS NOT NULL GROUP BY qty",
        ),
        (
            f"SELECT grp, e FROM {COLLECTED.format(call='COLLECT(tag)', column='tag')} "
            "CROSS JOIN UNNEST(xs) AS u (e) WHERE e <> 'y'",
            "SELECT grp, tag FROM t WHERE tag <> 'y'",
        ),
    ]
    flink, spark = rng.choice(forms)
    return Query(flink, spark, None)


def queries(seed: int, count: int) -> list[Query]:
    rng = random.Random(seed)
    return [rng.choice([set_query, set_query, unnest_query])(rng) for _ in range(count)]


@pytest.mark.spark
@pytest.mark.slow
@pytest.mark.full
@pytest.mark.parametrize("seed", [21, 22, 23])
def test_what_changes_leave_is_the_batch_answer(seed: int, spark: Spark, tmp_path: Path) -> None:
    made = history(random.Random(seed), 80)
    environment = TableEnvironment.create(spark, configuration={"parallelism.default": "2"})
    create_tables(environment, spark, made, tmp_path / "t.json")
    failures = []
    for query in queries(seed, 8):
        why = difference(environment, query, answer(spark, query))
        failures += [f"{query.flink}\n   {why}"] if why else []
    assert failures == []


@pytest.mark.spark
@pytest.mark.slow
@pytest.mark.parametrize(("seed", "size"), [(31, 9), (32, 1), (33, 40)])
@pytest.mark.full
def test_micro_batches_may_cut_the_changes_anywhere(
    seed: int, size: int, spark: Spark, tmp_path: Path
) -> None:
    made = history(random.Random(seed), 40 if size > 1 else 15)
    options = {
        "firesteel.host": "stream",
        "parallelism.default": "2",
        "firesteel.source.max-rows-per-batch": str(size),
    }
    environment = TableEnvironment.create(spark, configuration=options)
    create_tables(environment, spark, made, tmp_path / "t.json")
    rng = random.Random(seed)
    failures = []
    for query in (set_query(rng), unnest_query(rng)):
        why = difference(environment, query, answer(spark, query))
        failures += [f"{query.flink}\n   {why}"] if why else []
    assert failures == []


def test_all_forms_are_drawn() -> None:
    drawn = " ".join(query.flink for query in queries(1, 200))
    forms = ("WITH ORDINALITY", "LEFT JOIN UNNEST", "ARRAY_AGG", "COLLECT", "COUNT(*) FROM (", "UNNEST(ARRAY")
    for word in (*SETS, *forms):
        assert word in drawn, word
