"""The source against a broker: where it begins and ends, what it reads, how it fails."""

from __future__ import annotations

import time
import uuid
from datetime import datetime, timezone
from typing import Any

import pytest
from tools.kafka_broker import Broker, unused_address

from firesteel.connectors.base import ReadLimit
from firesteel.errors import DataError, JobError
from firesteel.types.arrow import KEY, VALUE
from firesteel.types.sql import BIGINT, BYTES, INT, STRING, SqlType, TypeRoot, map_of
from tests.connectors.kafka.reading import ALL, between, committed, everything, now, source

pytestmark = pytest.mark.slow


def numbers(*values: int) -> list[bytes]:
    return [b'{"a": %d}' % value for value in values]


def read_numbers(rows: list[tuple[Any, ...]]) -> list[int]:
    return [row[1] for row in rows]


@pytest.fixture(scope="module")
def ten(broker: Broker) -> str:
    """A topic of ten numbers, two a second, in one partition."""
    topic = broker.create("ten")
    for value in range(0, 10, 2):
        broker.send(topic, numbers(value, value + 1), timestamp=1_000_000 + 500 * value)
    return topic


def test_all_of_a_topic(broker: Broker, ten: str) -> None:
    assert now(source(broker.servers, ten)) == [("+I", value, None) for value in range(10)]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"scan_bounded_mode": "latest-offset"}, range(10)),
        ({"scan_bounded_mode": "timestamp", "scan_bounded_timestamp__millis": "1002000"}, range(4)),
        ({"scan_startup_mode": "timestamp", "scan_startup_timestamp__millis": "1001001"}, range(4, 10)),
        ({"scan_startup_mode": "timestamp", "scan_startup_timestamp__millis": "9999999"}, range(0)),
        (
            {
                "scan_startup_mode": "specific-offsets",
                "scan_startup_specific__offsets": "partition:0,offset:7",
            },
            range(7, 10),
        ),
        (
            {
                "scan_bounded_mode": "specific-offsets",
                "scan_bounded_specific__offsets": "partition:0,offset:3",
            },
            range(3),
        ),
        (
            {
                "scan_startup_mode": "specific-offsets",
                "scan_startup_specific__offsets": "partition:1,offset:7",
            },
            range(10),
        ),
        ({"scan_startup_mode": "latest-offset"}, range(0)),
    ],
)
def test_where_it_begins_and_ends(broker: Broker, ten: str, options: dict[str, str], expected: range) -> None:
    read = source(broker.servers, ten, **({"scan_bounded_mode": "latest-offset"} | options))
    assert read_numbers(everything(read)) == list(expected)


def test_where_a_group_left_off(broker: Broker, ten: str) -> None:
    from confluent_kafka import Consumer, TopicPartition

    options = {"scan_startup_mode": "group-offsets", "properties_group_id": f"group-of-{ten}"}
    with pytest.raises(JobError, match=r"Undefined offset with no reset policy for partitions: \[ten-.*-0\]"):
        source(broker.servers, ten, **options).initial_offset()
    reset = {"properties_auto_offset_reset": "earliest"}
    assert len(now(source(broker.servers, ten, **options, **reset))) == 10
    member = Consumer({"bootstrap.servers": broker.servers, "group.id": f"group-of-{ten}"})
    member.commit(offsets=[TopicPartition(ten, 0, 6)], asynchronous=False)
    member.close()
    assert read_numbers(now(source(broker.servers, ten, **options))) == [6, 7, 8, 9]
    ends = {"scan_bounded_mode": "group-offsets", "properties_group_id": f"group-of-{ten}"}
    assert read_numbers(everything(source(broker.servers, ten, **ends))) == list(range(6))


def test_offsets_go_on_where_they_ended_by_rows_a_batch(broker: Broker, ten: str) -> None:
    read = source(broker.servers, ten, scan_bounded_mode="latest-offset")
    place, found = read.initial_offset(), []
    while not read.is_finished(place):
        end = read.latest_offset(place, ReadLimit(rows=4))
        found.append(read_numbers(between(read, place, end)))
        place = end
    assert found == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9]]
    assert read.latest_offset(place, ALL) == place


