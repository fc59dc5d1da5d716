"""Whole processes, by turns. usage: python -m benchmarks [OPTION ...] [WORKLOAD ...], see --help

Firesteel beside Flink, or with --against beside another Firesteel: that of an older checkout's environment.
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from pathlib import Path

from benchmarks import (
    engines,
    join_cost,
    kafka_sustained,
    lookup,
    memory,
    memory_bounds,
    state_cost,
    storm,
    window_state,
)
from benchmarks.engines import Failed, Run
from benchmarks.workload import Workload
from benchmarks.workloads import FLINK_BEST, PARALLELISMS, WORKLOADS

SPECIAL = {
    module.NAME: module
    for module in (state_cost, join_cost, storm, memory, memory_bounds, window_state, kafka_sustained, lookup)
}
"""Measured by themselves."""


@dataclass(frozen=True)
class Way:
    """A way to run an engine: its settings, and what it is called."""

    name: str
    settings: tuple[tuple[str, str], ...]


Times = dict[Way, list[float]]
"""Best seconds at each size."""

Engine = Callable[[str, dict[str, str], bool], Run]
"""Runs a script with settings, with or without a checkpoint."""

FLINK, ROCKSDB, FIRESTEEL, BEFORE = "flink", "rocksdb", "firesteel", "before"
"""rocksdb: Flink with its state in RocksDB."""
_BACKEND = {"state.backend.type": "rocksdb"}


def ways(workload: Workload, engine: str) -> list[Way]:
    """Return all ways that are tried: each parallelism, for Flink with each of the workload's settings."""
    given = [workload.settings]
    if engine in (FLINK, ROCKSDB):
        backend = _BACKEND if engine == ROCKSDB else {}
        given = [FLINK_BEST | way | backend for way in workload.flink]
    found = []
    for parallelism, settings in product(PARALLELISMS, given):
        in_bundles = "table.exec.mini-batch.enabled" in settings
        name = f"parallelism {parallelism}, {'in mini-batches' if in_bundles else 'record by record'}"
        found.append(Way(name, tuple({"parallelism.default": parallelism, **settings}.items())))
    return found


def best(times: Times) -> Way:
    """The way that is fastest at the largest size."""
    return min(times, key=lambda way: times[way][-1])


def run_once(workload: Workload, name: str, engine: Engine, times: Times) -> None:
    """Run every way once at each size, or the best one if all have been run.

    Raises:
        Failed: The engine failed.
    """
    for way in [best(times)] if times else ways(workload, name):
        settings = dict(way.settings)
        runs = [engine(workload.script(size), settings, workload.checkpoint) for size in workload.sizes]
        seconds = [one.seconds for one in runs]
        times[way] = list(map(min, seconds, times.get(way, seconds)))


def measure(workload: Workload, by_name: Mapping[str, Engine], rounds: int) -> dict[str, Times]:
    """The times of those engines that run here. They take turns, as a machine that others use as well is
    not equally fast for long."""
    found: dict[str, Times] = {name: {} for name in by_name}
    for _ in range(rounds):
        for name in list(found):
            try:
                run_once(workload, name, by_name[name], found[name])
            except Failed as error:
                print(f"  {name:<10} left out: {error}", flush=True)
                del found[name]
    return found


def compare(workload: Workload, by_name: Mapping[str, Engine], rounds: int) -> dict[str, Times]:
    """Run one workload on the engines and print times, throughputs and ratios."""
    print(f"\n{workload.name}: {workload.what}", flush=True)
    if workload.skewed is not None:
        tell_skew(workload, replace(workload, script=workload.skewed), rounds)
        return {}
    measured = told(workload, by_name, rounds)
    found = {name: times[best(times)] for name, times in measured.items()}
    here = found.pop(FIRESTEEL, [])
    for name, there in found.items() if here else ():
        print(f"  total time: {name} / {FIRESTEEL} = {there[-1] / here[-1]:.2f}")
        rates = throughput(workload.sizes, here), throughput(workload.sizes, there)
        if rates[0] and rates[1]:
            print(f"  throughput: {FIRESTEEL} / {name} = {rates[0] / rates[1]:.2f}")
    return measured


