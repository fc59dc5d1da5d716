"""Which changes every node emits, and what a sink refuses: Flink 2.3's plans and words."""

from __future__ import annotations

import re

import pytest

from firesteel.errors import ValidationError
from firesteel.plan.nodes.physical import Calc, ChangelogNormalize, DropUpdateBefore, GroupAggregate, Sink
from firesteel.plan.tree import Node, walk
from tests.rules.planning import GOLDEN, physical_text, plan, tables


@pytest.fixture(scope="module")
def catalog():
    return tables((GOLDEN / "tables.sql").read_text(encoding="utf-8"))


def modes(sql: str, catalog, **settings: str) -> list[str]:
    """`Node [modes]` for every node, from the root down."""
    keys = {key.replace("__", "-").replace("_", "."): value for key, value in settings.items()}
    text = physical_text(sql, catalog, changelog=True, settings=keys)
    return [re.sub(r"^[ :+-]*(\w+).*changelogMode=(\[.*\])\)$", r"\1 \2", line) for line in text.splitlines()]


def test_a_bare_query_asks_for_no_update_before(catalog) -> None:
    assert modes("SELECT k, SUM(q) FROM c GROUP BY k", catalog) == [
        "GroupAggregate [I,UA,D]",
        "Exchange [I,UB,UA,D]",
        "TableSourceScan [I,UB,UA,D]",
    ]


def test_collected_rows_come_with_update_before(catalog) -> None:
    _, physical = plan("SELECT k, SUM(q) FROM c GROUP BY k", catalog, collect=True)
    assert isinstance(physical, GroupAggregate)
    assert str(physical.mode) == "I,UB,UA,D"


def test_an_aggregate_over_an_aggregate_needs_update_before(catalog) -> None:
    found = modes("SELECT n, COUNT(*) FROM (SELECT k, COUNT(*) AS n FROM o GROUP BY k) GROUP BY n", catalog)
    assert found[0] == "GroupAggregate [I,UA,D]"
    assert found[2:4] == ["Calc [I,UB,UA]", "GroupAggregate [I,UB,UA]"]


@pytest.mark.parametrize(
    ("sink", "expected"),
    [
        ("pr", "[I,UB,UA,D]"),
        ("fc", "[I,UB,UA,D]"),
        ("bh", "[I,UA,D]"),
        ("ups", "[I,UA,D]"),
        ("bh2", "[I,UA,D]"),
    ],
)
def test_a_sink_gets_update_before_only_where_it_takes_it(catalog, sink: str, expected: str) -> None:
    found = modes(f"INSERT INTO {sink} SELECT k, COUNT(*) FROM c GROUP BY k", catalog)
    assert found[:2] == ["Sink [NONE]", f"GroupAggregate {expected}"]


def test_a_filter_on_results_keeps_update_before_and_one_on_the_key_does_not(catalog) -> None:
    having = "INSERT INTO ups SELECT k, COUNT(*) FROM o GROUP BY k HAVING {}"
    assert modes(having.format("COUNT(*) > 1"), catalog)[1:3] == [
        "Calc [I,UB,UA]",
        "GroupAggregate [I,UB,UA]",
    ]
    assert modes(having.format("k > 'a'"), catalog)[1] == "GroupAggregate [I,UA]"


def test_update_before_nobody_wants_is_dropped_above_the_scan(catalog) -> None:
    assert modes("SELECT id, k FROM c WHERE id > 3", catalog) == [
        "Calc [I,UA,D]",
        "DropUpdateBefore [I,UA,D]",
        "TableSourceScan [I,UB,UA,D]",
    ]
    assert modes("SELECT id, k FROM c WHERE q > 3", catalog)[0] == "Calc [I,UB,UA,D]"


