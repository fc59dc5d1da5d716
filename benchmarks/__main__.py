"""usage: python -m benchmarks [--list] [--no-flink] [--rounds N] [NAME ...]"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass, replace
from itertools import product

from benchmarks import engines, memory, state_cost
from benchmarks.engines import Failed
from benchmarks.workloads import FLINK_BEST, PARALLELISMS, WORKLOADS, Workload

SPECIAL = {module.NAME: module for module in (state_cost, memory)}
"""Measured by themselves."""


@dataclass(frozen=True)
class Way:
    """A way to run an engine: its settings, and what it is called."""

    name: str
    settings: tuple[tuple[str, str], ...]


Times = dict[Way, list[float]]
"""Best seconds at each size."""


def ways(workload: Workload, engine: str) -> list[Way]:
    """All ways that are tried: each parallelism, in Flink's case each of the workload's settings."""
    given = [workload.settings]
    if engine == "flink":
        given = [FLINK_BEST | way for way in workload.flink]
    found = []
    for parallelism, settings in product(PARALLELISMS, given):
        in_bundles = "table.exec.mini-batch.enabled" in settings
        name = f"parallelism {parallelism}, {'in mini-batches' if in_bundles else 'record by record'}"
        found.append(Way(name, tuple({"parallelism.default": parallelism, **settings}.items())))
    return found


def best(times: Times) -> Way:
    """The way that is fastest at the largest size."""
    return min(times, key=lambda way: times[way][-1])


def run_once(workload: Workload, engine: str, times: Times) -> None:
    """Run every way once at each size, or, where all were, the best one. Raises Failed."""
    run = engines.firesteel if engine == "firesteel" else engines.flink
    for way in [best(times)] if times else ways(workload, engine):
        settings = dict(way.settings)
        runs = [run(workload.script(size), settings, workload.checkpoint) for size in workload.sizes]
        seconds = [one.seconds for one in runs]
        times[way] = list(map(min, seconds, times.get(way, seconds)))


def measure(workload: Workload, engine_names: list[str], rounds: int) -> dict[str, Times]:
    """The times of those engines that run here. They take turns, as a machine that others use as well is
    not equally fast for long."""
    found: dict[str, Times] = {engine: {} for engine in engine_names}
    for _ in range(rounds):
        for engine in list(found):
            try:
                run_once(workload, engine, found[engine])
            except Failed as error:
                print(f"  {engine:<10} left out: {error}", flush=True)
                del found[engine]
    return found


def compare(workload: Workload, engine_names: list[str], rounds: int) -> None:
    """Run one workload on the engines and print times, throughputs and ratios."""
    print(f"\n{workload.name}: {workload.what}", flush=True)
    if workload.skewed is not None:
        tell_skew(workload, replace(workload, script=workload.skewed), rounds)
        return
    found = {engine: times[best(times)] for engine, times in told(workload, engine_names, rounds)}
    if len(found) == 2:
        here, there = found["firesteel"], found["flink"]
        print(f"  total time: Flink / Firesteel = {there[-1] / here[-1]:.2f}")
        rates = throughput(workload.sizes, here), throughput(workload.sizes, there)
        if rates[0] and rates[1]:
            print(f"  throughput: Firesteel / Flink = {rates[0] / rates[1]:.2f}")


def told(workload: Workload, engine_names: list[str], rounds: int) -> list[tuple[str, Times]]:
    """Measured, and printed for each engine."""
    measured = measure(workload, engine_names, rounds)
    for engine, times in measured.items():
        way = best(times)
        for size, seconds in zip(workload.sizes, times[way], strict=True):
            print(f"  {engine:<10} {size:>10,} {seconds:8.2f} s", flush=True)
        rate = throughput(workload.sizes, times[way])
        between = f", {rate:,.0f} events/s between the sizes" if rate else ""
        print(f"  {engine:<10} {way.name}{between}", flush=True)
    return list(measured.items())


def tell_skew(workload: Workload, skewed: Workload, rounds: int) -> None:
    """The time of the work with and without a hot key."""
    plain_times: Times = {}
    skewed_times: Times = {}
    for _ in range(rounds):
        run_once(workload, "firesteel", plain_times)
        run_once(skewed, "firesteel", skewed_times)
    plain, hot = (times[best(times)][-1] for times in (plain_times, skewed_times))
    print(f"  firesteel  {plain:.2f} s, skewed {hot:.2f} s: {hot / plain:.2f} times")


def throughput(sizes: tuple[int, ...], seconds: list[float]) -> float | None:
    """Events a second between the smallest and the largest size, start-up left out. None with one size,
    or where the machine was too busy: the larger size took no longer."""
    if len(sizes) < 2 or seconds[-1] <= seconds[0]:
        return None
    return (sizes[-1] - sizes[0]) / (seconds[-1] - seconds[0])


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--no-flink", action="store_true")
    parser.add_argument("--rounds", type=int, default=3, help="runs of each, by turns; the best counts")
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
        if name in SPECIAL:
            SPECIAL[name].run()
        else:
            compare(known[name], ["firesteel"] if given.no_flink else ["firesteel", "flink"], given.rounds)
    return 0


if __name__ == "__main__":
    sys.exit(main())
