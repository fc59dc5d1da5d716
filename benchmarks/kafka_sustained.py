"""A topic that is filled at a steady rate, read by a job with a checkpoint: lag and memory by the minute.

usage: python -m benchmarks.kafka_sustained [--minutes N] [--rate MESSAGES_A_SECOND] [--overload]

Producer, broker and job share the machine; what each takes of the processors is told at the end. Lag is the
messages that no finished micro-batch has, in seconds of the rate, asked for every second; memory is in
proportional set sizes. With --overload the topic keeps all messages, and the job has more to do for each and
a third of the others' share of the processors (nice 5), so that the rate is higher than the job's.
"""

from __future__ import annotations

import argparse
import math
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.kafka_topics import create, started
from benchmarks.kafka_workloads import SUM_MAX, TABLE
from benchmarks.memory import proportional, tree
from benchmarks.workload import HOLE, IN_BUNDLES

NAME = "kafka-sustained"
WHAT = "100K messages a second into a topic, a checkpoint, mini-batches of 1 s: lag, memory"

MINUTES, RATE = 3.0, 100_000
WARM_SECONDS = 20.0
"""After the first message, not counted."""
SETTINGS = {
    **IN_BUNDLES,
    "table.exec.mini-batch.allow-latency": "1 s",
    "parallelism.default": "2",
}
RECORD_BY_RECORD = {"parallelism.default": "2"}
TWO_LEVELS = (
    HOLE.format(columns="orders BIGINT, names BIGINT, s BIGINT, m INT")
    + """INSERT INTO hole SELECT orders, COUNT(*), SUM(s), MAX(m) FROM (
  SELECT name, COUNT(DISTINCT id) AS orders, SUM(cnt) AS s, MAX(cnt) AS m, MIN(cnt) AS least
  FROM orders GROUP BY name)
WHERE least >= 0 GROUP BY orders;
"""
)
"""The query of --overload."""
_KEPT = {"retention.bytes": str(1 << 30), "segment.bytes": str(128 << 20)}
"""Of each partition, for a job that is not far behind."""
_KEPT_UNDER_OVERLOAD = {"retention.bytes": "-1", "segment.bytes": str(128 << 20), "compression.type": "lz4"}
_START_SECONDS = 120.0
_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass
class Minute:
    """Seconds of lag, and MiB by kind of process."""

    lags: list[float] = field(default_factory=list)
    memory: dict[str, list[float]] = field(default_factory=dict)

    def text(self) -> str:
        parts = ", ".join(f"{kind} {max(sizes):,.0f} MiB" for kind, sizes in self.memory.items())
        told = sorted(lag for lag in self.lags if not math.isnan(lag)) or [math.nan]
        lag = f"lag {told[len(told) // 2]:.2f} s, at most {told[-1]:.2f} s, told {len(told)} times"
        return f"{lag} of {len(self.lags)}; {parts}; together {self._together():,.0f} MiB"

    def _together(self) -> float:
        """Return the peak of all processes."""
        return max((sum(sizes) for sizes in zip(*self.memory.values(), strict=True)), default=0.0)