def test_an_end_behind_what_is_there_is_waited_for(broker: Broker, monkeypatch: pytest.MonkeyPatch) -> None:
    from firesteel.connectors.kafka import source as module

    monkeypatch.setattr(module, "_LONGEST_WAIT", 0.1)
    topic = broker.create("awaited")
    broker.send(topic, numbers(1))
    ends = {"scan_bounded_mode": "specific-offsets", "scan_bounded_specific__offsets": "partition:0,offset:2"}
    read = source(broker.servers, topic, **ends)
    place = read.latest_offset(read.initial_offset(), ALL)
    told = []
    for _ in range(2):
        waited = read.latest_offset(place, ALL)
        assert waited != place
        assert not read.is_finished(waited)
        assert between(read, place, waited) == []
        told += read.notices()
        place = waited
    assert told == [
        "Waiting for messages that are to be read and are not there yet: "
        f"topic {topic}, partition 0 up to offset 1."
    ]
    broker.send(topic, numbers(2))
    end = read.latest_offset(place, ALL)
    assert read_numbers(between(read, place, end)) == [2]
    assert read.is_finished(end)
    assert read.latest_offset(end, ALL) == end


def test_a_group_hears_how_far_a_job_with_a_checkpoint_is(broker: Broker, ten: str) -> None:
    def heard(checkpoint: bool, **options: str) -> int:
        group = f"watched-{uuid.uuid4().hex}"
        read = source(broker.servers, ten, properties_group_id=group, **options)
        if checkpoint:
            read.enable_commits()
        place = read.latest_offset(read.initial_offset(), ReadLimit(rows=4))
        read.latest_offset(place, ALL)
        end = time.monotonic() + (20 if checkpoint and not options else 0.5)
        found = -1
        while found != 4 and time.monotonic() < end:
            found = committed(broker, ten, group)
        return found

    assert heard(checkpoint=True) == 4
    assert heard(checkpoint=False) < 0
    assert heard(checkpoint=True, properties_commit_offsets_on_checkpoint="false") < 0


def test_what_waits_behind_an_offset(broker: Broker) -> None:
    topic = broker.create("waiting", 2)
    broker.send(topic, numbers(*range(10)), 1)
    read = source(broker.servers, topic)
    start = read.initial_offset()
    place = read.latest_offset(start, ReadLimit(rows=4))
    broker.send(topic, numbers(1, 2, 3))
    lags = [read.lag(each) for each in (start, place, read.latest_offset(place, ALL))]
    assert lags == [{(topic, 0): 3, (topic, 1): each} for each in (10, 6)] + [{(topic, 0): 0, (topic, 1): 0}]


def test_a_broker_that_is_away_does_not_tell_what_waits(broker: Broker, ten: str) -> None:
    place = source(broker.servers, ten).initial_offset()
    away, began = source(unused_address(), ten), time.monotonic()
    with pytest.raises(JobError, match="cannot be reached"):
        away.lag(place)
    assert time.monotonic() < began + 5


def test_several_topics_and_partitions_in_their_order(broker: Broker) -> None:
    one, other = broker.create("many", 2), broker.create("many")
    broker.send(one, numbers(1, 2), 1)
    broker.send(one, numbers(3), 0)
    broker.send(other, numbers(4))
    listed = now(source(broker.servers, f"{one}; {other}"))
    assert sorted(read_numbers(listed)) == [1, 2, 3, 4]
    assert [n for n in read_numbers(listed) if n in (1, 2)] == [1, 2]
    by_pattern = source(broker.servers, "", topic__pattern=rf"\Q{one}\E|{other}(?<x>)")
    assert now(by_pattern) == listed


def test_partitions_that_come_while_it_runs(broker: Broker) -> None:
    from confluent_kafka.admin import NewPartitions

    topic = broker.create("grows")
    broker.send(topic, numbers(1))
    read = source(broker.servers, topic, scan_topic__partition__discovery_interval="1 ms")
    place = read.latest_offset(read.initial_offset(), ALL)
    broker.admin.create_partitions([NewPartitions(topic, 2)])[topic].result(30)
    broker.send(topic, numbers(2), 1)
    end = _until_new(read, place)
    assert read_numbers(between(read, place, end)) == [2]
    broker.send(topic, numbers(3), 1)
    assert read_numbers(between(read, end, _until_new(read, end))) == [3]
    fixed = source(broker.servers, topic, scan_topic__partition__discovery_interval="0")
    assert read_numbers(now(fixed)) == [1, 2, 3]


