"""Peak memory of jobs that are hard to bound, by kind of process, beside the bound of docs/guide/memory.md.

usage: python -m benchmarks.memory_bounds [--most GIB] [CASE[=SIZE] ...]

Memory is in proportional set sizes, so a page that several processes share counts once. A job that takes more
than `--most` is killed.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from benchmarks import engines
from benchmarks.data import cache
from benchmarks.kafka_topics import PARTITIONS, broker, count, create, send
from benchmarks.memory import proportional, tree
from benchmarks.workload import HOLE, IN_BUNDLES
from benchmarks.workloads import aggregated_datagen

NAME = "memory-bounds"
WHAT = "peak of driver, JVM and workers of jobs that are hard to bound"
BOUND_GIB = 2.0
_MOST_GIB = 8.0
_STEP_SECONDS = 0.1
_PAIRS = """\
CREATE TABLE pairs (k BIGINT, v STRING)
WITH ('connector' = 'filesystem', 'path' = '{path}', 'format' = 'json');
"""
_TOPIC = """\
CREATE TABLE pairs (k BIGINT, v STRING) WITH ('connector' = 'kafka', 'topic' = '{topic}',
'properties.bootstrap.servers' = '{servers}', 'scan.startup.mode' = 'earliest-offset',
'scan.bounded.mode' = 'latest-offset', 'format' = 'json');
"""


@dataclass(frozen=True)
class Case:
    """A script for a size, and how it runs.

    Attributes:
        what: Text for the table.
        script: Function from the size to the script.
        size: Size by default.
        settings: Settings of the job.
        checkpoint: Whether it runs on the stream host.
    """

    what: str
    script: Callable[[int], str]
    size: int
    settings: tuple[tuple[str, str], ...] = ()
    checkpoint: bool = True


def _pairs(rows: int) -> str:
    """Return the table of rows with one key and texts of 6 characters."""
    path = cache() / f"pairs-{rows}.json"
    if not path.exists():
        path.write_text("".join(f'{{"k": 1, "v": "{each % 1_000_000:06d}"}}\n' for each in range(rows)))
    return _PAIRS.format(path=path)


def _growing(call: str, kind: str) -> Callable[[int], str]:
    """Return the script of an aggregate by key whose result has all values of the key."""

    def script(rows: int) -> str:
        hole = HOLE.format(columns=f"k BIGINT, r {kind}")
        return f"{_pairs(rows)}{hole}INSERT INTO hole SELECT k, {call} FROM pairs GROUP BY k;\n"

    return script


def _message(size: int) -> str:
    """Return the script that reads one message of `size` bytes among small ones."""
    path = cache() / f"message-{size}.csv"
    if not path.exists():  # a text in JSON has at most 20,000,000 characters, as in Flink
        path.write_text("".join(f"{each},{'x' * (size if each == 500 else 10)}\n" for each in range(1000)))
    table = _PAIRS.format(path=path).replace("'json'", "'csv'")
    hole = HOLE.format(columns="k BIGINT, r STRING")
    return f"{table}{hole}INSERT INTO hole SELECT k, MAX(v) FROM pairs GROUP BY k;\n"


def _small_before_large(large: int) -> str:
    """Return the script that reads a topic with a million messages of 60 bytes in front of large ones."""
    name = f"small-before-{large}"
    servers, small = broker(), 1_000_000
    if not count(servers, name):
        create(servers, name)
        texts = ("x" * (20 if each < small else 15_000) for each in range(small + large))
        lines = (f'{{"k": {i}, "v": "{text}"}}'.encode() for i, text in enumerate(texts))
        send(servers, name, ((i % PARTITIONS, line) for i, line in enumerate(lines)))
    hole = HOLE.format(columns="k BIGINT, c BIGINT, s INT")
    table = _TOPIC.format(topic=name, servers=servers)
    counted = "SELECT MOD(k, 100), COUNT(*), SUM(CHAR_LENGTH(v)) FROM pairs GROUP BY MOD(k, 100)"
    return f"{table}{hole}INSERT INTO hole {counted};\n"


def _large_keys(rows: int) -> str:
    """Return the script that keeps a text of 15 KB for each of as many keys as there are rows."""
    name = f"large-keys-{rows}"
    servers = broker()
    if not count(servers, name):
        create(servers, name)
        lines = (f'{{"k": {i}, "v": "{i:09d}{"x" * 15_000}"}}'.encode() for i in range(rows))
        send(servers, name, ((i % PARTITIONS, line) for i, line in enumerate(lines)))
    hole = HOLE.format(columns="k BIGINT, m STRING")
    table = _TOPIC.format(topic=name, servers=servers)
    return f"{table}{hole}INSERT INTO hole SELECT k, MAX(v) FROM pairs GROUP BY k;\n"


def _hot_key(rows: int) -> str:
    return (
        f"CREATE TABLE source (k BIGINT, v INT) WITH ('connector' = 'datagen', 'number-of-rows' = '{rows}', "
        "'rows-per-second' = '100000000', 'fields.v.min' = '1', 'fields.v.max' = '1000');\n"
        + HOLE.format(columns="k BIGINT, s INT, m INT, d BIGINT")
        + "INSERT INTO hole SELECT 1, SUM(v), MAX(v), COUNT(DISTINCT v) FROM source;\n"
    )


CASES = {
    "listagg": Case("LISTAGG of {:,} values of one key", _growing("LISTAGG(v)", "STRING"), 20_000),
    "listagg-batch": Case(
        "LISTAGG of {:,} values of one key, batch host", _growing("LISTAGG(v)", "STRING"), 20_000,
        checkpoint=False,
    ),
    "array-agg": Case(
        "ARRAY_AGG of {:,} values of one key", _growing("ARRAY_AGG(v)", "ARRAY<STRING>"), 5_000
    ),
    "collect": Case("COLLECT of {:,} values of one key", _growing("COLLECT(v)", "MULTISET<STRING>"), 5_000),
    "message": Case("one message of {:,} bytes", _message, 50_000_000),
    "kafka": Case("a topic: 1,000,000 small messages, then {:,} of 15 KB", _small_before_large, 80_000),
    "large-keys": Case("MAX of {:,} texts of 15 KB, each of its own key", _large_keys, 80_000),
    "hot-key": Case("{:,} changes of one key", _hot_key, 1_000_000),
    "state": Case(
        "{:,} rows, half as many keys of state", lambda rows: aggregated_datagen(rows, rows // 2), 10_000_000,
        tuple(IN_BUNDLES.items()),
    ),
    "results": Case(
        "{:,} changes of as many keys, record by record", lambda rows: aggregated_datagen(rows, 10 * rows),
        5_000_000, (("firesteel.source.max-rows-per-batch", "5000000"),),
    ),
}  # fmt: skip


def run(chosen: tuple[str, ...] = (), most: float = _MOST_GIB) -> None:
    """Print the peaks in GiB."""
    print(f"\n{NAME}: {WHAT}, bound {BOUND_GIB:.2f} GiB", flush=True)
    for each in chosen or CASES:
        name, _, size = each.partition("=")
        case = CASES[name]
        rows = int(size or case.size)
        print(f"  {case.what.format(rows):<55} {peaks(case, rows, most)}", flush=True)


def peaks(case: Case, size: int, most: float) -> str:
    """Return the peaks of a run as text, by kind of process and of all together."""
    highest: Counter[str] = Counter()

    def watch(process: subprocess.Popen[str]) -> None:
        while process.poll() is None:
            now = by_kind(process.pid)
            now["all"] = sum(now.values())
            for kind, gib in now.items():
                highest[kind] = max(highest[kind], gib)  # type: ignore[assignment]
            if now["all"] > most:
                end_tree(process.pid)
            time.sleep(_STEP_SECONDS)

    settings = {"parallelism.default": "2", **dict(case.settings)}
    began = time.monotonic()
    try:
        engines.firesteel(case.script(size), settings, checkpoint=case.checkpoint, watch=watch)
        end = f"{time.monotonic() - began:.0f} s"
    except engines.Failed as error:
        end = f"FAILED after {time.monotonic() - began:.0f} s: {error}"
    return ", ".join(f"{kind} {gib:.2f}" for kind, gib in sorted(highest.items())) + f" GiB; {end}"


def by_kind(pid: int, processes: Iterable[int] | None = None) -> Counter[str]:
    """Return the GiB of processes by kind: driver, JVM, workers.

    Args:
        pid: The driver.
        processes: The driver and the others; None for all that it started.
    """
    found: Counter[str] = Counter()
    for one in tree(pid) if processes is None else processes:
        kind = "driver" if one == pid else "JVM" if _is_java(one) else "workers"
        found[kind] += proportional(one) / (1 << 20)  # type: ignore[assignment]
    return found


def end_tree(pid: int) -> None:
    """Kill a process and all that it started."""
    for one in reversed(tree(pid)):
        with suppress(ProcessLookupError):
            os.kill(one, signal.SIGKILL)


def _is_java(pid: int) -> bool:
    with suppress(OSError):
        return Path(f"/proc/{pid}/comm").read_text().strip() == "java"
    return False


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("cases", nargs="*", metavar="CASE")
    parser.add_argument("--most", type=float, default=_MOST_GIB, metavar="GIB")
    given = parser.parse_args()
    run(tuple(given.cases), given.most)