class Job:
    """`firesteel run` of the query over the topic, until it is stopped."""

    def __init__(self, servers: str, topic: str, folder: Path, port: int, *, overload: bool = False) -> None:
        columns = "id BIGINT, name STRING, cnt INT"
        table = TABLE.format(columns=columns, topic=topic, servers=servers, bounded="")
        script = folder / "job.sql"
        script.write_text(table + (TWO_LEVELS if overload else SUM_MAX), encoding="utf-8")
        command = [
            *(("nice", "-n", "5") if overload else ()),
            sys.executable,
            "-m",
            "firesteel.cli.main",
            "run",
            str(script),
            "--metrics-port",
            str(port),
        ]
        command += ["--checkpoint", str(folder / "checkpoint")]
        for key, value in (RECORD_BY_RECORD if overload else SETTINGS).items():
            command += ["--set", f"{key}={value}"]
        self._log = folder / "log"
        self._address = f"http://127.0.0.1:{port}/metrics"
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(command, stdout=log, stderr=log)
        self.pid = self._process.pid

    def metric(self, name: str) -> float:
        """The sum over its labels, NaN where it is not told. Raises RuntimeError where the job has ended."""
        if self._process.poll() is not None:
            raise RuntimeError(f"the job has ended: {self._log.read_text()[-2000:]}")
        return scraped(self._address, name)

    def wait_for_batch(self) -> None:
        end = time.monotonic() + _START_SECONDS
        while not self.metric("firesteel_batches_total") > 0:
            if time.monotonic() > end:
                raise TimeoutError(f"no micro-batch in {_START_SECONDS:.0f} s")
            time.sleep(0.2)

    def memory(self) -> dict[str, float]:
        """MiB by kind of process."""
        found = {"driver's JVM": 0.0, "driver": proportional(self.pid) / 1024, "workers": 0.0}
        for pid in tree(self.pid)[1:]:
            found["driver's JVM" if _is_java(pid) else "workers"] += proportional(pid) / 1024
        return found

    def stop(self) -> None:
        self._process.send_signal(signal.SIGINT)
        try:
            self._process.wait(60)
        except subprocess.TimeoutExpired:
            self._process.kill()


def scraped(address: str, name: str) -> float:
    """The sum of a metric over its labels, NaN where it is not told or nobody answers."""
    try:
        with urllib.request.urlopen(address, timeout=5) as answer:
            text = answer.read().decode()
    except OSError:
        return math.nan
    found = re.findall(rf"^{name}(?:\{{.*\}})? (\S+)$", text, re.MULTILINE)
    return sum(map(float, found)) if found else math.nan


def _is_java(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/comm").read_text().strip() == "java"
    except OSError:
        return False


def cpu_seconds(pid: int) -> float:
    """Of a process and all below it that run, and of those that have ended and were waited for."""
    total = 0
    for one in tree(pid):
        try:
            fields = Path(f"/proc/{one}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        total += sum(map(int, fields[11:15]))
    return total / _TICKS


@contextmanager
def producing(servers: str, topic: str, rate: int) -> Iterator[int]:
    """A producer's process, by its id."""
    command = [sys.executable, "-m", "benchmarks.kafka_producer", servers, topic, str(rate)]
    with subprocess.Popen(command, stdin=subprocess.PIPE) as process:
        yield process.pid


def run(minutes: float = MINUTES, rate: int = RATE, overload: bool = False) -> None:
    """Measure and print."""
    print(f"\n{NAME}: {WHAT}", flush=True)
    servers, topic = started().servers, f"sustained-{os.getpid()}"
    create(servers, topic, _KEPT_UNDER_OVERLOAD if overload else _KEPT)
    with tempfile.TemporaryDirectory() as folder:
        job = Job(servers, topic, Path(folder), 9400 + os.getpid() % 500, overload=overload)
        try:
            with producing(servers, topic, rate) as producer:
                measure(job, producer, minutes, rate)
        finally:
            job.stop()


def measure(job: Job, producer: int, minutes: float, rate: int) -> None:
    """A line a minute, and at the end what the processes took."""
    job.wait_for_batch()
    time.sleep(WARM_SECONDS)
    kinds = {"producer": producer, "broker": started().pid, "firesteel": job.pid}
    before = {kind: cpu_seconds(pid) for kind, pid in kinds.items()}
    began = time.monotonic()
    for number in range(1, max(1, round(minutes)) + 1):
        minute = Minute()
        while time.monotonic() < began + min(60.0 * number, 60.0 * minutes):
            minute.lags.append(job.metric("firesteel_lag_messages") / rate)
            for kind, size in job.memory().items():
                minute.memory.setdefault(kind, []).append(size)
            time.sleep(1)
        print(f"  minute {number:>2}: {minute.text()}", flush=True)
    seconds = time.monotonic() - began
    shares = (f"{kind} {(cpu_seconds(pid) - before[kind]) / seconds:.2f}" for kind, pid in kinds.items())
    print(f"  cores: {', '.join(shares)}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=MINUTES)
    parser.add_argument("--rate", type=int, default=RATE)
    parser.add_argument("--overload", action="store_true")
    given = parser.parse_args()
    run(given.minutes, given.rate, given.overload)


if __name__ == "__main__":
    main()
