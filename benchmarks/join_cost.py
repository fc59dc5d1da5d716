"""What one micro-batch of changes to one input of a join costs over few and over many rows of the other.

usage: python -m benchmarks.join_cost [--rows N ...] [--query NAME]

Both inputs have N rows when files of 50,000 changes to the left one come, one after another, each when the
one before is worked off. At the end the job is started again on its checkpoint.
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.process_tree import Peak, cpu_seconds
from benchmarks.state_cost import Reader, put_file
from benchmarks.workload import HOLE

NAME = "join-cost"
WHAT = "one batch of 50K changes over 50K and over 5M rows of the other input of a join, stream host"

CHANGES = 50_000
FILES = 7
COUNTED = 5
ROWS = (50_000, 5_000_000)
ROWS_PER_FILE = 500_000

TABLE = """\
CREATE TABLE {name} (id BIGINT, k BIGINT, v INT, PRIMARY KEY (id) NOT ENFORCED) WITH (
  'connector' = 'filesystem', 'path' = '{folder}', 'format' = 'canal-json',
  'source.monitor-interval' = '100 ms')"""
QUERIES = {
    "inner": "INSERT INTO hole SELECT l.id, r.id, l.v, r.v FROM l JOIN r ON l.k = r.k",
    "left": "INSERT INTO hole SELECT l.id, r.id, l.v, r.v FROM l LEFT JOIN r ON l.k = r.k",
    "condition": "INSERT INTO hole SELECT l.id, r.id, l.v, r.v FROM l FULL JOIN r ON l.k = r.k AND l.v < r.v",
    "in": "INSERT INTO hole SELECT id, k, v, v FROM l WHERE k IN (SELECT k FROM r)",
}
_COLUMNS = "a BIGINT, b BIGINT, v INT, w INT"


class Job:
    """A join over two watched folders, with a checkpoint.

    Args:
        folder: Of the tables and the checkpoint.
        query: Its name.
    """

    def __init__(self, folder: Path, query: str) -> None:
        self._folder, self._query = folder, query
        self._read = 0
        for name in "lr":
            (folder / name).mkdir(exist_ok=True)

    def __enter__(self) -> Job:
        from firesteel import TableEnvironment
        from firesteel.sql.parser import parse_statement

        environment = TableEnvironment.create(
            configuration={"execution.checkpointing.dir": str(self._folder / "checkpoint")}
        )
        for name in "lr":
            environment.execute_sql(TABLE.format(name=name, folder=self._folder / name))
        environment.execute_sql(HOLE.format(columns=_COLUMNS))
        self._reader, text = Reader(), QUERIES[self._query]
        self._read = 0
        self._result: Any = environment.execute(parse_statement(text), text, watch=self._reader.watch)
        return self

    def __exit__(self, *_: object) -> None:
        self._result.cancel()

    def give(self, table: str, name: str, lines: str, rows: int) -> tuple[float, float]:
        """Put a file into a table's folder and wait for its rows. Return seconds and processor seconds."""
        cpu = cpu_seconds(os.getpid())
        began = put_file(self._folder / table, name, lines)
        self._read += rows
        self._reader.wait_for(self._read)
        return time.monotonic() - began, cpu_seconds(os.getpid()) - cpu


def insert(number: int) -> str:
    return f'{{"data":[{{"id":"{number}","k":"{number}","v":"1"}}],"type":"INSERT"}}\n'


def update(number: int, new: int) -> str:
    row = f'{{"id":"{number}","k":"{number}","v":"{new}"}}'
    return f'{{"data":[{row}],"old":[{{"v":"{new - 1}"}}],"type":"UPDATE"}}\n'


def run(rows: tuple[int, ...] = ROWS, query: str = "inner") -> None:
    """Measure all sizes and print the ratio of the last to the first."""
    print(f"\n{NAME}: {WHAT}, {query}", flush=True)
    costs = [cost(each, query) for each in rows]
    print(f"  ratio {costs[-1][0] / costs[0][0]:.2f}, of CPU seconds {costs[-1][1] / costs[0][1]:.2f}")


def cost(rows: int, query: str) -> tuple[float, float]:
    """Return the median seconds and processor seconds of a batch over `rows` rows of each input."""
    with tempfile.TemporaryDirectory() as name, Peak(os.getpid()) as peak:
        folder = Path(name)
        with Job(folder, query) as job:
            for table in "rl":
                for first in range(0, rows, ROWS_PER_FILE):
                    last = min(rows, first + ROWS_PER_FILE)
                    job.give(
                        table, f"rows-{first:09d}", "".join(map(insert, range(first, last))), last - first
                    )
            loaded = peak.take()
            versions: dict[int, int] = {}
            rng, taken = random.Random(7), []
            for number in range(FILES):
                lines = []
                for key in rng.sample(range(rows), CHANGES // 2):
                    versions[key] = versions.get(key, 1) + 1
                    lines.append(update(key, versions[key]))
                taken.append(job.give("l", f"update-{number}", "".join(lines), CHANGES))
        changed = peak.take()
        began = time.monotonic()
        with Job(folder, query) as job:
            job.give("l", "again", "".join(map(insert, range(rows, rows + 1000))), 1000)
            again = time.monotonic() - began
    seconds, cpu = (statistics.median(each) for each in zip(*taken[-COUNTED:], strict=True))
    print(f"  {rows:>10,} rows of each: {seconds:.3f} s and {cpu:.3f} CPU s a batch,", end=" ")
    print(f"{loaded:.2f} GiB at most while they are loaded and {changed:.2f} GiB while they change;", end=" ")
    print(f"{again:.1f} s from a restart to the end of its first batch", flush=True)
    return seconds, cpu


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--rows", type=int, nargs="+", default=ROWS)
    parser.add_argument("--query", choices=QUERIES, default="inner")
    options = parser.parse_args()
    run(tuple(options.rows), options.query)


if __name__ == "__main__":
    main()
