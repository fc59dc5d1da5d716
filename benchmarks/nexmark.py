"""The Nexmark queries as whole processes on Firesteel, Flink and Spark. See --help.

Engines take turns. Each query runs over a quarter of the events and over all of them: the last three quarters
give the throughput of a warm job, without the start.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks import engines
from benchmarks.__main__ import FIRESTEEL, FLINK, throughput
from benchmarks.engines import Failed
from benchmarks.nexmark_data import events
from benchmarks.nexmark_scripts import QUERIES, REFUSED, script, select

EVENTS = 1_000_000
_LEAST_SECONDS = 0.5
"""Smaller differences between two runs say nothing of the throughput."""
BUNDLES = {
    "table.exec.mini-batch.enabled": "true",
    "table.exec.mini-batch.allow-latency": "2 s",
    "table.exec.mini-batch.size": "50000",
    "table.optimizer.distinct-agg.split.enabled": "true",
}
"""Settings of the published benchmark. Both engines have them."""
ROCKSDB, SPARK = "flink, RocksDB", "spark"
Seconds = Callable[[int, int], float]
"""Runs a query over a number of events and returns the seconds of the process."""


@dataclass
class Result:
    """Figures of one query on one engine."""

    seconds: list[float] = field(default_factory=list)
    """Best time at each size."""
    failure: str = ""
    """Why it does not run, or empty."""

    def add(self, seconds: Sequence[float]) -> None:
        """Keep the better times."""
        self.seconds = list(map(min, seconds, self.seconds or seconds))


def engines_of(
    parallelism: int, *, flink: bool, rocksdb: bool, spark: bool, checkpoint: bool
) -> dict[str, Seconds]:
    """Return the engines to compare by name, Firesteel first."""
    settings = {**BUNDLES, "parallelism.default": str(parallelism)}

    def on(engine: Callable[[str, dict[str, str], bool], engines.Run], **more: str) -> Seconds:
        given = settings | {key.replace("_", "."): value for key, value in more.items()}

        def run(query: int, count: int) -> float:
            out = Path(tempfile.mkdtemp())
            try:
                return engine(script(query, count, out), given, checkpoint).seconds
            finally:
                shutil.rmtree(out, ignore_errors=True)

        return run

    def by_spark(query: int, count: int) -> float:
        return engines.spark(select(query), events(count), parallelism).seconds

    found: dict[str, Seconds] = {FIRESTEEL: on(engines.firesteel)}
    if flink:
        found[FLINK] = on(engines.flink)
    if rocksdb:
        found[ROCKSDB] = on(engines.flink, state_backend_type="rocksdb")
    if spark:
        found[SPARK] = by_spark
    return found


def measure(query: int, by_name: dict[str, Seconds], sizes: Sequence[int], rounds: int) -> dict[str, Result]:
    """Run one query on all engines in turn and return their best times."""
    found = {name: Result() for name in by_name}
    for _ in range(rounds):
        for name, result in found.items():
            if result.failure:
                continue
            try:
                result.add([by_name[name](query, size) for size in sizes])
            except Failed as error:
                result.failure = str(error)
                print(f"q{query} {name}: {error}", file=sys.stderr, flush=True)
    return found


def row(query: int, found: dict[str, Result], sizes: Sequence[int]) -> str:
    """Return a line of the table: seconds and events a second of each engine, then ratios to Firesteel."""
    here = found[FIRESTEEL]
    cells = [f"q{query}"]
    for name, result in found.items():
        cells.append(_figures(result, sizes))
        if name != FIRESTEEL:
            cells.append(_ratios(here, result, sizes))
    return f"| {' | '.join(cells)} |"


def heading(names: Sequence[str]) -> str:
    """Return the first lines of the table."""
    cells = ["query"]
    for name in names:
        cells += [name] if name == FIRESTEEL else [name, "total, warm"]
    return f"| {' | '.join(cells)} |\n| {' | '.join('---' for _ in cells)} |"


def _warm(result: Result, sizes: Sequence[int]) -> float | None:
    """Return the events a second of the last three quarters, None if they took too short to tell."""
    if result.seconds[-1] - result.seconds[0] < _LEAST_SECONDS:
        return None
    return throughput(tuple(sizes), result.seconds)


def _figures(result: Result, sizes: Sequence[int]) -> str:
    if result.failure:
        return "refused"
    rate = _warm(result, sizes)
    return f"{result.seconds[-1]:.1f} s" + (f", {rate / 1000:,.0f}k/s" if rate else "")


def _ratios(here: Result, there: Result, sizes: Sequence[int]) -> str:
    if here.failure or there.failure:
        return ""
    total = there.seconds[-1] / here.seconds[-1]
    rates = [_warm(each, sizes) for each in (here, there)]
    warm = f"{rates[0] / rates[1]:.1f}x" if rates[0] and rates[1] else "-"
    return f"{total:.1f}x, {warm}"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.nexmark", description=__doc__)
    parser.add_argument("queries", nargs="*", help="q0 to q23; all if not given")
    parser.add_argument("--events", type=int, default=EVENTS)
    parser.add_argument("--parallelism", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=1, help="runs of each; the best counts")
    parser.add_argument("--no-flink", action="store_true")
    parser.add_argument("--rocksdb", action="store_true", help="also Flink with its state in RocksDB")
    parser.add_argument("--spark", action="store_true", help="also Spark's own Structured Streaming")
    parser.add_argument(
        "--checkpoint", action="store_true", help="Firesteel as a stream, both with a checkpoint"
    )
    given = parser.parse_args()
    queries = [int(name.removeprefix("q")) for name in given.queries] or [
        q for q in QUERIES if q not in REFUSED
    ]
    by_name = engines_of(
        given.parallelism,
        flink=not given.no_flink,
        rocksdb=given.rocksdb,
        spark=given.spark,
        checkpoint=given.checkpoint,
    )
    sizes = (given.events // 4, given.events)
    print(heading(list(by_name)), flush=True)
    for query in queries:
        print(row(query, measure(query, by_name, sizes, given.rounds), sizes), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
