"""Fills a topic at a steady rate: python -m benchmarks.kafka_producer SERVERS TOPIC MESSAGES_A_SECOND

Canal messages of the plain shape, over and over: a round of them ends with the table empty, so the next one
goes on with a valid history and the state behind it stays as large as it is. Ends with its input.
"""

from __future__ import annotations

import json
import random
import sys
import threading
import time

from benchmarks.kafka_topics import PARTITIONS

ROUND = 200_000
"""Messages of a partition before they begin anew."""
LIVE = 25_000
"""Rows of a partition's table in the middle of a round."""
NAMES = 100_000
_TICK = 0.02
"""Seconds between two batches."""

Batch = list[dict[str, bytes]]


def history(seed: int) -> Batch:
    """A round of one partition: rows come, are changed and replaced, and go."""
    chance = random.Random(seed)
    live: list[tuple[int, int, int]] = []
    made: Batch = []
    while ROUND - len(made) > len(live):
        dice = chance.random()
        if len(live) < 10 or (dice < 0.6 and len(live) < LIVE):
            row = (len(made) * PARTITIONS + seed, chance.randrange(NAMES), chance.randrange(1000))
            live.append(row)
            made.append(_message("INSERT", row))
        elif dice < 0.8:
            at = chance.randrange(len(live))
            key, name, before = live[at]
            live[at] = (key, name, chance.randrange(1000))
            made.append(_message("UPDATE", live[at], {"cnt": str(before)}))
        else:
            made.append(_message("DELETE", live.pop()))
    made += [_message("DELETE", row) for row in live]
    return made


def _message(kind: str, row: tuple[int, int, int], old: dict[str, str] | None = None) -> dict[str, bytes]:
    data = {"id": str(row[0]), "name": f"name-{row[1]}", "cnt": str(row[2])}
    now = 1_760_000_000_000
    rest = {"database": "shop", "table": "orders", "isDdl": False, "es": now, "ts": now + 1}
    message = {"data": [data], "old": None if old is None else [old], "type": kind, **rest}
    return {"value": json.dumps(message, separators=(",", ":")).encode()}


def produce(servers: str, topic: str, rate: int, stop: threading.Event) -> None:
    """Send until told to stop. A machine that is too busy for the rate catches up later."""
    from confluent_kafka import Producer

    producer = Producer(
        {"bootstrap.servers": servers, "linger.ms": 5, "queue.buffering.max.messages": 10_000_000}
    )
    rounds = [history(seed) for seed in range(PARTITIONS)]
    sent, began = 0, time.monotonic()
    while not stop.wait(_TICK):
        due = int((time.monotonic() - began) * rate) // PARTITIONS
        while sent < due:
            first = sent % ROUND
            last = min(ROUND, first + due - sent)
            for partition, messages in enumerate(rounds):
                producer.produce_batch(topic, messages[first:last], partition=partition)
            sent += last - first
        producer.poll(0)
    producer.flush(30)


def main(servers: str, topic: str, rate: int) -> None:
    stop = threading.Event()

    def until_told() -> None:
        sys.stdin.read()
        stop.set()

    threading.Thread(target=until_told, daemon=True).start()
    produce(servers, topic, rate, stop)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
