"""Random joins and sub-queries: the changes are valid at each moment and leave the batch answer."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import pytest

from firesteel.errors import NotSupportedError
from tests.properties.joins.compositions import composition
from tests.properties.joins.partition import partition_failure, partitioned_case
from tests.properties.joins.queries import query
from tests.properties.joins.trial import BUNDLES, MODES, MULTI_JOINS, Case, case, folded, trial
from tests.properties.joins.upserts import TEMPLATES, upsert_case, upsert_failure
from tests.scale import FULL

if TYPE_CHECKING:
    from pathlib import Path

    from firesteel.spark.launch.launch import Spark

_HOSTS: list[tuple[str, dict[str, str]]] = [
    ("batch", {}),
    ("stream", {"firesteel.source.max-rows-per-batch": "7"}),
    ("batch", BUNDLES),
]


def _drawn(full: int) -> int:
    """Return the number of examples: as many as there are modes, so that each has its turn."""
    return full if FULL else len(MODES)


def test_changes_leave_the_batch_answer() -> None:
    compared, failures = 0, []
    for number in range(_drawn(100)):
        made = case(f"suite-{number}")
        try:
            failures += trial(made, [MODES[number % len(MODES)], MODES[(number + 4) % len(MODES)]])
        except NotSupportedError:
            continue
        compared += made.expected is not None
    assert [str(failure) for failure in failures] == []
    assert compared > _drawn(100) // 2


def test_changes_of_ranks_sets_and_lateral_queries_leave_the_batch_answer() -> None:
    compared, failures = 0, []
    for number in range(_drawn(80)):
        made = case(f"wide-{number}", draw=composition)
        try:
            failures += trial(made, [MODES[(number * 5 + 2) % len(MODES)]])
        except NotSupportedError:
            continue
        compared += made.expected is not None
    assert [str(failure) for failure in failures] == []
    assert compared > _drawn(80) // 2


def test_a_query_is_its_true_false_and_unknown_rows() -> None:
    compared, failures = 0, []
    for number in range(_drawn(60)):
        made = partitioned_case(f"suite-{number}")
        if made is None:
            continue
        try:
            failures.append(partition_failure(made, *MODES[number % len(MODES)]))
        except NotSupportedError:
            continue
        compared += 1
    assert [str(failure) for failure in failures if failure is not None] == []
    assert compared > _drawn(60) // 2


def test_the_table_of_a_sink_is_the_batch_answer() -> None:
    modes = [
        mode for mode in MODES if not MULTI_JOINS.items() <= mode[2].items()
    ]  # of their rows no key is known
    failures = [
        upsert_failure(upsert_case(f"suite-{number}"), modes[number % len(modes)])
        for number in range(_drawn(60))
    ]
    assert [str(failure) for failure in failures if failure is not None] == []


@pytest.mark.spark
@pytest.mark.slow
@pytest.mark.parametrize("seed", ["hosts-1", "hosts-2", "hosts-5"])
@pytest.mark.full
def test_both_hosts_leave_the_batch_answer(seed: str, spark: Spark, tmp_path: Path) -> None:
    from firesteel import TableEnvironment

    made = case(seed)
    assert made.expected is not None
    for table in made.tables:
        (tmp_path / f"{table.name}.json").write_text(table.messages(), encoding="utf-8")
    for host, options in _HOSTS:
        environment = TableEnvironment.create(spark)
        for table in made.tables:
            environment.execute_sql(table.ddl(f"{tmp_path}/{table.name}.json"))
        for key, value in {**options, "firesteel.host": host, "parallelism.default": "2"}.items():
            environment.execute_sql(f"SET '{key}' = '{value}'")
        assert folded(_changes(environment, made)) == (made.expected, None), host


def _changes(environment: Any, made: Case) -> list[tuple[Any, ...]]:
    found = environment.execute_sql(made.query.flink).collect()
    return [(row.get_row_kind().short, *row) for row in found]


def test_queries_hold_all_that_is_to_be_tested() -> None:
    drawn = [query(random.Random(seed), "lrc") for seed in range(400)]
    for words in (
        "JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN", "CROSS JOIN", "USING (", "IS NOT DISTINCT FROM",
        " IN (SELECT", " NOT IN (SELECT", "EXISTS (", "NOT EXISTS (", "ANY (", "ALL (", "(SELECT MAX(",
        "GROUP BY", "HAVING", "DISTINCT", "UNION ALL", " OR ",
    ):  # fmt: skip
        assert any(words in each.flink for each in drawn), words
    assert sum(bool(each.guards) for each in drawn) < 200
    assert len({key for key, _ in TEMPLATES}) > 1


def test_compositions_hold_all_that_is_to_be_tested() -> None:
    drawn = [composition(random.Random(seed), "lrc").flink for seed in range(300)]
    for words in (
        "ROW_NUMBER() OVER (PARTITION BY", "ROW_NUMBER() OVER (ORDER BY", "QUALIFY", "LIMIT", "OFFSET",
        "FETCH FIRST", "INTERSECT (", "EXCEPT ALL (", "INTERSECT ALL (", "UNION (", "UNNEST(ARRAY[",
        "UNNEST(b.xs)", "LATERAL (", "LEFT JOIN LATERAL (", "WITH q0 AS", "NATURAL", "USING (k, g)", "VALUES",
        "FILTER (WHERE", "GROUPING SETS", "ROLLUP",
    ):  # fmt: skip
        assert any(words in sql for sql in drawn), words


def test_a_change_that_takes_away_what_is_not_there_is_seen() -> None:
    assert folded([("+I", 1), ("-D", 1)]) == ({}, None)
    assert folded([("+I", 1), ("-D", 2)])[1] is not None
    assert folded([("-U", 1), ("+U", 1)])[1] is not None
