"""How long a change takes from its source to where its result shows, on the stream host with a checkpoint.

usage: python -m benchmarks.latency [--count N] [--set KEY=VALUE]... [files|kafka|postgres]

files: a file of a few canal-json messages is renamed into a watched folder every 0.7 s, and a line of the
print connector tells of it. kafka: 1,000 canal-json messages a second come into a topic, upsert-kafka writes
another, exactly once, whose reader sees committed messages only. postgres: the same into a table, looked at
every 20 ms. Every message holds the time at which it was made; the query is one GROUP BY whose MAX under
retraction gives that time back.

Prints median, 90th and 99th percentile and the longest, in seconds, and what starting took. What comes in the
first seconds, while the JVM warms up, is left out.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

FILES, PAUSE = 200, 0.7
"""Files that count, and seconds between them."""
RATE, SECONDS = 1000, 60
"""Messages a second, and for how long they count."""
WARM_FILES, WARM_SECONDS = 20, 15
KEYS = 1000
LOOK = 0.02
PATIENCE = 120.0

ORDERS = "CREATE TABLE orders (id BIGINT, name STRING, cnt INT, sent BIGINT) WITH ({options});\n"
QUERY = "INSERT INTO totals SELECT name, SUM(cnt), MAX(sent) FROM orders GROUP BY name;\n"
RESULT = "CREATE TABLE totals (name STRING, total INT, sent BIGINT{key}) WITH ({options});\n"
KEY = ", PRIMARY KEY (name) NOT ENFORCED"

Latencies = list[float]


class Failed(Exception):
    """The job ended, or shows nothing."""


def options(**values: str) -> str:
    """As WITH has them; an underscore stands for a dot."""
    return ", ".join(f"'{key.replace('_', '.')}' = '{value}'" for key, value in values.items())


class Table:
    """A table that changes, as Canal tells of it: rows hold their key, a count and when that was written."""

    def __init__(self) -> None:
        self._rows: dict[int, tuple[int, int]] = {}

    def changes(self, number: int, sent: int) -> list[str]:
        """Change `number`: a row comes; each fourth time one of a second ago is written again, and one
        of four seconds ago goes."""
        found = [self.insert(number, number, sent)]
        if number % 4 == 0 and number > KEYS:
            found.append(self.update(number - KEYS + 1, number, sent))
        if number % 4 == 1 and number > 4 * KEYS:
            found.append(self._delete(number - 4 * KEYS, sent))
        return found

    def insert(self, row: int, cnt: int, sent: int) -> str:
        self._rows[row] = cnt, sent
        return _message("INSERT", row, cnt, sent, sent)

    def update(self, row: int, cnt: int, sent: int) -> str:
        before = self._rows[row]
        self._rows[row] = cnt, sent
        old = f'[{{"cnt":"{before[0]}","sent":"{before[1]}"}}]'
        return _message("UPDATE", row, cnt, sent, sent, old)

    def _delete(self, row: int, at: int) -> str:
        return _message("DELETE", row, *self._rows.pop(row), at)


def _message(kind: str, row: int, cnt: int, sent: int, at: int, old: str = "null") -> str:
    data = f'{{"id":"{row}","name":"name-{row % KEYS}","cnt":"{cnt}","sent":"{sent}"}}'
    head = f'"database":"shop","table":"orders","isDdl":false,"es":{at},"ts":{at}'
    return f'{{"data":[{data}],"old":{old},"type":"{kind}",{head}}}'


@contextmanager
def running(script: str, settings: list[str]) -> Iterator[subprocess.Popen[str]]:
    """`firesteel run` with a checkpoint; killed at the end."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        job = Path(folder) / "job.sql"
        job.write_text(script, encoding="utf-8")
        command = [sys.executable, "-m", "firesteel.cli.main", "run", str(job)]
        command += ["--checkpoint", f"{folder}/checkpoint"]
        for setting in settings:
            command += ["--set", setting]
        with (
            (Path(folder) / "stderr").open("w+") as told,
            subprocess.Popen(command, stdout=subprocess.PIPE, stderr=told, text=True) as process,
        ):
            try:
                yield process
            except Failed as error:
                told.seek(0)
                raise Failed(f"{error}: {told.read()[-2000:]}") from None
            finally:
                process.terminate()
                process.wait(PATIENCE)


