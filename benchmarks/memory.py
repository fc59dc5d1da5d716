"""What a run keeps in memory: driver, JVM and workers together, in proportional set sizes, so that a page
which several processes share counts once."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path

from benchmarks import engines
from benchmarks.workload import IN_BUNDLES
from benchmarks.workloads import aggregated_datagen

NAME = "memory"
WHAT = "peak of driver and workers: 10M rows of 5M keys, and 100M rows of 100K keys in thirds of the run"
_STEP_SECONDS = 0.25


def run() -> None:
    """Print the peaks in GiB."""
    print(f"\n{NAME}: {WHAT}", flush=True)
    many = peaks(aggregated_datagen(10_000_000, 5_000_000))
    print(f"  10M rows, 5M keys     {max(many):.2f} GiB", flush=True)
    long = peaks(aggregated_datagen(100_000_000, 100_000))
    third = max(1, len(long) // 3)
    parts = [long[:third], long[third : 2 * third], long[2 * third :]]
    shown = ", ".join(f"{max(part, default=0.0):.2f}" for part in parts)
    print(f"  100M rows, 100K keys  {shown} GiB by thirds of the run", flush=True)


def peaks(script: str) -> list[float]:
    """The memory of all processes of a run, a value a step, in GiB. Raises Failed."""
    sizes: list[float] = []

    def watch(process: subprocess.Popen[str]) -> None:
        while process.poll() is None:
            sizes.append(sum(map(proportional, tree(process.pid))) / (1 << 20))
            time.sleep(_STEP_SECONDS)

    engines.firesteel(script, {"parallelism.default": "2", **IN_BUNDLES}, watch=watch)
    return sizes


def tree(pid: int) -> list[int]:
    """The process and all that it started."""
    found, left = [], [pid]
    while left:
        one = left.pop()
        found.append(one)
        for task in Path(f"/proc/{one}/task").glob("*/children"):
            try:
                left += [int(word) for word in task.read_text().split()]
            except OSError:
                continue
    return found


def proportional(pid: int) -> int:
    """KiB; 0 for a process that has ended."""
    try:
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1])
    except OSError:
        pass
    return 0