def _until_new(read: Any, place: Any) -> Any:
    end = time.monotonic() + 20
    while (found := read.latest_offset(place, ALL)) == place:
        assert time.monotonic() < end
    return found


def test_metadata(broker: Broker) -> None:
    topic = broker.create("meta")
    broker.send(topic, numbers(1), timestamp=1_500, headers=[("h", b"1"), ("h", b"2"), ("n", None)])
    columns: dict[str, SqlType] = {
        "a": INT,
        "topic": STRING,
        "p": BIGINT,
        "o": BIGINT,
        "at": SqlType(TypeRoot.TIMESTAMP_LTZ, precision=3),
        "kind": STRING,
        "epoch": INT,
        "headers": map_of(STRING, BYTES),
    }
    keys = {"topic": "topic", "p": "partition", "o": "offset", "at": "timestamp", "kind": "timestamp-type"}
    keys |= {"epoch": "leader-epoch", "headers": "headers"}
    (row,) = now(source(broker.servers, topic, columns, keys))
    when = datetime(1970, 1, 1, 0, 0, 1, 500_000, tzinfo=timezone.utc)
    headers = [{KEY: "h", VALUE: b"2"}, {KEY: "n", VALUE: None}]
    assert row == ("+I", 1, topic, 0, 0, when, "CreateTime", 0, headers)


def test_keys(broker: Broker) -> None:
    topic = broker.create("keys")
    messages = [(b'{"id": 1, "a": 10}', b'{"a": 5, "id": 7}'), (b'{"id": 2}', b'[{"a": 6}, {"a": 7}]')]
    broker.send(topic, [*messages, (None, b'{"a": 8}'), (b'{"id": 3}', None)])
    columns: dict[str, SqlType] = {"k_id": INT, "a": INT, "id": INT}
    options = {"key_format": "json", "key_fields": "k_id", "key_fields__prefix": "k_"}
    read = source(broker.servers, topic, columns, value_fields__include="EXCEPT_KEY", **options)
    assert now(read) == [("+I", 1, 5, 7), ("+I", 2, 6, None), ("+I", 2, 7, None)]


def test_the_values_column_wins_where_the_key_has_it_too(broker: Broker) -> None:
    topic = broker.create("both")
    broker.send(topic, [(b'{"a": 10, "s": "key"}', b'{"a": 5}')])
    read = source(broker.servers, topic, key_format="json", key_fields="a;s")
    assert now(read) == [("+I", 5, None)]


def test_a_transactions_marks_and_what_was_aborted(broker: Broker) -> None:
    from confluent_kafka import Producer

    topic = broker.create("transactions")
    producer = Producer({"bootstrap.servers": broker.servers, "transactional.id": topic, "log_level": 2})
    producer.init_transactions(30)
    for value, commits in ((1, True), (2, False), (3, True)):
        producer.begin_transaction()
        producer.produce(topic, numbers(value)[0], partition=0)
        producer.flush(30)
        producer.commit_transaction(30) if commits else producer.abort_transaction(30)
    ended = {"scan_bounded_mode": "latest-offset"}
    assert read_numbers(everything(source(broker.servers, topic, **ended))) == [1, 2, 3]
    committed = source(broker.servers, topic, properties_isolation_level="read_committed", **ended)
    assert read_numbers(everything(committed)) == [1, 3]


# --- bad input -----------------------------------------------------------------------------------
def test_a_poison_message(broker: Broker) -> None:
    topic = broker.create("poison")
    broker.send(topic, [*numbers(1, 2), b"{no", *numbers(3)])
    bad = rf"topic {topic}, partition 0, offset 2: Failed to deserialize JSON"
    with pytest.raises(DataError, match=bad) as raised:
        now(source(broker.servers, topic))
    assert raised.value.hint == (
        "'json.ignore-parse-errors' = 'true' leaves such messages out; "
        "SET 'firesteel.dead-letters.table' = '<a table>' keeps them in a table"
    )
    lenient = source(broker.servers, topic, json_ignore__parse__errors="true")
    assert read_numbers(now(lenient)) == [1, 2, 3]
    assert lenient.skipped == {"damaged_message": 1}