def until(condition: Callable[[], bool], process: subprocess.Popen[str]) -> None:
    """Wait for it. Raises Failed where it does not come, or the job ends."""
    end = time.monotonic() + PATIENCE
    while not condition():
        if process.poll() is not None or time.monotonic() > end:
            raise Failed("the job shows nothing" if process.poll() is None else "the job has ended")
        time.sleep(0.005)


# --- files ---
def of_files(count: int, settings: list[str]) -> Latencies:
    """From the rename of a file to its line."""
    with tempfile.TemporaryDirectory() as folder:
        source = options(connector="filesystem", path=folder, format="canal-json")
        source += ", 'source.monitor-interval' = '1 s', 'source.path.regex-pattern' = '.*[.]json'"
        script = ORDERS.format(options=source) + RESULT.format(key="", options=options(connector="print"))
        shown: dict[int, float] = {}
        begun = time.time()
        with running(script + QUERY, settings) as process:
            threading.Thread(target=_read_lines, args=(process, shown), daemon=True).start()
            table = Table()
            renamed = [_put_file(Path(folder), table, 0)]
            until(lambda: 0 in shown, process)
            print(f"  {'start':<9} {shown[0] - begun:.2f} s to the first line", flush=True)
            for number in range(1, WARM_FILES + count):
                time.sleep(PAUSE)
                renamed.append(_put_file(Path(folder), table, number))
            until(lambda: len(shown) >= len(renamed), process)
        return [shown[number] - at for number, at in enumerate(renamed)][WARM_FILES:]


def _put_file(folder: Path, table: Table, number: int) -> float:
    """File `number`: when it was renamed. `sent` is its number; a row of the file before is updated."""
    rows = [table.insert(number * 3 + each, each, number) for each in range(3)]
    if number:
        rows.append(table.update(number * 3 - 1, 7, number))
    hidden = folder / f"{number:06}.part"
    hidden.write_text("".join(f"{row}\n" for row in rows), encoding="utf-8")
    at = time.time()
    hidden.rename(hidden.with_suffix(".json"))
    return at


def _read_lines(process: subprocess.Popen[str], shown: dict[int, float]) -> None:
    assert process.stdout is not None
    for line in process.stdout:
        number = int(line.rsplit(",", 1)[1].strip(" ]\n"))
        shown.setdefault(number, time.time())


# --- topics ---
def _now() -> int:
    """In microseconds, so that hardly two messages have the same."""
    return time.time_ns() // 1000


class Feeder:
    """Sends RATE changes a second to a topic, until it is stopped."""

    def __init__(self, servers: str, topic: str) -> None:
        from confluent_kafka import Producer

        self._producer = Producer({"bootstrap.servers": servers, "linger.ms": 5})
        self._topic = topic
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        begun, number, table = time.monotonic(), 0, Table()
        while not self._stopped.wait(0.002):
            while number < (time.monotonic() - begun) * RATE:
                for message in table.changes(number, _now()):
                    self._producer.produce(self._topic, message)
                number += 1
            self._producer.poll(0)

    def stop(self) -> None:
        self._stopped.set()
        self._thread.join()


@contextmanager
def fed(sink: str, settings: list[str]) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """A broker and a job whose topic is being fed. sink: the CREATE TABLE of `totals`, in which {servers}
    stands for the broker's address; it reads from the topic `orders` and may write to `totals`."""
    from tools.kafka_broker import Broker

    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        broker = Broker(Path(folder))
        try:
            for topic in ("orders", "totals"):
                broker.create_as(topic, 1)
            feeder = Feeder(broker.servers, "orders")
            source = options(connector="kafka", topic="orders", format="canal-json")
            source += f", 'properties.bootstrap.servers' = '{broker.servers}'"
            source += ", 'scan.startup.mode' = 'earliest-offset'"
            script = ORDERS.format(options=source) + sink.replace("{servers}", broker.servers) + QUERY
            with running(script, settings) as process:
                yield broker.servers, process
            feeder.stop()
        finally:
            broker.stop()


