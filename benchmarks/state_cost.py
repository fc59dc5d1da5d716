"""What one micro-batch of 50,000 changes costs over little and over much state.

A directory is watched; files of changes are put into it one after another, each when the one before is
worked off. The time from a file's arrival to the end of its micro-batch is the cost.
"""

from __future__ import annotations

import random
import statistics
import tempfile
import threading
import time
from pathlib import Path

NAME = "state-cost"
WHAT = "one batch of 50K changes over 50K and over 5M keys of state, stream host"

CHANGES = 50_000
FILES = 7
COUNTED = 5
KEYS = (50_000, 5_000_000)
ROWS_PER_FILE = 1_000_000
DEADLINE_SECONDS = 600

SOURCE = """\
CREATE TABLE source (k BIGINT, v INT) WITH ('connector' = 'filesystem', 'path' = '{folder}',
  'format' = 'json', 'source.monitor-interval' = '100 ms')"""
SINK = "CREATE TABLE hole (k BIGINT, s INT, c BIGINT) WITH ('connector' = 'blackhole')"
QUERY = "INSERT INTO hole SELECT k, SUM(v), COUNT(*) FROM source GROUP BY k"


class Reader:
    """Follows the rows that a job has read; `wait_for` returns when a micro-batch with them has ended."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._read = 0
        self._batches = 0
        self._read_at_end = 0

    def watch(self, progress: object) -> None:
        with self._changed:
            self._read = progress.read  # type: ignore[attr-defined]
            if progress.batches != self._batches:  # type: ignore[attr-defined]
                self._batches = progress.batches  # type: ignore[attr-defined]
                self._read_at_end = self._read
            self._changed.notify_all()

    def wait_for(self, rows: int) -> None:
        with self._changed:
            if not self._changed.wait_for(lambda: self._read_at_end >= rows, DEADLINE_SECONDS):
                raise TimeoutError(f"{rows} rows were not read in {DEADLINE_SECONDS} s")


def run() -> None:
    """Measure both sizes and print their ratio."""
    print(f"\n{NAME}: {WHAT}", flush=True)
    costs = []
    for keys in KEYS:
        costs.append(cost(keys))
        print(f"  firesteel  {keys:>10,} keys {costs[-1]:8.3f} s a batch", flush=True)
    print(f"  ratio {costs[1] / costs[0]:.2f}")


def cost(keys: int) -> float:
    """Median seconds of a batch over `keys` keys."""
    from firesteel import TableEnvironment
    from firesteel.sql.parser import parse_statement

    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "source"
        source.mkdir()
        environment = TableEnvironment.create(
            configuration={"execution.checkpointing.dir": str(Path(folder) / "checkpoint")}
        )
        environment.execute_sql(SOURCE.format(folder=source))
        environment.execute_sql(SINK)
        reader = Reader()
        result = environment.execute(parse_statement(QUERY), QUERY, watch=reader.watch)
        try:
            return _measure(source, keys, reader)
        finally:
            result.cancel()


def _measure(source: Path, keys: int, reader: Reader) -> float:
    read = 0
    for first in range(0, keys, ROWS_PER_FILE):
        last = min(keys, first + ROWS_PER_FILE)
        put_file(source, f"keys-{first:09d}", "".join(f'{{"k":{k},"v":1}}\n' for k in range(first, last)))
        read += last - first
        reader.wait_for(read)
    rng, taken = random.Random(7), []
    for number in range(FILES):
        rows = "".join(f'{{"k":{rng.randrange(keys)},"v":2}}\n' for _ in range(CHANGES))
        started = put_file(source, f"late-{number}", rows)
        read += CHANGES
        reader.wait_for(read)
        taken.append(time.monotonic() - started)
    return statistics.median(taken[-COUNTED:])


def put_file(source: Path, name: str, content: str) -> float:
    """Write a file beside the folder and move it in, whole; the time of its arrival."""
    beside = source.parent / name
    beside.write_text(content, encoding="utf-8")
    beside.rename(source / f"{name}.json")
    return time.monotonic()
