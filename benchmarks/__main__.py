"""usage: python -m benchmarks [--list] [--no-flink] [--repeat N] [NAME ...]"""

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
class Times:
    """Best seconds of an engine at each size, all with the same parallelism."""

    parallelism: str
    seconds: list[float]


def measure(workload: Workload, engine: str, repeat: int) -> Times:
    """The engine's times with the parallelism that is best at the largest size. Raises Failed."""
    run = engines.firesteel if engine == "firesteel" else engines.flink
    ways = (
        (workload.settings,) if engine == "firesteel" else tuple(FLINK_BEST | way for way in workload.flink)
    )
    tried = []
    for parallelism, way in product(PARALLELISMS, ways):
        settings = {"parallelism.default": parallelism, **way}
        seconds = []
        for size in workload.sizes:
            script = workload.script(size)
            runs = [run(script, settings, workload.checkpoint).seconds for _ in range(repeat)]
            seconds.append(min(runs))
        how = "record by record"
        if settings.get("table.exec.mini-batch.enabled"):
            how = "in mini-batches"
        tried.append(Times(f"{parallelism}, {how}", seconds))
    return min(tried, key=lambda times: times.seconds[-1])


def compare(workload: Workload, engine_names: list[str], repeat: int) -> None:
    """Run one workload on the engines and print times, throughputs and ratios."""
    print(f"\n{workload.name}: {workload.what}", flush=True)
    if workload.skewed is not None:
        plain = measure(workload, "firesteel", repeat).seconds[-1]
        skewed = measure(replace(workload, script=workload.skewed), "firesteel", repeat).seconds[-1]
        print(f"  firesteel  {plain:.2f} s, skewed {skewed:.2f} s: {skewed / plain:.2f} times")
        return
    found: dict[str, Times] = {}
    for engine in engine_names:
        try:
            times = found[engine] = measure(workload, engine, repeat)
        except Failed as error:
            print(f"  {engine:<10} left out: {error}", flush=True)
            continue
        for size, seconds in zip(workload.sizes, times.seconds, strict=True):
            print(f"  {engine:<10} {size:>10,} {seconds:8.2f} s", flush=True)
        rate = throughput(workload.sizes, times.seconds)
        told = f", {rate:,.0f} events/s between the sizes" if rate else ""
        print(f"  {engine:<10} parallelism {times.parallelism}{told}", flush=True)
    if len(found) == 2:
        here, there = found["firesteel"].seconds, found["flink"].seconds
        print(f"  total time: Flink / Firesteel = {there[-1] / here[-1]:.2f}")
        rates = throughput(workload.sizes, here), throughput(workload.sizes, there)
        if rates[0] and rates[1]:
            print(f"  throughput: Firesteel / Flink = {rates[0] / rates[1]:.2f}")


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
    parser.add_argument("--repeat", type=int, default=2, help="runs of each, of which the best counts")
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
            compare(known[name], ["firesteel"] if given.no_flink else ["firesteel", "flink"], given.repeat)
    return 0


if __name__ == "__main__":
    sys.exit(main())
