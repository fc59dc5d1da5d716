"""The connector nexmark: its options, schema, micro-batches, and a query over it."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from firesteel import TableEnvironment
from firesteel.connectors.base import ReadLimit
from firesteel.errors import ValidationError
from tests.connectors.nexmark.events import source

if TYPE_CHECKING:
    from firesteel.spark.launch.launch import Spark

COLUMNS = """
event_type INT,
person ROW<id BIGINT, name VARCHAR, emailAddress VARCHAR, creditCard VARCHAR, city VARCHAR, state VARCHAR,
  `dateTime` TIMESTAMP(3), extra VARCHAR>,
auction ROW<id BIGINT, itemName VARCHAR, description VARCHAR, initialBid BIGINT, reserve BIGINT,
  `dateTime` TIMESTAMP(3), expires TIMESTAMP(3), seller BIGINT, category BIGINT, extra VARCHAR>,
bid ROW<auction BIGINT, bidder BIGINT, price BIGINT, channel VARCHAR, url VARCHAR, `dateTime` TIMESTAMP(3),
  extra VARCHAR>
"""


def explain(columns: str = COLUMNS, **options: str) -> str:
    environment = TableEnvironment.create(None)
    given = {"connector": "nexmark"} | {key.replace("_", "."): value for key, value in options.items()}
    listed = ", ".join(f"'{key}' = '{value}'" for key, value in given.items())
    environment.execute_sql(f"CREATE TABLE events ({columns}) WITH ({listed})")
    return environment.explain_sql("SELECT bid.price FROM events")


def test_all_columns_are_in_the_plan_as_in_the_public_connector() -> None:
    assert "fields=[event_type, person, auction, bid]" in explain(events_num="10")


@pytest.mark.parametrize(
    ("options", "message", "hint"),
    [
        ({"events_num": "-1"}, "Invalid value for option 'events.num'", "at least 0"),
        ({"bid_avg-size": "1 mb"}, "Invalid value for option 'bid.avg-size'", "at most 8 kb"),
        ({"rate_shape": "ROUND"}, "Invalid value for option 'rate.shape'", "SQUARE, SINE"),
        ({"bid_hot-ratio_auctions": "0"}, "Invalid value for option 'bid.hot-ratio.auctions'", "at least 1"),
        ({"event_num": "1"}, "Unsupported options found for 'nexmark'", "did you mean events.num"),
        (
            {"person_proportion": "0", "auction_proportion": "0", "bid_proportion": "0"},
            "Invalid value for option 'bid.proportion'",
            "one of the proportions must be above 0",
        ),
    ],
)
def test_wrong_options_are_refused(options: dict[str, str], message: str, hint: str) -> None:
    with pytest.raises(ValidationError) as error:
        explain(**options)
    assert message in str(error.value)
    assert hint in str(error.value.hint)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (
            COLUMNS.replace("event_type INT", "event_type BIGINT"),
            "column 'event_type' must be INT, not BIGINT",
        ),
        (COLUMNS.replace("price BIGINT", "price INT"), "column 'bid' must be ROW<"),
        (COLUMNS.replace("TIMESTAMP(3), extra VARCHAR>", "TIMESTAMP(3)>"), "column 'person' must be ROW<"),
        (f"{COLUMNS}, more INT", "it must have 4 physical columns, not 5"),
    ],
)
def test_another_schema_is_refused(columns: str, message: str) -> None:
    with pytest.raises(ValidationError, match="another schema") as error:
        explain(columns)
    assert message in str(error.value)


def test_it_ends_at_events_num_or_stop_at() -> None:
    made = source(events_num=1000, stop__at=300)
    assert made.bounded
    assert made.splits(4)[-1].data["end"] == 300
    end = made.latest_offset(made.initial_offset(), ReadLimit())
    assert end["event"] == 300
    assert made.is_finished(end)
    assert made.latest_offset(end, ReadLimit()) == end
    assert made.splits_between(end, end, 2) == []
    assert not source().bounded


def test_keep_alive_has_no_end_but_no_more_events() -> None:
    made = source(events_num=10, keep__alive="true")
    assert not made.bounded
    end = made.latest_offset(made.initial_offset(), ReadLimit())
    assert end["event"] == 10
    assert not made.is_finished(end)
    assert made.latest_offset(end, ReadLimit()) == end


def test_micro_batches_keep_the_limit() -> None:
    made = source()
    start = made.initial_offset()
    assert made.latest_offset(start, ReadLimit(rows=7))["event"] == 7
    assert made.latest_offset({**start, "event": 7}, ReadLimit(rows=7))["event"] == 14


def test_events_wait_until_they_are_due() -> None:
    made = source(events_num=30, first__event_rate=20, max__emit__speed="false")
    start = made.initial_offset()
    assert made.latest_offset(start, ReadLimit())["event"] < 20
    began = {**start, "began": start["began"] - 1000}
    assert 20 <= made.latest_offset(began, ReadLimit())["event"] <= 30
    clock = time.monotonic()
    assert sum(table.num_rows for split in made.splits(1) for table in made.read(split)) == 30
    assert 1.4 < time.monotonic() - clock < 20


@pytest.mark.spark
def test_a_query_over_events(spark: Spark) -> None:
    environment = TableEnvironment.create(spark, configuration={"parallelism.default": "2"})
    environment.execute_sql(
        f"CREATE TABLE events ({COLUMNS}) WITH ('connector' = 'nexmark', 'events.num' = '200000')"
    )
    query = (
        "SELECT event_type, COUNT(*), COUNT(bid.price), COUNT(person.name) FROM events GROUP BY event_type"
    )
    found = sorted(map(tuple, environment.sql_query(query).to_pandas().to_numpy().tolist()))
    assert found == [(0, 4000, 0, 4000), (1, 12000, 0, 0), (2, 184000, 184000, 0)]
