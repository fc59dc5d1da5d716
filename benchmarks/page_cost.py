"""What the web page costs a job: without it, with a client that watches the job, and one that sees rows, too.

usage: python -m benchmarks.page_cost [--rows N] [--rounds N]

The same INSERT with a GROUP BY runs on the stream host in each way, by turns, in one process and one Spark.
The client is a process of its own that reads the page's events as a browser does. Besides the time it takes,
each run's processor time is measured: that of the driver, the JVM and the workers, without the client. It
varies less from run to run, but by more than the page costs. So that of the page's own threads is measured,
too: the server's, and those that take its snapshots. What it leaves out is the samples that tasks send for a
client that sees rows.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlencode

from benchmarks.memory import tree
from benchmarks.time_workloads import CLICKS
from benchmarks.workload import HOLE
from firesteel import TableEnvironment

ROWS = 20_000_000
BATCH = 500_000
QUERY = "INSERT INTO hole SELECT k, COUNT(*), SUM(v) FROM clicks GROUP BY k"
WITHOUT, JOB, JOB_AND_ROWS = WAYS = "without", "job", "job and rows"
_TICKS = os.sysconf("SC_CLK_TCK")
_PAGE_THREADS = ("firesteel-ui", "asyncio_")
"""How the names of the page's threads begin: the server's, and those of its event loop's executor."""
_READ = "import sys, urllib.request as u\nfor line in u.urlopen(sys.argv[1]): pass"


class Cost(NamedTuple):
    """What a run took, in seconds.

    Attributes:
        time: Time from its begin to its end.
        processor: Processor time of the driver, the JVM and the workers.
        page: Part of the processor time that the page's threads took.
    """

    time: float
    processor: float
    page: float


def environment(rows: int, spark: Any = None) -> TableEnvironment:
    """Return a session with the tables of the query.

    Args:
        rows: Rows that the query reads.
        spark: The Spark to run on; None starts one.
    """
    found = TableEnvironment.create(
        spark, configuration={"firesteel.host": "stream", "firesteel.source.max-rows-per-batch": str(BATCH)}
    )
    found.execute_sql(CLICKS.format(rows=rows, keys=10_000))
    found.execute_sql(HOLE.format(columns="k INT, c BIGINT, s INT"))
    return found


def cost(session: TableEnvironment, way: str) -> Cost:
    """Run the query once, and return what it took."""
    if way == WITHOUT:
        return _run(session)
    from firesteel.cli.ui import page

    with page(0, None, as_json=False) as url:
        return _run(session, url, {"rows": "view=changes"} if way == JOB_AND_ROWS else {})


def _run(session: TableEnvironment, url: str | None = None, watched: dict[str, str] | None = None) -> Cost:
    before, served, begun = _processor_ticks(), _page_seconds(), time.monotonic()
    result = session.execute_sql(QUERY)
    assert result.record is not None
    if url is None:
        result.wait()
    else:
        with _client(f"{url}/api/v1/events?{urlencode({'job': result.record.id, **(watched or {})})}"):
            result.wait()
    return Cost(time.monotonic() - begun, _since(before), _page_seconds() - served)


def _page_seconds() -> float:
    """Return the processor time of the page's threads, which live until the page is closed."""
    clocks = [
        time.pthread_getcpuclockid(thread.ident)
        for thread in threading.enumerate()
        if thread.ident is not None and thread.name.startswith(_PAGE_THREADS)
    ]
    return sum(map(time.clock_gettime, clocks))


def _processor_ticks() -> dict[int, int]:
    """Return the processor time of this process, and of those that it started and that run, by process.

    A client that has ended does not count: this process has waited for it.
    """
    own, *others = tree(os.getpid())
    return {own: _ticks(own, 2), **{pid: _ticks(pid, 4) for pid in others}}


def _since(before: Mapping[int, int]) -> float:
    """Return the processor seconds since `before`, of the processes that still run."""
    return sum(max(0, ticks - before.get(pid, 0)) for pid, ticks in _processor_ticks().items()) / _TICKS


def _ticks(pid: int, fields: int) -> int:
    """Return utime and stime of a process, and with 4 fields those of its ended children, too."""
    try:
        status = Path(f"/proc/{pid}/stat").read_text()
    except OSError:  # It has ended.
        return 0
    return sum(map(int, status.rpartition(")")[2].split()[11 : 11 + fields]))


@contextmanager
def _client(url: str) -> Iterator[None]:
    """Read the events of a job in another process while the context is open."""
    reader = subprocess.Popen([sys.executable, "-c", _READ, url])
    try:
        yield
        if reader.poll() is not None:
            raise RuntimeError(
                f"the client has ended with status {reader.returncode}, so nothing was measured"
            )
    finally:
        reader.kill()
        reader.wait()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=ROWS)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    session = environment(options.rows)
    cost(session, WITHOUT)  # Spark starts, and workers load their modules
    found: dict[str, list[Cost]] = {way: [] for way in WAYS}
    for number in range(options.rounds):
        for way in (*WAYS[number % 3 :], *WAYS[: number % 3]):
            found[way].append(cost(session, way))
            taken, worked, page = found[way][-1]
            print(
                f"  round {number + 1}, {way:<13} {taken:7.2f} s, {worked:7.2f} s of processor,"
                f" {page:6.3f} s of it in the page's threads ({page / worked:.2%})",
                flush=True,
            )
    _print_summary(found)
    session.close()


def _print_summary(found: dict[str, list[Cost]]) -> None:
    for name, part in (("time", 0), ("processor", 1)):
        print(name)
        base = statistics.median(each[part] for each in found[WITHOUT])
        for way, costs in found.items():
            middle = statistics.median(each[part] for each in costs)
            least = min(each[part] for each in costs)
            print(f"  {way:<13} median {middle:7.2f} s ({middle / base - 1:+.1%}), least {least:7.2f} s")


if __name__ == "__main__":
    main()
