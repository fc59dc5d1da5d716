"""Offsets of topics, and notes of batches at a broker, that earlier commits have left mean what they did."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tools.kafka_broker import Broker

from firesteel import TableEnvironment
from firesteel.connectors.kafka.offsets import Position
from firesteel.connectors.kafka.producer import Producer
from firesteel.errors import UsageError
from firesteel.session.jobs import job_of
from firesteel.session.planning import plan
from firesteel.spark.checkpoint.fingerprint import DELIVERED, FILE, belongs_to
from firesteel.spark.sink_identity import check_identities
from firesteel.spark.stream.batch_clock import time_of, without_time
from firesteel.sql.statements import Insert
from tests.connectors.kafka.reading import ALL, between, source
from tests.recovery.kept_kafka import SENT, messages
from tests.recovery.kept_run import KEPT

if TYPE_CHECKING:
    from firesteel.spark.launch.launch import Spark

RECORDS = sorted(KEPT.glob("*/kafka.json"))


@pytest.fixture(params=RECORDS, ids=lambda path: path.parent.name)
def kept(request: pytest.FixtureRequest) -> dict[str, Any]:
    """What a job between topics has left (tests/recovery/kept_kafka.py)."""
    path: Path = request.param
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


def test_offsets(kept: dict[str, Any]) -> None:
    topic, offset = kept["topic"], kept["offset"]
    own = Position.of(without_time(offset))
    assert own.at == {(topic, number): count for number, count in enumerate(SENT)}
    assert list(own.ids) == [topic]
    assert own.to_json() == without_time(offset)
    assert time_of(offset) == offset["$now"] > 0


def test_offsets_of_all_forms(kept: dict[str, Any]) -> None:
    for place in kept["places"]:
        position = Position.of(place["offset"])
        assert position.at == _flat(place["at"])
        assert position.ends == (_flat(place["ends"]) if "ends" in place else None)
        assert position.begins == _flat(place.get("begins", []))
        assert position.waits == place.get("waits", 0)
        assert position.to_json() == place["offset"]


def _flat(places: list[list[Any]]) -> dict[tuple[str, int], int]:
    return {(topic, number): offset for topic, number, offset in places}


@pytest.mark.slow
def test_a_source_goes_on_from_there(kept: dict[str, Any], broker: Broker) -> None:
    topic = broker.create_as(kept["topic"], len(SENT))
    for number, count in enumerate(SENT):
        broker.send(topic, messages(count + 1), number)
    start = {"at": kept["offset"]["at"]}  # the id is of another broker's topic
    read = source(broker.servers, topic)
    rows = between(read, start, read.latest_offset(start, ALL))
    assert rows == [("+I", count, f"s{count % 3}") for count in SENT]


@pytest.mark.slow
def test_notes_of_batches(kept: dict[str, Any], broker: Broker) -> None:
    """Given to another broker they say how far a sink has come."""
    broker.create_as(kept["copies"])
    for note in kept["notes"]:
        assert _read(broker, kept["copies"], note) == (kept["batch"], 0)
    half = kept["half"]
    broker.create_as(half["topic"])
    assert _read(broker, half["topic"], half["note"]) == (half["batch"], half["messages"])


def _read(broker: Broker, topic: str, note: dict[str, Any]) -> tuple[int, int]:
    from confluent_kafka import Consumer, TopicPartition

    member = Consumer({"bootstrap.servers": broker.servers, "group.id": note["group"]})
    place = TopicPartition(topic, 0, note["offset"], *([note["metadata"]] if note["metadata"] else []))
    member.commit(offsets=[place], asynchronous=False)
    member.close()
    producer = Producer({"bootstrap.servers": broker.servers}, note["group"])
    producer.shut_out_others([topic])
    return producer.batch, producer.messages


@pytest.mark.spark
def test_the_job_and_its_topics_are_known(kept: dict[str, Any], tmp_path: Path, spark: Spark) -> None:
    for name in (FILE, DELIVERED):
        (tmp_path / name).write_text(json.dumps(kept[name]), encoding="utf-8")
    environment = TableEnvironment.create(spark, configuration=kept["configuration"])
    *tables, insert = environment.split(kept["script"])
    for table in tables:
        environment.execute_sql(table)
    (statement,) = environment.parse(insert)
    assert isinstance(statement, Insert)
    job = job_of(environment, [plan(environment, statement, insert).physical])
    assert belongs_to(spark.context, str(tmp_path), job)
    sinks = kept[DELIVERED]["sinks"]
    check_identities(spark.context, str(tmp_path), sinks)
    others = {sink: dict.fromkeys(topics, "another") for sink, topics in sinks.items()}
    with pytest.raises(UsageError, match=f"the topic {kept['copies']} was dropped and created again"):
        check_identities(spark.context, str(tmp_path), others)
