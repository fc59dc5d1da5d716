"""A pipeline under a load that never rests, Kafka to GROUP BY to a database or to Kafka, in which everything
is killed that can be: what stands at its end is the answer each time.

usage: python -m tests.recovery.pipelines [--sink postgres|leaders|upsert-kafka|debezium]... [--kills N]
    [--worker-kills N] [--broker-restarts N] [--database-restarts N] [--seed N] [--seconds N]
    [--rate N]

`leaders` is another query: a join of two topics, an aggregate and a Top-N, to a table of a database.
Several sinks (all, where none is named) are one job, a statement set: so kills come between them, too.
--seconds: begin nothing more after so many; what has happened by then is told.
--rate: changes a second. While the job is down they wait for it, so a slow machine needs a lower one.
After each kill and restart the load pauses, until the rows that are left are the batch answer. Topics are
followed message by message, as readers of what is committed: none may be there twice or out of turn.
"""

from __future__ import annotations

import argparse
import random
import signal
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from tools.kafka_broker import Broker

from tests.connectors.jdbc.postgres import Postgres
from tests.recovery.faults import kill_run, kill_worker, restart_broker, restart_database
from tests.recovery.feed import PARTITIONS, Feed, Sent
from tests.recovery.queries import LEADERS, SOURCES, TOTALS
from tests.recovery.runs import Run, commits
from tests.recovery.targets import ChangesTopic, Table, Target, UpsertTopic

_INSERTS = """\
EXECUTE STATEMENT SET BEGIN
{inserts}END;
"""
_PATIENCE = 600.0
"""Seconds in which a micro-batch must come, and the answer stand there, on a machine that does other work."""
_DRIVERS = ("python", "jvm", "both")
SINKS = ("postgres", "leaders", "upsert-kafka", "debezium")
_TABLES = {"postgres": TOTALS, "leaders": LEADERS}
"""Queries whose rows go to tables of PostgreSQL."""


@dataclass
class Pipeline:
    """A job, its load and its targets, by their tables' names. server: of a database among them."""

    folder: Path
    broker: Broker
    feed: Feed
    targets: dict[str, Target]
    server: Postgres | None
    settings: tuple[str, ...] = ()
    ended: int = 0
    """Runs that ended though nobody killed them."""
    run: Run = field(init=False)

    def __post_init__(self) -> None:
        topics = {"topic": self.feed.topic, "teams": self.feed.teams_topic}
        script = SOURCES.format(servers=self.broker.servers, **topics)
        script += "".join(target.declaration for target in self.targets.values())
        inserts = "".join(f"INSERT INTO {name} {to.query.text};\n" for name, to in self.targets.items())
        (self.folder / "job.sql").write_text(script + _INSERTS.format(inserts=inserts))
        self.begin()

    @property
    def checkpoint(self) -> Path:
        return self.folder / "checkpoint"

    def begin(self) -> None:
        """Start the job, or start it again."""
        options = ("--checkpoint", self.checkpoint, *self.settings)
        self.run = Run("firesteel.cli.main", "run", self.folder / "job.sql", *options)

    def works(self, batches: int = 1) -> None:
        """Wait for so many micro-batches more. A run that fails is started again, once."""
        self._await(partial(_reached, self.checkpoint, commits(self.checkpoint) + batches), "no micro-batch")

    def agrees(self) -> None:
        """Pause the load until the rows that are left are the answer. Raises AssertionError with what
        differs."""
        sent = self.feed.pause()
        try:
            for name, target in self.targets.items():
                self._await(partial(_stands, target, sent), f"{name} is not the answer")
        finally:
            self.feed.go_on()

    def _await(self, condition: Callable[[], bool], otherwise: str) -> None:
        end = time.monotonic() + _PATIENCE
        while not condition():
            if self.run.poll() is not None:
                self.ended += 1
                print(f"    it ended: {self.run.said[-600:].strip()}", flush=True)
                self.begin()
            assert time.monotonic() < end, f"{otherwise} after {_PATIENCE:.0f} s: {self.run.said[-3000:]}"
            time.sleep(0.05)