def test_ddl_of_canal(broker: Broker) -> None:
    """As in Flink it ends the job; the error says which statement, the hint what else is left out."""
    topic = broker.create("ddl")
    ddl = (
        b'{"data": null, "database": "shop", "isDdl": true, "sql": "ALTER TABLE p ADD c INT", "table": "p", '
    )
    rows = b'{"data": [{"a": 1}], "type": "INSERT"}'
    broker.send(topic, [rows, ddl + b'"type": "ALTER"}', rows])
    with pytest.raises(DataError, match=rf"topic {topic}, partition 0, offset 1: Corrupt Canal") as raised:
        now(source(broker.servers, topic, format="canal-json"))
    assert "It is DDL of table shop.p: ALTER TABLE p ADD c INT, no change of a row: " in raised.value.message
    assert raised.value.hint is not None
    assert "and with them each message that is damaged" in raised.value.hint
    lenient = source(broker.servers, topic, format="canal-json", canal__json_ignore__parse__errors="true")
    assert read_numbers(now(lenient)) == [1, 1]
    assert lenient.skipped == {"control_message": 1}


def test_a_broker_that_is_not_there() -> None:
    address, began = unused_address(), time.monotonic()
    with pytest.raises(JobError, match=f"Kafka at {address} cannot be reached: .*refused"):
        source(address, "t").initial_offset()
    assert time.monotonic() - began < 100


def test_a_topic_that_is_not_there(broker: Broker) -> None:
    with pytest.raises(JobError, match=f"Kafka at {broker.servers} has no topic 'nowhere'"):
        source(broker.servers, "nowhere").initial_offset()


def test_offsets_that_expired_under_a_checkpoint(broker: Broker) -> None:
    from confluent_kafka import TopicPartition

    topic = broker.create("expired")
    broker.send(topic, numbers(0, 1, 2, 3, 4))
    read = source(broker.servers, topic)
    begin = read.initial_offset()
    place = read.latest_offset(begin, ReadLimit(rows=2))
    known = read.history(begin, place)
    assert (known.since, known.until, known.size) == (begin, place, "2 messages")
    broker.admin.delete_records([TopicPartition(topic, 0, 4)])
    again = source(broker.servers, topic)
    lost = rf"topic {topic}, partition 0: offsets 2 to 3 are gone, the log begins at 4"
    _await_deleted(broker, topic)
    with pytest.raises(JobError, match=lost):
        again.latest_offset(place, ALL)
    with pytest.raises(JobError, match=r"offsets 0 to 3 are gone, the log begins at 4"):
        between(read, begin, place)
    with pytest.raises(JobError, match=r"offsets 0 to 3 are gone, the log begins at 4"):
        read.history(begin, place)
    told = source(broker.servers, topic, properties_auto_offset_reset="earliest")
    assert read_numbers(between(told, place, told.latest_offset(place, ALL))) == [4]
    assert "offsets 2 to 3 are gone" in told.notices()[0]


def _await_deleted(broker: Broker, topic: str) -> None:
    from confluent_kafka import TopicPartition
    from confluent_kafka.admin import OffsetSpec

    end, asked = time.monotonic() + 20, TopicPartition(topic, 0)
    while broker.admin.list_offsets({asked: OffsetSpec.earliest()})[asked].result(10).offset < 4:
        assert time.monotonic() < end


def test_a_topic_that_was_made_again(broker: Broker) -> None:
    topic = broker.create("anew")
    broker.send(topic, numbers(0))
    place = {"at": {topic: {"0": 5}}}
    with pytest.raises(JobError, match=rf"topic {topic}, partition 0 ends at offset 1, and was read up to 5"):
        source(broker.servers, topic).latest_offset(place, ALL)
    gone = {"at": {topic: {"0": 0, "1": 3}}}
    with pytest.raises(JobError, match=rf"topic {topic}, partition 1 is gone"):
        source(broker.servers, topic).latest_offset(gone, ALL)