def of_kafka(count: int, settings: list[str]) -> Latencies:
    """From a message of one topic to that of another."""
    from confluent_kafka import Consumer

    sink = options(connector="upsert-kafka", topic="totals") + (
        ", 'key.format' = 'json', 'value.format' = 'json', 'properties.bootstrap.servers' = '{servers}'"
        ", 'sink.delivery-guarantee' = 'exactly-once', 'sink.transactional-id-prefix' = 'latency'"
    )
    with fed(RESULT.format(key=KEY, options=sink), settings) as (servers, process):
        consumer = Consumer(
            {"bootstrap.servers": servers, "group.id": "latency", "isolation.level": "read_committed",
             "auto.offset.reset": "earliest", "fetch.wait.max.ms": 100}
        )  # fmt: skip
        consumer.subscribe(["totals"])

        def look() -> Iterator[tuple[str, int]]:
            for message in consumer.consume(10_000, LOOK):
                if message.error() is None and message.value():
                    row = json.loads(message.value() or b"")
                    yield row["name"], row["sent"]

        found = _followed(look, count, process)
        consumer.close()
        return found


def of_postgres(count: int, settings: list[str]) -> Latencies:
    """From a message of a topic to its row in a table."""
    from tests.connectors.jdbc.postgres import PASSWORD, USER, Postgres

    server = Postgres()
    try:
        with server.connect() as connection:
            connection.execute("CREATE TABLE totals (name TEXT PRIMARY KEY, total INT, sent BIGINT)")
            sink = options(connector="jdbc", url=server.url, table__name="totals").replace("..", "-")
            sink += f", 'username' = '{USER}', 'password' = '{PASSWORD}'"
            newest = 0

            def look() -> Iterator[tuple[str, int]]:
                nonlocal newest
                time.sleep(LOOK)
                query = "SELECT name, sent FROM totals WHERE sent > %s"
                for name, sent in connection.execute(query, (newest - 10_000_000,)).fetchall():
                    newest = max(newest, sent)
                    yield name, sent

            with fed(RESULT.format(key=KEY, options=sink), settings) as (_, process):
                return _followed(look, count, process)
    finally:
        server.remove()


def _followed(
    look: Callable[[], Iterator[tuple[str, int]]], seconds: int, process: subprocess.Popen[str]
) -> Latencies:
    """How old a key's newest change was when it was seen, from some seconds after the first on."""
    begun = time.monotonic()
    found: list[float] = []
    known: dict[str, int] = {}
    first = 0.0
    while not first or time.monotonic() < first + WARM_SECONDS + seconds:
        seen = {name: sent for name, sent in look() if sent > known.get(name, 0)}
        at = _now()
        known |= seen
        if seen and not first:
            first = time.monotonic()
            print(f"  {'start':<9} {first - begun:.2f} s to the first row", flush=True)
        if process.poll() is not None or (not first and time.monotonic() > begun + PATIENCE):
            raise Failed("the job shows nothing")
        if first and time.monotonic() > first + WARM_SECONDS:
            found += [(at - sent) / 1e6 for sent in seen.values()]
    return found


WAYS = {"files": (of_files, FILES), "kafka": (of_kafka, SECONDS), "postgres": (of_postgres, SECONDS)}


def show(name: str, found: Latencies) -> None:
    """One line."""
    ordered = sorted(found)
    at = {share: ordered[min(len(ordered) - 1, int(len(ordered) * share / 100))] for share in (50, 90, 99)}
    shares = ", ".join(f"{'median' if share == 50 else f'p{share}'} {at[share]:.3f}" for share in at)
    print(f"  {name:<9} {shares}, longest {ordered[-1]:.3f} s of {len(ordered):,}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--count", type=int, default=0, help="files, or seconds, that count")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="a setting")
    parser.add_argument("name", nargs="*", metavar="WAY", help=f"of {', '.join(WAYS)}; all if none is named")
    given = parser.parse_args()
    for name in given.name or list(WAYS):
        way, count = WAYS[name]
        show(name, way(given.count or count, given.set))


if __name__ == "__main__":
    main()
