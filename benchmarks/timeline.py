"""What a job does when, as a whole process: python -m benchmarks.timeline NAME [ROWS] [KEY=VALUE ...]

Its tasks, by Spark's event log, and how busy driver, JVM and Python workers are, by /proc (Linux alone).
Further settings may be given: spark.master=local[1] is one core's. The log makes the start some tenths of a
second longer.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

from benchmarks import engines
from benchmarks.workloads import WORKLOADS

STEP_SECONDS = 0.02
LINE_SECONDS = 0.25
ROLES = ("driver", "jvm", "workers")
_TICKS = os.sysconf("SC_CLK_TCK")
_WIDTH = 60


@dataclass(frozen=True)
class Task:
    """start, end: seconds since the process began."""

    stage: int
    number: int
    start: float
    end: float


@dataclass
class Busy:
    """CPU seconds of each role in each line's time. began: the process, in seconds since 1970."""

    began: float
    seconds: dict[tuple[str, int], float] = field(default_factory=lambda: defaultdict(float))
    _ticks: dict[int, int] = field(default_factory=dict)

    def watch(self, process: subprocess.Popen[str]) -> None:
        """Look at the process, and at all that it started, until it ends."""
        while process.poll() is None:
            line = int((time.time() - self.began) / LINE_SECONDS)
            for number, role, ticks in _family(process.pid):
                self.seconds[role, line] += max(0, ticks - self._ticks.get(number, 0)) / _TICKS
                self._ticks[number] = ticks
            time.sleep(STEP_SECONDS)

    def of(self, role: str) -> float:
        """All of a role's CPU seconds."""
        return sum(seconds for (one, _), seconds in self.seconds.items() if one == role)


def _family(driver: int) -> Iterator[tuple[int, str, int]]:
    """A process and those below it: the number, the role, and the clock ticks of each."""
    parents, found = dict[int, int](), dict[int, tuple[str, int]]()
    for file in Path("/proc").glob("[0-9]*/stat"):
        try:
            name, rest = file.read_text().split("(", 1)[1].rsplit(")", 1)
        except OSError:  # it has ended
            continue
        values = rest.split()
        number = int(file.parent.name)
        parents[number] = int(values[1])
        found[number] = name, int(values[11]) + int(values[12])
    for number, (name, ticks) in found.items():
        if number == driver:
            yield number, "driver", ticks
        elif _is_below(number, driver, parents):
            yield number, "jvm" if name == "java" else "workers", ticks


def _is_below(number: int, root: int, parents: dict[int, int]) -> bool:
    while number in parents and number != root:
        number = parents[number]
    return number == root


def tasks_of(log: Path, began: float) -> list[Task]:
    """The tasks in a folder of event logs."""
    found = []
    for file in (path for path in log.rglob("*") if path.is_file() and path.suffix != ".crc"):
        for line in file.read_text(encoding="utf-8").splitlines():
            event = json.loads(line)
            if event["Event"] == "SparkListenerTaskEnd":
                info = event["Task Info"]
                start, end = (info[key] / 1000 - began for key in ("Launch Time", "Finish Time"))
                found.append(Task(event["Stage ID"], info["Index"], start, end))
    return sorted(found, key=lambda task: (task.stage, task.number))


def show(tasks: list[Task], busy: Busy, seconds: float, cores: int) -> None:
    """A line a task, then a line a quarter of a second, then sums."""
    scale = _WIDTH / seconds
    for task in tasks:
        bar = " " * int(task.start * scale) + "#" * max(1, int((task.end - task.start) * scale))
        print(f"stage {task.stage} task {task.number:3} {task.start:6.2f} {task.end:6.2f}  |{bar:<{_WIDTH}}|")
    print(f"{'second':>8}" + "".join(f"{role:>9}" for role in (*ROLES, "cores")))
    for line in range(int(seconds / LINE_SECONDS) + 1):
        used = [busy.seconds[role, line] / LINE_SECONDS for role in ROLES]
        print(f"{line * LINE_SECONDS:8.2f}" + "".join(f"{one:9.2f}" for one in [*used, sum(used)]))
    print("CPU seconds: " + ", ".join(f"{role} {busy.of(role):.2f}" for role in ROLES))
    first, last = min(task.start for task in tasks), max(task.end for task in tasks)
    print(f"until the first task {first:.2f} s, tasks {last - first:.2f} s, end {seconds - last:.2f} s")
    serial = seconds - last + sum(step for step, running in _steps(tasks) if running < cores)
    print(f"fewer than {cores} tasks ran for {serial:.2f} s of the rest, {serial / (seconds - first):.0%}")


def _steps(tasks: list[Task]) -> Iterator[tuple[float, int]]:
    """Stretches between the first task's start and the last one's end: seconds, and tasks running."""
    for start, end in pairwise(sorted({at for task in tasks for at in (task.start, task.end)})):
        yield end - start, sum(task.start <= start and task.end >= end for task in tasks)


def main() -> None:
    name, *rest = sys.argv[1:]
    workload = {each.name: each for each in WORKLOADS}[name]
    size = int(rest.pop(0)) if rest and rest[0].isdigit() else workload.sizes[-1]
    given = dict(one.split("=", 1) for one in rest)
    with tempfile.TemporaryDirectory() as folder:
        settings = {
            **workload.settings,
            "parallelism.default": "2",
            "spark.eventLog.enabled": "true",
            "spark.eventLog.dir": f"file://{folder}",
            "spark.eventLog.compress": "false",
            **given,
        }
        busy = Busy(time.time())
        ran = engines.firesteel(workload.script(size), settings, workload.checkpoint, busy.watch)
        cores = 1 if given.get("spark.master") == "local[1]" else 2
        show(tasks_of(Path(folder), busy.began), busy, ran.seconds, cores)


if __name__ == "__main__":
    main()