def test_an_upsert_source_is_normalized_for_an_aggregate_but_not_for_an_upsert_sink(catalog) -> None:
    assert modes("SELECT n, COUNT(*) FROM ups GROUP BY n", catalog) == [
        "GroupAggregate [I,UA,D]",
        "Exchange [I,UB,UA,D]",
        "Calc [I,UB,UA,D]",
        "ChangelogNormalize [I,UB,UA,D]",
        "Exchange [I,UA,D]",
        "TableSourceScan [I,UA,D]",
    ]
    assert modes("INSERT INTO ups SELECT k, n FROM ups", catalog) == [
        "Sink [NONE]",
        "TableSourceScan [I,UA,D]",
    ]


def test_a_filter_moves_into_the_normalization_and_one_on_the_key_below_it(catalog) -> None:
    _, physical = plan("INSERT INTO pr SELECT k, n FROM ups WHERE n > 1 AND k > 'a'", catalog)
    normalize = next(n for n in walk(physical) if isinstance(n, ChangelogNormalize))
    assert normalize.condition is not None
    assert isinstance(normalize.input.children[0], Calc)


def test_duplicate_events_are_normalized(catalog) -> None:
    settings = {"table.exec.source.cdc-events-duplicate": "true"}
    _, physical = plan("INSERT INTO pr SELECT k, id FROM c WHERE q > 1", catalog, settings)
    kinds = [type(n).__name__ for n in walk(physical)]
    assert kinds == ["Sink", "Calc", "ChangelogNormalize", "Exchange", "DropUpdateBefore", "TableSourceScan"]


def test_a_key_that_is_needed_and_missing_is_named(catalog) -> None:
    with pytest.raises(ValidationError, match="requires the changelog sources to define a PRIMARY KEY"):
        plan("SELECT * FROM fc", catalog, {"table.exec.source.cdc-events-duplicate": "true"})


@pytest.mark.parametrize(
    ("sql", "message"),
    [
        (
            "INSERT INTO fj SELECT k, COUNT(*) FROM o GROUP BY k",
            "Table sink 'default_catalog.default_database.fj' doesn't support consuming update changes which "
            "is produced by node GroupAggregate(groupBy=[k], select=[k, COUNT(*) AS EXPR$1])",
        ),
        (
            "INSERT INTO fj SELECT k, id FROM c",
            "Table sink 'default_catalog.default_database.fj' doesn't support consuming update and delete "
            "changes which is produced by node TableSourceScan(table=[[default_catalog, default_database, c, "
            "project=[k, id], metadata=[]]], fields=[k, id])",
        ),
        (
            "INSERT INTO by_n SELECT k, COUNT(*) FROM o GROUP BY k",
            "The query has an upsert key that differs from the primary key of the sink table "
            "'default_catalog.default_database.by_n'. Primary key: [n], upsert key: [k]. This can lead to",
        ),
        (
            "INSERT INTO prk SELECT k, id FROM c",
            "The query has an upsert key that differs from the primary key of the sink table "
            "'default_catalog.default_database.prk'. Primary key: [a], upsert key: [n]. This can lead to",
        ),
        (
            "INSERT INTO prk SELECT k, COUNT(*) FROM o GROUP BY k, p",
            "The query has an upsert key that differs from the primary key of the sink table "
            "'default_catalog.default_database.prk'. Primary key: [a], upsert key: . This can lead to",
        ),
        (
            "INSERT INTO prts SELECT ts, ts FROM wt",
            "The query contains more than one rowtime attribute column [ts, ts0] for writing into table "
            "'default_catalog.default_database.prts'.",
        ),
        (
            "INSERT INTO prts SELECT x.ts, x.u FROM (SELECT ts, ts AS u, q FROM wt) AS x WHERE x.q > x.q",
            "The query contains more than one rowtime attribute column [ts, u] for writing into table "
            "'default_catalog.default_database.prts'.",
        ),
        (
            "INSERT INTO pr SELECT k, id FROM o ON CONFLICT DO DEDUPLICATE",
            "ON CONFLICT clause is only allowed for upsert sinks.",
        ),
        (
            "INSERT INTO by_n SELECT k, COUNT(*) FROM o GROUP BY k ON CONFLICT DO ERROR",
            "ON CONFLICT DO ERROR requires all source tables to define watermarks, but the following "
            "source(s) do not: default_catalog.default_database.o.",
        ),
    ],
)
def test_what_a_sink_cannot_take_is_refused_in_flinks_words(catalog, sql: str, message: str) -> None:
    with pytest.raises(ValidationError) as refused:
        plan(sql, catalog)
    assert refused.value.message.startswith(message)
    if "doesn't support consuming" in message:
        assert "upsert-kafka" in (refused.value.hint or "")
        assert "debezium-json" in (refused.value.hint or "")


