"""usage: python -m benchmarks [--list] [--no-flink] [NAME ...]"""

from __future__ import annotations

import argparse
import sys

from benchmarks import engines, state_cost
from benchmarks.engines import Failed
from benchmarks.workloads import FLINK_BEST, PARALLELISMS, WORKLOADS, Workload


def measure(workload: Workload, size: int, engine: str) -> tuple[float, str]:
    """Best seconds of the engine's parallelisms at one size, and which one it was. Raises Failed."""
    script = workload.script(size)
    run = engines.firesteel if engine == "firesteel" else engines.flink
    best: tuple[float, str] | None = None
    for parallelism in PARALLELISMS:
        settings = {"parallelism.default": parallelism, **workload.settings}
        if engine == "flink":
            settings |= FLINK_BEST
        if workload.warm:
            run(script, settings, workload.checkpoint)
        seconds = run(script, settings, workload.checkpoint).seconds
        if best is None or seconds < best[0]:
            best = seconds, parallelism
    assert best is not None
    return best


def compare(workload: Workload, with_flink: bool) -> None:
    """Run one workload on both engines and print times, slopes and ratios."""
    print(f"\n{workload.name}: {workload.what}", flush=True)
    times: dict[str, list[float]] = {}
    for engine in ["firesteel", *(["flink"] if with_flink else [])]:
        try:
            for size in workload.sizes:
                seconds, parallelism = measure(workload, size, engine)
                times.setdefault(engine, []).append(seconds)
                print(f"  {engine:<10} {size:>10,} {seconds:8.2f} s  (parallelism {parallelism})", flush=True)
        except Failed as error:
            print(f"  {engine:<10} left out: {error}", flush=True)
            times.pop(engine, None)
    slopes = {engine: _slope(workload.sizes, taken) for engine, taken in times.items()}
    for engine, slope in slopes.items():
        if slope:
            print(f"  {engine:<10} throughput {slope:,.0f} events/s")
    if len(times) == 2:
        print(f"  total time: Flink / Firesteel = {times['flink'][-1] / times['firesteel'][-1]:.2f}")
        if slopes["flink"] and slopes["firesteel"]:
            print(f"  throughput: Firesteel / Flink = {slopes['firesteel'] / slopes['flink']:.2f}")


def _slope(sizes: tuple[int, ...], seconds: list[float]) -> float | None:
    """Events a second between the smallest and the largest size; None with one size."""
    if len(sizes) < 2 or seconds[-1] <= seconds[0]:
        return None
    return (sizes[-1] - sizes[0]) / (seconds[-1] - seconds[0])


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--no-flink", action="store_true")
    given = parser.parse_args()
    known = {workload.name: workload for workload in WORKLOADS}
    if given.list:
        for workload in WORKLOADS:
            print(f"{workload.name:<22} {workload.what}")
        print(f"{state_cost.NAME:<22} {state_cost.WHAT}")
        return 0
    names = given.names or [*known, state_cost.NAME]
    unknown = [name for name in names if name not in known and name != state_cost.NAME]
    if unknown:
        parser.error(f"unknown workload {unknown[0]}; --list lists them")
    for name in names:
        if name == state_cost.NAME:
            state_cost.run()
        else:
            compare(known[name], not given.no_flink)
    return 0


if __name__ == "__main__":
    sys.exit(main())
