"""What a job between topics leaves in its checkpoint and with the broker: offsets, and notes of batches.

A broker of the past cannot be kept, so what was recorded is read again without it, or given to a new one
(tests/connectors/kafka/test_kept_notes.py).
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tools.kafka_broker import Broker

from firesteel.connectors.kafka import transactions
from firesteel.connectors.kafka.transactions import Transactions
from tests.connectors.kafka.reading import ALL, source
from tests.recovery.kept_run import Run, logged, places

if TYPE_CHECKING:
    from firesteel.spark.launch.launch import Spark

SENT = (10, 5)
"""Messages that the job reads, by partition."""
_PREFIX = "kept"
SCRIPT = """\
CREATE TABLE numbers (a INT, s STRING) WITH ('connector' = 'kafka', 'topic' = '{topic}',
  'properties.bootstrap.servers' = '{servers}', 'scan.startup.mode' = 'earliest-offset', 'format' = 'json');
CREATE TABLE copies (s STRING, n BIGINT, PRIMARY KEY (s) NOT ENFORCED) WITH ('connector' = 'upsert-kafka',
  'topic' = '{copies}', 'properties.bootstrap.servers' = '{servers}', 'key.format' = 'json',
  'value.format' = 'json', 'sink.delivery-guarantee' = 'exactly-once',
  'sink.transactional-id-prefix' = 'kept');
INSERT INTO copies SELECT s, COUNT(*) FROM numbers GROUP BY s
"""


def keep_kafka(spark: Spark, configuration: dict[str, str], path: Path) -> None:
    """Write the record of such a job as JSON."""
    with tempfile.TemporaryDirectory() as folder:
        broker = Broker(Path(folder))
        try:
            kept = _job(spark, broker, configuration, Path(folder) / "job") | {
                "places": list(_places(broker)),
                "half": _half(broker),
            }
        finally:
            broker.stop()
    path.write_text(json.dumps(kept, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def messages(count: int) -> list[bytes]:
    """Of a partition, in their order."""
    return [json.dumps({"a": n, "s": f"s{n % 3}"}).encode() for n in range(count)]


def _job(spark: Spark, broker: Broker, configuration: dict[str, str], base: Path) -> dict[str, Any]:
    topic, copies = broker.create("numbers", len(SENT)), broker.create("copies")
    for number, count in enumerate(SENT):
        broker.send(topic, messages(count), number)
    base.mkdir()
    script = SCRIPT.format(topic=topic, copies=copies, servers=broker.servers)
    (base / "script.sql").write_text(script, encoding="utf-8")
    (base / "job.json").write_text(json.dumps(configuration), encoding="utf-8")
    at = {topic: {str(number): count for number, count in enumerate(SENT)}}
    run = Run(spark, base)
    run.wait(lambda: [place["at"] for place in places(base)] == [at])
    run.stop()
    (folder,) = (base / "checkpoint").iterdir()
    job = json.loads((folder / "firesteel.json").read_text(encoding="utf-8"))
    groups = [f"{_PREFIX}-{job['id']}-{task}" for task in range(2)]
    return {
        "script": script,
        "configuration": configuration,
        "topic": topic,
        "copies": copies,
        "offset": places(base)[0],
        "batch": int(logged(base, "commits")[-1].name),
        "firesteel.json": job,
        "delivered": json.loads((folder / "delivered").read_text(encoding="utf-8")),
        "notes": [_note(broker, group, copies) for group in groups],
    }


def _note(broker: Broker, group: str, topic: str) -> dict[str, Any]:
    """What a consumer group has committed in the first partition of a topic."""
    from confluent_kafka import Consumer, TopicPartition

    member = Consumer({"bootstrap.servers": broker.servers, "group.id": group})
    (found,) = member.committed([TopicPartition(topic, 0)], 30)
    member.close()
    return {"group": group, "offset": found.offset, "metadata": found.metadata}


def _places(broker: Broker) -> Iterator[dict[str, Any]]:
    """Offsets of all forms."""
    from confluent_kafka.admin import NewPartitions

    topic = broker.create("grows")
    broker.send(topic, messages(4))
    begun = source(broker.servers, topic).latest_offset({"at": {topic: {"0": 1}}}, ALL)
    yield {"offset": begun, "at": [[topic, 0, 4]]}
    bounded = source(broker.servers, topic, scan_bounded_mode="latest-offset")
    yield {"offset": bounded.initial_offset(), "at": [[topic, 0, 0]], "ends": [[topic, 0, 4]]}
    waiting = source(
        broker.servers,
        topic,
        scan_bounded_mode="specific-offsets",
        scan_bounded_specific__offsets="partition:0,offset:9",
    )
    at = {**waiting.initial_offset(), "at": {topic: {"0": 4}}}
    waits = waiting.latest_offset(at, ALL)
    yield {"offset": waits, "at": [[topic, 0, 4]], "ends": [[topic, 0, 9]], "waits": 1}
    broker.admin.create_partitions([NewPartitions(topic, 2)])[topic].result(30)
    broker.send(topic, messages(3), 1)
    grown = source(broker.servers, topic).latest_offset(begun, ALL)
    yield {"offset": grown, "at": [[topic, 0, 4], [topic, 1, 3]], "begins": [[topic, 1, 0]]}


def _half(broker: Broker) -> dict[str, Any]:
    """The note of a batch of which a part is sent."""
    topic = broker.create("half")
    record = (topic, None, b"{}", None, None)
    most, transactions._MESSAGES = transactions._MESSAGES, 3
    try:
        begun = Transactions({"bootstrap.servers": broker.servers}, "half", 0, [topic], None)
        for _ in range(4):
            begun.add([record])
        begun.abort()
    finally:
        transactions._MESSAGES = most
    return {"topic": topic, "batch": -1, "messages": 3, "note": _note(broker, "half", topic)}
