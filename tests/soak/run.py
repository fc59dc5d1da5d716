"""A soak from its beginning to its end: what is started, what is checked."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.recovery.restarts import Around, surroundings
from tests.recovery.targets import Table
from tests.soak.churn import Churn, plan
from tests.soak.feed import SoakFeed
from tests.soak.job import Job
from tests.soak.queries import CHANGES, ORDERS, RECENT, TOTALS, WINDOWS
from tests.soak.samples import EVENTS, SAMPLES, Event, Recorder, Sample, read
from tests.soak.summary import Summary

_STEPS = 1_200
"""Samples of a long soak, about."""
_LONG_SECONDS = 1_800.0
"""From this length on, what is away is sometimes away longer than the connectors' retries."""
_AWAY_SECONDS = 90.0
_LATE = "firesteel_late_records_dropped_total"


@dataclass(frozen=True)
class Options:
    """How a soak runs.

    Attributes:
        seconds: Its length, without the start and the checks at the end.
        rate: Messages a second.
        seed: Seed of what is sent and of the kills.
        patience: Seconds in which a micro-batch must come, and the answers at the end.
        every: Seconds between two kills.
        ttl: Seconds of the time to live of state.
    """

    seconds: float
    rate: int = 300
    seed: int = 1
    patience: float = 600.0
    every: float = 150.0
    ttl: int = 600


@contextmanager
def started(folder: Path, options: Options) -> Iterator[tuple[list[Job], Around, SoakFeed]]:
    """Start everything, and wait until each job has made a micro-batch."""
    with surroundings(folder) as around, ExitStack() as ends:
        feed = SoakFeed(around.broker, options.seed, options.rate)
        ends.callback(feed.stop)
        servers = around.broker.servers
        changes = CHANGES.format(changes=feed.changes, teams=feed.teams, servers=servers)
        orders = ORDERS.format(orders=feed.orders, servers=servers, ttl=options.ttl)
        parts = {
            "totals": (changes, {"totals": TOTALS}, (feed.changes, feed.teams)),
            "recent": (orders, {"recent": RECENT, "windows": WINDOWS}, (feed.orders,)),
        }
        jobs = []
        for name, (head, queries, topics) in parts.items():
            (folder / name).mkdir()
            tables = {table: Table(table, around.linked, query) for table, query in queries.items()}
            jobs.append(Job(name, folder / name, head, tables, topics, feed, options.patience))
            ends.callback(jobs[-1].kill)
        feed.begin()
        for job in jobs:
            job.begin()
        for job in jobs:
            job.works()
        yield jobs, around, feed


def soak(folder: Path, out: Path, options: Options) -> list[str]:
    """Run a soak, print a summary, and return what is wrong.

    Args:
        folder: For the broker's data and the checkpoints.
        out: For the samples, the events, the summary and what the jobs have said.
        options: How it runs.
    """
    wrong: list[str] = []
    length = options.seconds
    with started(folder, options) as (jobs, around, feed):
        try:
            with Recorder(out, jobs, max(1.0, options.seconds / _STEPS)) as recorder:
                away = _AWAY_SECONDS if options.seconds >= _LONG_SECONDS else 0.0
                steps = plan(options.seconds, options.every, options.seed, away, len(jobs))
                churn = Churn(jobs, around, recorder, random.Random(options.seed))
                churn.run(steps)
                churn.wait(options.seconds)
                length = recorder.now
                wrong += _end(jobs, feed)
        except Exception as error:  # the samples up to here are worth a summary
            wrong.append(f"{type(error).__name__}: {error}")
        finally:
            for job in jobs:
                (out / f"{job.name}.log").write_text(job.said, encoding="utf-8")
    wrong += [
        f"{job.name} has said a Traceback, see {job.name}.log" for job in jobs if "Traceback" in job.said
    ]
    summary = Summary(read(out, SAMPLES, Sample), read(out, EVENTS, Event), length, options.ttl)
    restarts = ", ".join(f"{job.name} {job.restarts}" for job in jobs)
    text = f"{summary.text()}\nrestarts by themselves: {restarts}"
    wrong += summary.wrong()
    print(text, flush=True)
    (out / "summary.txt").write_text(f"{text}\n" + "".join(f"WRONG: {each}\n" for each in wrong))
    return wrong


def _end(jobs: list[Job], feed: SoakFeed) -> list[str]:
    """End the load, hold all tables against their answers, and stop the jobs. Return what is wrong."""
    wrong = []
    sent, began = feed.finish(), time.monotonic()
    for job in jobs:
        try:
            job.check(sent)
            if (late := job.metric(_LATE)) > 0:
                wrong.append(f"{job.name} dropped {late:.0f} rows as late")
            job.stop()
        except AssertionError as error:
            wrong.append(str(error))
    if not wrong:
        counts = ", ".join(f"{len(t.query.answer(sent)):,} of {n}" for j in jobs for n, t in j.tables.items())
        print(f"the answers, {time.monotonic() - began:.0f} s after the last message: {counts}", flush=True)
    return wrong