def _stands(target: Target, sent: Sent) -> bool:
    return target.left() == target.query.answer(sent)


def _reached(checkpoint: Path, wanted: int) -> bool:
    return commits(checkpoint) >= wanted


@contextmanager
def pipeline(sinks: Sequence[str], folder: Path, seed: int = 1, rate: int = 200) -> Iterator[Pipeline]:
    """A pipeline at work. rate: changes a second."""
    broker = Broker(folder)
    server = Postgres() if _TABLES.keys() & {*sinks} else None
    try:
        feed = Feed(broker, seed, rate)
        targets: dict[str, Target] = {}
        for sink in sinks:
            name = f"to_{sink.replace('-', '_')}"
            if sink in _TABLES:
                assert server is not None
                targets[name] = Table(name, server, _TABLES[sink])
            else:
                targets[name] = {"upsert-kafka": UpsertTopic, "debezium": ChangesTopic}[sink](name, broker)
        made = Pipeline(folder, broker, feed, targets, server)
        try:
            yield made
        finally:
            feed.stop()
            made.run.kill()
            made.run.wait()
    finally:
        broker.stop()
        if server is not None:
            server.remove()


@dataclass(frozen=True)
class Numbers:
    """How often what happens."""

    kills: int = 0
    worker_kills: int = 0
    broker_restarts: int = 0
    database_restarts: int = 0


def run(
    sinks: Sequence[str],
    folder: Path,
    numbers: Numbers,
    seed: int = 1,
    seconds: float = float("inf"),
    rate: int = 200,
) -> str:
    """All of it, in random order; what happened. Raises AssertionError where something is lost or doubled."""
    chance = random.Random(seed)
    happened: Counter[str] = Counter()
    end = time.monotonic() + seconds
    with pipeline(sinks, folder, seed, rate) as line:
        line.works()
        faults: list[Callable[[], str]] = [
            *[partial(kill_run, line, chance, _DRIVERS[n % 3]) for n in range(numbers.kills)],
            *[partial(kill_worker, line, chance)] * numbers.worker_kills,
            *[partial(restart_broker, line, chance, bool(n % 2)) for n in range(numbers.broker_restarts)],
        ]
        if (server := line.server) is not None:
            faults += [
                partial(restart_database, line, server, chance, bool(n % 2))
                for n in range(numbers.database_restarts)
            ]
        chance.shuffle(faults)
        for fault in faults:
            if (began := time.monotonic()) > end:
                break
            told = fault()
            happened[told] += 1
            line.works()
            line.agrees()
            print(f"  {told}: the answer {time.monotonic() - began:.0f} s later", flush=True)
        line.agrees()
        text = ", ".join(f"{count} x {what}" for what, count in sorted(happened.items()))
        return (
            f"{', '.join(sinks)}: {line.feed.sent} changes in {PARTITIONS} partitions, "
            f"{commits(line.checkpoint)} micro-batches; {text}; "
            f"{line.ended} runs ended by themselves; the answer each time"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--sink", choices=SINKS, action="append")
    parser.add_argument("--kills", type=int, default=30)
    parser.add_argument("--worker-kills", type=int, default=10)
    parser.add_argument("--broker-restarts", type=int, default=5)
    parser.add_argument("--database-restarts", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=float("inf"))
    parser.add_argument("--rate", type=int, default=200)
    given = parser.parse_args()
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # servers are stopped then, too
    numbers = Numbers(given.kills, given.worker_kills, given.broker_restarts, given.database_restarts)
    with tempfile.TemporaryDirectory() as folder:
        text = run(given.sink or SINKS, Path(folder), numbers, given.seed, given.seconds, given.rate)
        print(text, flush=True)


if __name__ == "__main__":
    main()
