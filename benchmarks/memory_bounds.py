"""Peak memory of jobs that are hard to bound, by kind of process, beside the bound of docs/guide/memory.md.

usage: python -m benchmarks.memory_bounds [--most GIB] [CASE[=SIZE] ...]

Memory is in proportional set sizes, so a page that several processes share counts once. A job that takes more
than `--most` is killed.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from benchmarks import engines
from benchmarks.data import cache
from benchmarks.memory import proportional, tree
from benchmarks.workload import HOLE, IN_BUNDLES
from benchmarks.workloads import aggregated_datagen

NAME = "memory-bounds"
WHAT = "peak of driver, JVM and workers of jobs that are hard to bound"
BOUND_GIB = 2.0
_MOST_GIB = 8.0
_STEP_SECONDS = 0.1
_SHORT = "https://example.com/{}"
_PAIRS = """\
CREATE TABLE pairs (k BIGINT, v STRING)
WITH ('connector' = 'filesystem', 'path' = '{path}', 'format' = 'json');
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
    path = cache() / f"message-{size}.json"
    if not path.exists():
        lines = [{"k": each, "v": "x" * (size if each == 500 else 10)} for each in range(1000)]
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    hole = HOLE.format(columns="k BIGINT, r STRING")
    return f"{_PAIRS.format(path=path)}{hole}INSERT INTO hole SELECT k, MAX(v) FROM pairs GROUP BY k;\n"


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


def by_kind(pid: int) -> Counter[str]:
    """Return the GiB of a process tree by kind: driver, JVM, workers."""
    found: Counter[str] = Counter()
    for one in tree(pid):
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
