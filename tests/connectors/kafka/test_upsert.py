"""upsert-kafka: options, what a source reads, what a sink writes, and both in a job."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from tools.kafka_broker import Broker

from firesteel import TableEnvironment
from firesteel.catalog.schema import Column, Table
from firesteel.connectors.registry import validate_table
from firesteel.errors import ValidationError
from firesteel.types.sql import BIGINT, INT, STRING, SqlType
from tests.connectors.kafka.reading import now, source
from tests.connectors.kafka.test_options import inserting
from tests.connectors.kafka.writing import messages, sink, write
from tests.rules.test_changelog_modes import modes
from tests.spark.jobs import folded, write_changes

if TYPE_CHECKING:
    from pathlib import Path

    from firesteel.spark.launch.launch import Spark

UPSERT = {
    "connector": "upsert-kafka",
    "topic": "t",
    "properties.bootstrap.servers": "b:1",
    "key.format": "json",
    "value.format": "json",
}


def table(options: dict[str, str] = UPSERT, primary_key: tuple[str, ...] = ("k",)) -> Table:
    columns = (Column("k", STRING), Column("n", BIGINT))
    return Table("c", "d", "t", columns, tuple(options.items()), primary_key)


# --- options and plans -----------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"connector": "upsert-kafka", "topic": "t"},
            r"Missing required options are:\n\nkey\.format\nproperties\.bootstrap\.servers\nvalue\.format",
        ),
        (
            {**UPSERT, "key.format": "canal-json"},
            "'upsert-kafka' connector doesn't support 'canal-json' as key format, because 'canal-json' is "
            "not in insert-only mode",
        ),
        (
            {**UPSERT, "value.format": "debezium-json"},
            "'upsert-kafka' connector doesn't support 'debezium-json' as value format",
        ),
        ({**UPSERT, "scan.startup.mode": "latest-offset"}, "Unsupported options found for 'upsert-kafka'"),
        ({**UPSERT, "key.fields": "k"}, "Unsupported options found for 'upsert-kafka'"),
        ({**UPSERT, "key.fields-prefix": "k"}, "A key prefix is not allowed when option"),
        (
            {**UPSERT, "sink.buffer-flush.max-rows": "5"},
            "must be set to be greater than zero together to enable sink buffer flushing",
        ),
        (
            {**UPSERT, "sink.delivery-guarantee": "exactly-once"},
            r"sink\.transactional-id-prefix must be specified",
        ),
    ],
)
def test_wrong_options(options: dict[str, str], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        validate_table(table(options))


def test_a_primary_key_is_needed() -> None:
    with pytest.raises(ValidationError, match="'upsert-kafka' tables require to define a PRIMARY KEY constr"):
        validate_table(table(primary_key=()))


def test_which_changes_it_sends_and_takes() -> None:
    from firesteel.catalog.catalog import Catalog

    catalog, made = Catalog(), validate_table(table())
    for name in ("t", "other"):
        catalog.create(replace(made, catalog="default_catalog", database="default_database", name=name))
    assert modes("INSERT INTO other SELECT k, n + 1 FROM t", catalog) == [
        "Sink [NONE]",
        "Calc [I,UA,D]",
        "TableSourceScan [UA,D]",
    ]
    assert modes("INSERT INTO other SELECT k, COUNT(*) FROM t GROUP BY k", catalog) == [
        "Sink [NONE]",
        "GroupAggregate [I,UA,D]",
        "Exchange [I,UB,UA,D]",
        "Calc [I,UB,UA,D]",
        "ChangelogNormalize [I,UB,UA,D]",
        "Exchange [UA,D]",
        "TableSourceScan [UA,D]",
    ]
    with pytest.raises(
        ValidationError, match="The query has an upsert key that differs from the primary key"
    ):
        inserting(table(), "SELECT k || 'x', COUNT(*) FROM t GROUP BY k")


# --- messages ------------------------------------------------------------------------------------
COLUMNS: dict[str, SqlType] = {"b": INT, "v": STRING, "a": INT}
BOTH = {"format": "", "key_format": "json", "value_format": "json"}


@pytest.mark.slow
def test_messages_are_upserts_and_tombstones(broker: Broker) -> None:
    topic = broker.create("upserts")
    broker.send(
        topic,
        [
            (b'{"a":1,"b":2}', b'{"a":1,"b":2,"v":"x"}'),
            (b'{"a":1,"b":2}', None),
            (b'{"a":3,"b":4}', b'{"a":30,"v":"y"}'),
            (None, b'{"a":5}'),
            (b'{"a":6,"b":7}', None),
        ],
    )
    named = {"connector": "upsert-kafka", "upsert_key": ("a", "b")}
    assert now(source(broker.servers, topic, COLUMNS, {"o": "offset"}, **named, **BOTH)) == [
        ("+U", 2, "x", 1),
        ("-D", 2, None, 1),
        ("+U", None, "y", 30),  # the value's columns go before the key's
        ("-D", 7, None, 6),
    ]
    without = source(broker.servers, topic, COLUMNS, **named, **BOTH, value_fields__include="EXCEPT_KEY")
    assert now(without) == [("+U", 2, "x", 1), ("-D", 2, None, 1), ("+U", 4, "y", 3), ("-D", 7, None, 6)]


@pytest.mark.slow
def test_rows_are_written_by_key(broker: Broker) -> None:
    topic, types = broker.create("written"), tuple(COLUMNS.values())
    rows = [("+I", 2, "x", 1), ("+U", 2, "y", 1), ("+I", 4, None, 3), ("-D", 2, "y", 1)]
    named: dict[str, Any] = {"connector": "upsert-kafka", "primary_key": (2, 0)}
    write(sink(broker.servers, topic, COLUMNS, None, **named, **BOTH), rows, types)
    expected = [
        (b'{"a":1,"b":2}', b'{"b":2,"v":"x","a":1}'),
        (b'{"a":1,"b":2}', b'{"b":2,"v":"y","a":1}'),
        (b'{"a":3,"b":4}', b'{"b":4,"v":null,"a":3}'),
        (b'{"a":1,"b":2}', None),
    ]
    assert [(m.key(), m.value()) for m in messages(broker, topic, 4)] == expected
    flushed = broker.create("flushed")
    flush = {"sink_buffer__flush_max__rows": "3", "sink_buffer__flush_interval": "1 s"}
    options = {**BOTH, **flush, "value_fields__include": "EXCEPT_KEY"}
    write(sink(broker.servers, flushed, COLUMNS, None, **named, **options), rows, types)
    assert [(m.key(), m.value()) for m in messages(broker, flushed, 3)] == [
        (b'{"a":1,"b":2}', b'{"v":"y"}'),
        (b'{"a":3,"b":4}', b'{"v":null}'),
        (b'{"a":1,"b":2}', None),
    ]


# --- a job ---------------------------------------------------------------------------------------
@pytest.mark.slow
@pytest.mark.spark
def test_written_exactly_once_and_read_back(broker: Broker, spark: Spark, tmp_path: Path) -> None:
    topic = broker.create("totals", 2)
    write_changes(tmp_path / "in.json", 300)
    environment = TableEnvironment.create(spark, configuration={"parallelism.default": "2"})
    environment.execute_sql(
        "CREATE TABLE c (name STRING, cnt INT) WITH ('connector' = 'filesystem', 'format' = 'canal-json', "
        f"'path' = '{tmp_path}/in.json')"
    )
    environment.execute_sql(
        "CREATE TABLE totals (name STRING, total INT, n BIGINT, PRIMARY KEY (name) NOT ENFORCED) WITH ("
        f"'connector' = 'upsert-kafka', 'topic' = '{topic}', 'key.format' = 'json', 'value.format' = 'json', "
        f"'properties.bootstrap.servers' = '{broker.servers}', "
        "'properties.isolation.level' = 'read_committed', "
        "'sink.delivery-guarantee' = 'exactly-once', 'sink.transactional-id-prefix' = 'p', "
        "'scan.bounded.mode' = 'latest-offset')"
    )
    query = "SELECT name, SUM(cnt), COUNT(*) FROM c GROUP BY name"
    environment.execute_sql(f"INSERT INTO totals {query}").wait()

    def rows(sql: str) -> Any:
        return folded([(r.get_row_kind().short, *r) for r in environment.execute_sql(sql).collect()])

    expected, end = rows(query), time.monotonic() + 30
    while (found := rows("SELECT * FROM totals")) != expected:  # a commit is seen a moment later
        assert time.monotonic() < end, found
