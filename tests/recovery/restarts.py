"""A job from Kafka to PostgreSQL that comes back by itself, whatever is killed: nobody starts it again.

usage: python -m tests.recovery.restarts [--kills N] [--seed N] [--seconds N] [--away N]
    [--patience N]

Kills in random order: a Python worker, the JVM, the broker, the database, and the network between the job and
the database. --away: seconds for which every fifth broker, database or network is away, longer than the
connectors' retries. After each the load pauses until the table is the batch answer. --seconds: begin nothing
more after so many.
"""

from __future__ import annotations

import argparse
import random
import signal
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, cast

from tools.kafka_broker import Broker

from tests.connectors.jdbc.postgres import Postgres
from tests.recovery import pipelines
from tests.recovery.faults import _command, _kill, descendants
from tests.recovery.feed import Feed
from tests.recovery.network import Link, LinkedPostgres
from tests.recovery.pipelines import Pipeline
from tests.recovery.runs import commits
from tests.recovery.targets import Table

KINDS = ("worker", "jvm", "broker", "database", "network")
_SHORT_SECONDS = 6.0
_LONG_EVERY = 5
SETTINGS = (
    *("--set", "restart-strategy.exponential-delay.initial-backoff=200 ms"),
    *("--set", "restart-strategy.exponential-delay.max-backoff=3 s"),
    *("--set", "parallelism.default=2"),
)


@dataclass(frozen=True)
class Around:
    """What stands around a job, and can be away for a while."""

    broker: Broker
    server: Postgres
    link: Link

    @property
    def linked(self) -> Postgres:
        """Return the database as jobs reach it: over the network."""
        linked: Any = LinkedPostgres(self.server, self.link)
        return cast("Postgres", linked)

    def strike(self, kind: str, processes: Sequence[int], chance: random.Random, seconds: float) -> None:
        """Kill something of a job, or around it.

        Args:
            kind: One of KINDS.
            processes: Those of the job, without its driver.
            chance: Chooses the worker, and whether the broker ends in order.
            seconds: For which it is away, of what the job does not start itself.
        """
        if kind in ("worker", "jvm"):
            found = [each for each in processes if _is(each, kind)]
            for victim in found if kind == "jvm" else [chance.choice(found)]:
                _kill(victim)
            return
        end, begin = {
            "broker": (partial(self.broker.stop, chance.random() < 0.5), self.broker.start),
            "database": (partial(self.server.stop, "immediate"), self.server.start),
            "network": (self.link.cut, self.link.mend),
        }[kind]
        end()
        time.sleep(seconds)
        begin()


@contextmanager
def surroundings(folder: Path) -> Iterator[Around]:
    """Start a broker, whose data is in a folder, a database and a network to it."""
    with ExitStack() as ends:
        broker = Broker(folder)
        ends.callback(broker.stop)
        server = Postgres()
        ends.callback(server.remove)
        link = Link(server.port)
        ends.callback(link.close)
        yield Around(broker, server, link)


def _is(pid: int, kind: str) -> bool:
    return ("java" in "".join(_command(pid)[:1])) == (kind == "jvm")


@dataclass
class Restarting:
    """A pipeline, and what can be killed of it."""

    line: Pipeline
    around: Around

    @property
    def restarts(self) -> int:
        """How often the job has said that it restarts."""
        return self.line.run.said.count("Restart ")

    def kill(self, kind: str, chance: random.Random, seconds: float) -> None:
        """Kill something at a random moment (see `Around.strike`)."""
        time.sleep(chance.uniform(0, 1.5))
        self.around.strike(kind, descendants(self.line.run.pid), chance, seconds)


@contextmanager
def restarting(folder: Path, seed: int = 1, rate: int = 200) -> Iterator[Restarting]:
    """A job at work. rate: changes a second."""
    with surroundings(folder) as around, ExitStack() as ends:
        feed = Feed(around.broker, seed, rate)
        ends.callback(feed.stop)
        table = Table("to_postgres", around.linked)
        line = Pipeline(folder, around.broker, feed, {"to_postgres": table}, around.server, SETTINGS)
        ends.callback(lambda: (line.run.kill(), line.run.wait()))
        line.works()
        yield Restarting(line, around)


def run(
    folder: Path, kinds: list[str], seed: int = 1, seconds: float = float("inf"), away: float = 0.0
) -> str:
    """Kill one after the other; what has happened. Raises AssertionError where the answer or job is lost."""
    chance = random.Random(seed)
    happened: Counter[str] = Counter()
    began = time.monotonic()
    with restarting(folder, seed) as job:
        for number, kind in enumerate(kinds):
            if time.monotonic() - began > seconds:
                break
            is_long = away and number % _LONG_EVERY == _LONG_EVERY - 1
            once, before = time.monotonic(), job.restarts
            job.kill(kind, chance, away if is_long else chance.uniform(0, _SHORT_SECONDS))
            job.line.works()
            job.line.agrees()
            assert not job.line.ended, f"the job ended: {job.line.run.said[-3000:]}"
            happened[kind] += 1
            took = f"{time.monotonic() - once:.0f} s"
            said = f"  {kind}: {job.restarts - before} restarts, the answer {took} later"
            print(said, flush=True)
        assert "Traceback" not in job.line.run.said, job.line.run.said[-5000:]
        text = ", ".join(f"{count} x {kind}" for kind, count in sorted(happened.items()))
        return (
            f"{job.line.feed.sent} changes, {commits(job.line.checkpoint)} micro-batches; killed: {text}; "
            f"{job.restarts} restarts of one process; the answer each time"
        )


def drawn(kills: int, seed: int) -> list[str]:
    """So many kinds in random order, each about as often as the others."""
    found = [KINDS[n % len(KINDS)] for n in range(kills)]
    random.Random(seed).shuffle(found)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=float("inf"))
    parser.add_argument("--away", type=float, default=90.0)
    parser.add_argument("--patience", type=float, default=200.0, help="seconds, on a slow machine more")
    given = parser.parse_args()
    pipelines._PATIENCE = given.patience
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # servers are stopped then, too
    with tempfile.TemporaryDirectory() as folder:
        kinds = drawn(given.kills, given.seed)
        print(run(Path(folder), kinds, given.seed, given.seconds, given.away), flush=True)


if __name__ == "__main__":
    main()