def told(workload: Workload, by_name: Mapping[str, Engine], rounds: int) -> dict[str, Times]:
    """Measured, and printed for each engine."""
    measured = measure(workload, by_name, rounds)
    for engine, times in measured.items():
        way = best(times)
        for size, seconds in zip(workload.sizes, times[way], strict=True):
            print(f"  {engine:<10} {size:>10,} {seconds:8.2f} s", flush=True)
        rate = throughput(workload.sizes, times[way])
        between = f", {rate:,.0f} events/s between the sizes" if rate else ""
        print(f"  {engine:<10} {way.name}{between}", flush=True)
    return measured


def tell_skew(workload: Workload, skewed: Workload, rounds: int) -> None:
    """The time of the work with and without a hot key."""
    plain_times: Times = {}
    skewed_times: Times = {}
    for _ in range(rounds):
        run_once(workload, FIRESTEEL, engines.firesteel, plain_times)
        run_once(skewed, FIRESTEEL, engines.firesteel, skewed_times)
    plain, hot = (times[best(times)][-1] for times in (plain_times, skewed_times))
    print(f"  firesteel  {plain:.2f} s, skewed {hot:.2f} s: {hot / plain:.2f} times")


def throughput(sizes: tuple[int, ...], seconds: list[float]) -> float | None:
    """Events a second between the smallest and the largest size, start-up left out. None with one size,
    or where the machine was too busy: the larger size took no longer."""
    if len(sizes) < 2 or seconds[-1] <= seconds[0]:
        return None
    return (sizes[-1] - sizes[0]) / (seconds[-1] - seconds[0])


def note(file: Path, workload: Workload, measured: Mapping[str, Times]) -> None:
    """Add what was measured to a table: a line for each engine and size, of its best way."""
    fresh = not file.exists()
    with file.open("a", encoding="utf-8", newline="") as out:
        lines = csv.writer(out, lineterminator="\n")
        if fresh:
            lines.writerow(("workload", "engine", "way", "rows", "seconds"))
        for name, times in measured.items():
            way = best(times)
            for size, seconds in zip(workload.sizes, times[way], strict=True):
                lines.writerow((workload.name, name, way.name, size, f"{seconds:.2f}"))


def engines_of(given: argparse.Namespace) -> dict[str, Engine]:
    """By name, Firesteel first."""
    found: dict[str, Engine] = {FIRESTEEL: engines.firesteel}
    if given.against:
        found[BEFORE] = partial(engines.firesteel, python=given.against)
    elif not given.no_flink:
        found[FLINK] = engines.flink
        if given.rocksdb:
            found[ROCKSDB] = engines.flink
    return found


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--no-flink", action="store_true")
    parser.add_argument("--rocksdb", action="store_true", help="also Flink with its state in RocksDB")
    parser.add_argument("--against", metavar="PYTHON", help="an environment with another Firesteel")
    parser.add_argument("--rounds", type=int, default=3, help="runs of each, by turns; the best counts")
    parser.add_argument("--rows", type=int, nargs="+", help="other sizes than the workload's, smallest first")
    parser.add_argument(
        "--record", type=Path, metavar="FILE", help="a CSV file that the figures are added to"
    )
    given = parser.parse_args()
    known = {workload.name: workload for workload in WORKLOADS}
    if given.list:
        for workload in WORKLOADS:
            print(f"{workload.name:<22} {workload.what}")
        for special in SPECIAL.values():
            print(f"{special.NAME:<22} {special.WHAT}")
        return 0
    names = given.names or [*known, *SPECIAL]
    unknown = [name for name in names if name not in known and name not in SPECIAL]
    if unknown:
        parser.error(f"unknown workload {unknown[0]}; --list lists them")
    for name in names:
        run(name, known, given)
    return 0


def run(name: str, known: Mapping[str, Workload], given: argparse.Namespace) -> None:
    """One workload, or one that is measured by itself."""
    if name in SPECIAL:
        SPECIAL[name].run()
        return
    workload = replace(known[name], sizes=tuple(given.rows)) if given.rows else known[name]
    measured = compare(workload, engines_of(given), given.rounds)
    if given.record:
        note(given.record, workload, measured)


if __name__ == "__main__":
    sys.exit(main())
