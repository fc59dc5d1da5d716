"""A continuous query over a Kafka topic while it is being filled: `make demo-kafka`.

Starts a broker, sends what Canal would send of a table that is written to, and shows each change of the
query's result beside the change that caused it. Ends by itself: with 1 where there is no broker, or what
is left is not what the table's rows add up to.
"""

from __future__ import annotations

import json
import random
import sys
import tempfile
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

from tools.kafka_broker import Broker, NoJarsError

TOPIC = "products_binlog"
TABLE = """\
CREATE TABLE table1 (name STRING, cnt int) WITH ('connector' = 'kafka', 'topic' = 'products_binlog',
'properties.bootstrap.servers' = '127.0.0.1:9092', 'properties.group.id' = 'testGroup',
'scan.startup.mode' = 'earliest-offset', 'format' = 'canal-json')"""
QUERY = "select name, sum(cnt), max(cnt) from table1 group by name"
NAMES = ("Tom", "John", "Ann")
CHANGES = 24
_PAUSE = 0.5
_PATIENCE = 300.0
"""Seconds between two changes, and for all of them."""

Row = dict[str, str]
Sums = dict[str, tuple[int, int]]


@dataclass
class Products:
    """A table, written to at random, and its binlog."""

    random: random.Random
    rows: dict[int, Row] = field(default_factory=dict)
    written: int = 0

    def change(self) -> tuple[str, str]:
        """Write a row, change one or take one away: what was done, and Canal's message of it."""
        self.written += 1
        chance = self.random.random()
        if len(self.rows) < 3 or chance < 0.45:
            row = {"name": self.random.choice(NAMES), "cnt": str(self.random.randint(1, 30))}
            self.rows[self.written] = row
            return f"insert {_text(row)}", _message("INSERT", row)
        key = self.random.choice(sorted(self.rows))
        if chance < 0.75:
            before = self.rows[key]
            self.rows[key] = after = {**before, "cnt": str(int(before["cnt"]) + self.random.randint(1, 9))}
            return f"update {_text(before)} to {after['cnt']}", _message(
                "UPDATE", after, {"cnt": before["cnt"]}
            )
        gone = self.rows.pop(key)
        return f"delete {_text(gone)}", _message("DELETE", gone)

    def sums(self) -> Sums:
        """What the query must answer."""
        found: dict[str, list[int]] = {}
        for row in self.rows.values():
            found.setdefault(row["name"], []).append(int(row["cnt"]))
        return {name: (sum(counts), max(counts)) for name, counts in found.items()}


def _text(row: Row) -> str:
    return f"{row['name']} {row['cnt']}"


def _message(kind: str, row: Row, old: Row | None = None) -> str:
    """As Canal writes it: every value is text, `old` has what an update has changed."""
    now = int(time.time() * 1000)
    rest = {"database": "shop", "table": "products", "isDdl": False, "es": now, "ts": now}
    return json.dumps({"data": [row], "old": None if old is None else [old], "type": kind, **rest})


class Producer:
    """Sends the changes one by one, in a thread of its own. seen: to be set when the first one has changed
    the result, after which the others follow. all_made: set before the last one is sent."""

    def __init__(self, broker: Broker, products: Products) -> None:
        self._broker, self.products = broker, products
        self.seen, self.all_made = threading.Event(), threading.Event()

    def start(self) -> None:
        threading.Thread(target=self._send, daemon=True).start()

    def _send(self) -> None:
        for number in range(CHANGES):
            said, message = self.products.change()
            if number == CHANGES - 1:
                self.all_made.set()
            print(f"  {said}", flush=True)
            self._broker.send(TOPIC, [message])
            self.seen.wait()
            time.sleep(_PAUSE)


def show(servers: str, producer: Producer) -> Sums:
    """Run the script until the result is that of all that was sent, or patience ends: what is left."""
    from firesteel import TableEnvironment

    table = TABLE.replace("127.0.0.1:9092", servers)
    print(f"{table};\n{QUERY};\n\n  {'the table':30}the result", flush=True)
    environment = TableEnvironment.create()
    environment.execute_sql(table)
    result = environment.execute_sql(QUERY)
    impatient = threading.Timer(_PATIENCE, result.cancel)
    impatient.start()
    producer.start()
    left: Sums = {}
    for row in result.collect():
        kind, (name, total, largest) = row.get_row_kind().short, row
        left.pop(name, None)
        if kind in ("+I", "+U"):
            left[name] = (total, largest)
        producer.seen.set()
        print(f"{'':32}{kind}[{name}, {total}, {largest}]", flush=True)
        if producer.all_made.is_set() and left == producer.products.sums():
            break
    impatient.cancel()
    result.cancel()
    return left


def main() -> int:
    print("starting a Kafka broker, then Spark", file=sys.stderr)
    with tempfile.TemporaryDirectory(prefix="firesteel-demo-") as folder:
        try:
            broker = Broker(Path(folder))
        except NoJarsError as error:
            print(f"no demo: there is no Kafka broker, its jars cannot be fetched ({error})", file=sys.stderr)
            return 1
        try:
            broker.create_as(TOPIC)
            producer = Producer(broker, Products(random.Random()))
            left, expected = show(broker.servers, producer), producer.products.sums()
        finally:
            broker.stop()
    print("\nname, sum(cnt), max(cnt) of what is left:")
    for name, (total, largest) in sorted(left.items()):
        print(f"  {name}, {total}, {largest}")
    if left != expected:
        print(f"which should be {expected}", file=sys.stderr)
    return int(left != expected)


if __name__ == "__main__":
    sys.exit(main())
