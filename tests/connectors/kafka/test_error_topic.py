"""The options of Kafka Connect for messages that cannot be read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tools.kafka_broker import Broker

from firesteel import TableEnvironment
from firesteel.errors import ValidationError
from tests.connectors.kafka.reading import now, source
from tests.connectors.kafka.test_source import numbers, read_numbers
from tests.connectors.kafka.writing import messages

if TYPE_CHECKING:
    from firesteel.spark.launch.launch import Spark

pytestmark = pytest.mark.slow


def test_all_leaves_bad_messages_out_and_counts_them(broker: Broker) -> None:
    topic = broker.create("tolerant")
    broker.send(topic, [*numbers(1), b"{no", b'{"a": "x"}', *numbers(2)])
    tolerant = source(broker.servers, topic, errors_tolerance="all")
    assert read_numbers(now(tolerant)) == [1, 2]
    assert tolerant.skipped == {"damaged_message": 1, "invalid_value": 1}


@pytest.mark.spark
@pytest.mark.parametrize("context", [pytest.param("true", marks=pytest.mark.full), "false"])
def test_bad_messages_go_to_the_topic_once(context: str, broker: Broker, spark: Spark) -> None:
    topic, errors = broker.create("orders"), broker.create("errors")
    broker.send(topic, [(b"k", each) for each in (*numbers(1), b"{no", *numbers(2), b'{"a": "x"}')])
    made = TableEnvironment.create(spark)
    made.execute_sql(
        f"CREATE TABLE orders (a INT) WITH ('connector' = 'kafka', 'topic' = '{topic}', 'format' = 'json', "
        f"'properties.bootstrap.servers' = '{broker.servers}', 'scan.startup.mode' = 'earliest-offset', "
        f"'scan.bounded.mode' = 'latest-offset', 'errors.tolerance' = 'all', "
        f"'errors.deadletterqueue.topic.name' = '{errors}', "
        f"'errors.deadletterqueue.context.headers.enable' = '{context}')"
    )
    assert made.sql_query("SELECT a FROM orders").execute().to_pandas()["a"].tolist() == [1, 2]
    found: list[Any] = messages(broker, errors, 2)
    assert sorted(each.value() for each in found) == [b'{"a": "x"}', b"{no"]
    assert [each.key() for each in found] == [b"k", b"k"]
    if context == "false":
        assert not any(each.headers() for each in found)
        return
    headers = dict(next(each for each in found if each.value() == b"{no").headers())
    assert headers.pop("__connect.errors.exception.message").startswith(b"Failed to deserialize JSON '{no'")
    assert headers == {
        "__connect.errors.topic": topic.encode(),
        "__connect.errors.partition": b"0",
        "__connect.errors.offset": b"1",
        "__connect.errors.connector.name": b"default_catalog.default_database.orders",
        "__connect.errors.stage": b"VALUE_CONVERTER",
        "__connect.errors.class.name": b"json",
        "__connect.errors.exception.class.name": b"DataError",
    }


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"errors.tolerance": "some"}, "errors.tolerance"),
        ({"errors.deadletterqueue.topic.name": "t"}, "The table reads the topic 't' itself"),
        ({"errors.deadletterqueue.topic.name": "u", "topic": "s; u"}, "The table reads the topic 'u' itself"),
        (
            {"errors.deadletterqueue.topic.name": "u", "topic-pattern": "[u-w]"},
            "The table reads the topic 'u'",
        ),
        ({"errors.deadletterqueue.context.headers.enable": "maybe"}, "context.headers.enable"),
    ],
)
def test_wrong_options_are_refused_before_anything_is_read(options: dict[str, str], words: str) -> None:
    given = {
        "connector": "kafka",
        "format": "json",
        "properties.bootstrap.servers": "h:1",
        **({} if "topic-pattern" in options else {"topic": "t"}),
        "errors.tolerance": "all",
        **options,
    }
    made = TableEnvironment.create()
    pairs = ", ".join(f"'{key}' = '{value}'" for key, value in given.items())
    made.execute_sql(f"CREATE TABLE t (a INT) WITH ({pairs})")
    with pytest.raises(ValidationError) as raised:
        made.explain_sql("SELECT a FROM t")
    assert words in raised.value.message