def _sink(root: Node) -> Sink:
    assert isinstance(root, Sink)
    return root


def test_another_key_is_materialized_when_the_statement_or_the_option_says_so(catalog) -> None:
    sql = "INSERT INTO by_n SELECT k, COUNT(*) FROM o GROUP BY k"
    clause = _sink(plan(f"{sql} ON CONFLICT DO DEDUPLICATE", catalog)[1])
    option = _sink(plan(sql, catalog, {"table.exec.sink.require-on-conflict": "false"})[1])
    assert clause.upsert_materialize
    assert option.upsert_materialize
    assert str(option.input.mode) == "I,UB,UA"  # type: ignore[attr-defined]
    never = {"table.exec.sink.upsert-materialize": "NONE"}
    assert not _sink(plan(sql, catalog, never)[1]).upsert_materialize


def test_a_sink_that_takes_any_changes_materializes_by_its_key(catalog) -> None:
    clause = _sink(plan("INSERT INTO prk SELECT k, id FROM c ON CONFLICT DO DEDUPLICATE", catalog)[1])
    assert clause.upsert_materialize
    assert str(clause.input.mode) == "I,UB,UA,D"  # type: ignore[attr-defined]
    by_key = "INSERT INTO prk SELECT k, COUNT(*) FROM o GROUP BY k"
    assert not _sink(plan(by_key, catalog)[1]).upsert_materialize
    forced = {"table.exec.sink.upsert-materialize": "FORCE"}
    assert _sink(plan(by_key, catalog, forced)[1]).upsert_materialize
    assert not _sink(
        plan("INSERT INTO pr SELECT k, COUNT(*) FROM o GROUP BY k", catalog, forced)[1]
    ).upsert_materialize


def test_row_times_that_are_grouped_or_cast_are_plain_timestamps(catalog) -> None:
    plan("INSERT INTO prts SELECT ts, ts FROM wt GROUP BY ts", catalog)
    plan("INSERT INTO prts SELECT ts, CAST(ts AS TIMESTAMP(3)) FROM wt", catalog)


@pytest.mark.parametrize(
    ("inner", "retract"),
    [("COUNT(*)", False), ("SUM(q)", True), ("MAX(q)", False), ("MIN(q)", True)],
)
def test_max_of_what_only_grows_keeps_its_plain_form(catalog, inner: str, retract: bool) -> None:
    _, physical = plan(
        f"SELECT k, MAX(x) FROM (SELECT k, p, {inner} AS x FROM o GROUP BY k, p) GROUP BY k", catalog
    )
    assert isinstance(physical, GroupAggregate)
    assert physical.retract == (retract,)


def test_sums_of_positive_numbers_only_grow(catalog) -> None:
    sql = "SELECT k, MAX(x) FROM (SELECT k, p, SUM(q) AS x FROM o WHERE q > 0 GROUP BY k, p) {} GROUP BY k"
    assert plan(sql.format(""), catalog)[1].retract == (False,)  # type: ignore[attr-defined]
    assert plan(sql.format("WHERE x > 3"), catalog)[1].retract == (False,)  # type: ignore[attr-defined]
    assert plan(sql.format("WHERE x < 3"), catalog)[1].retract == (True,)  # type: ignore[attr-defined]


def test_nothing_is_dropped_where_rows_are_collected(catalog) -> None:
    _, physical = plan("SELECT id, k FROM c", catalog, collect=True)
    assert not any(isinstance(n, DropUpdateBefore) for n in walk(physical))
