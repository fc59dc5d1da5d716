"""What the web page costs a job: without it, with a client that watches the job, and one that sees rows, too.

usage: python -m benchmarks.page_cost [--rows N] [--rounds N]

The same INSERT with a GROUP BY runs on the stream host in each way, by turns, in one process and one Spark.
The client is a process of its own that reads the page's events as a browser does.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlencode

from benchmarks.time_workloads import CLICKS
from benchmarks.workload import HOLE
from firesteel import TableEnvironment

ROWS = 20_000_000
BATCH = 500_000
QUERY = "INSERT INTO hole SELECT k, COUNT(*), SUM(v) FROM clicks GROUP BY k"
WITHOUT, JOB, JOB_AND_ROWS = WAYS = "without", "job", "job and rows"
_READ = "import sys, urllib.request as u\nfor line in u.urlopen(sys.argv[1]): pass"


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


def seconds(session: TableEnvironment, way: str) -> float:
    """Run the query once, and return how long it took."""
    if way == WITHOUT:
        return _run(session)
    from firesteel.cli.ui import page

    with page(0, None, as_json=False) as url:
        return _run(session, url, {"rows": "view=changes"} if way == JOB_AND_ROWS else {})


def _run(session: TableEnvironment, url: str | None = None, watched: dict[str, str] | None = None) -> float:
    begun = time.monotonic()
    result = session.execute_sql(QUERY)
    assert result.record is not None
    if url is None:
        result.wait()
    else:
        with _client(f"{url}/api/v1/events?{urlencode({'job': result.record.id, **(watched or {})})}"):
            result.wait()
    return time.monotonic() - begun


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
    seconds(session, WITHOUT)  # Spark starts, and workers load their modules
    found: dict[str, list[float]] = {way: [] for way in WAYS}
    for number in range(options.rounds):
        for way in (*WAYS[number % 3 :], *WAYS[: number % 3]):
            found[way].append(seconds(session, way))
            print(f"  round {number + 1}, {way:<13} {found[way][-1]:7.2f} s", flush=True)
    base = statistics.median(found[WITHOUT])
    for way, times in found.items():
        middle = statistics.median(times)
        print(
            f"  {way:<13} median {middle:7.2f} s ({middle / base - 1:+.1%}), best {min(times):7.2f} s, "
            f"{options.rows / middle:,.0f} rows/s",
            flush=True,
        )
    session.close()


if __name__ == "__main__":
    main()
