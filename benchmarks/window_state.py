"""State at the end of many windows beside that of two: what is over leaves nothing behind.

usage: python -m benchmarks.window_state [--rows N] [QUERY ...]

Each query runs twice on the stream host with a checkpoint, over windows of the same length and with as many
keys: N rows, in which a hundred windows pass, and a fiftieth of them. What counts is the number of entries of
keyed state, as the progress line tells it behind each micro-batch.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from benchmarks.time_workloads import CLICKS
from benchmarks.workload import HOLE

NAME = "window-state"
WHAT = "entries of state of 20M rows and 100 windows, and of 400K rows and 2, stream host"

ROWS = 20_000_000
WINDOWS = 100

_TUMBLE = "TUMBLE(TABLE clicks, DESCRIPTOR(ts), {window})"
_HOP = "HOP(TABLE clicks, DESCRIPTOR(ts), {slide}, {window})"
_SESSION = "SESSION(TABLE clicks PARTITION BY k, DESCRIPTOR(ts), {gap})"
_AGGREGATE = (
    "INSERT INTO hole SELECT k, COUNT(*), MAX(v), COUNT(DISTINCT v) FROM TABLE({}) "
    "GROUP BY k, window_start, window_end"
)
_OVER = (
    "INSERT INTO hole SELECT k, COUNT(*) OVER w, MAX(v) OVER w, COUNT(DISTINCT v) OVER w FROM clicks "
    "WINDOW w AS (PARTITION BY k ORDER BY ts {} PRECEDING AND CURRENT ROW)"
)
QUERIES = {
    "tumble": _AGGREGATE.format(_TUMBLE),
    "hop": _AGGREGATE.format(_HOP),
    "session": _AGGREGATE.format(_SESSION),
    "over-range": _OVER.format("RANGE BETWEEN {window}"),
    "over-rows": _OVER.format("ROWS BETWEEN 4"),
    "sort": "INSERT INTO hole SELECT k, n, v, CAST(1 AS BIGINT) FROM clicks ORDER BY ts",
}


class Entries:
    """Follows how many entries of state there are behind each micro-batch."""

    def __init__(self) -> None:
        self.behind: list[int] = []

    def watch(self, progress: object) -> None:
        if progress.batches > len(self.behind):  # type: ignore[attr-defined]
            self.behind.append(progress.state_entries)  # type: ignore[attr-defined]


def run(rows: int = ROWS, names: tuple[str, ...] = ()) -> None:
    """Measure the queries, all if none is named, and print what each run leaves, and the most on its way:
    what is over is merged away a few micro-batches later."""
    print(f"\n{NAME}: {WHAT}", flush=True)
    for name in names or tuple(QUERIES):
        many, few = (entries(name, rows, count) for count in (WINDOWS, 2))
        print(
            f"  {name:<11} {many[-1]:>10,} at the end, {max(many):>10,} at most; "
            f"of two windows {few[-1]:>10,} and {max(few):>10,}",
            flush=True,
        )


def entries(name: str, rows: int, windows: int) -> list[int]:
    """Behind each micro-batch of a run in which so many of a hundred windows pass."""
    from firesteel import TableEnvironment
    from firesteel.sql.parser import parse_statement

    window = rows // WINDOWS  # milliseconds, and rows
    keys = max(10, window // 4)
    lengths = {"window": window, "slide": window // 5, "gap": 4 * keys}
    query = QUERIES[name].format(**{unit: _interval(length) for unit, length in lengths.items()})
    with tempfile.TemporaryDirectory() as folder:
        environment = TableEnvironment.create(
            configuration={
                "execution.checkpointing.dir": str(Path(folder) / "checkpoint"),
                "firesteel.source.max-rows-per-batch": str(window),
            }
        )
        environment.execute_sql(CLICKS.format(rows=window * windows, keys=keys))
        environment.execute_sql(HOLE.format(columns="k INT, c BIGINT, m INT, d BIGINT"))
        found = Entries()
        environment.execute(parse_statement(query), query, watch=found.watch).wait()
    return found.behind


def _interval(milliseconds: int) -> str:
    """Of more than 99 seconds, too."""
    seconds, rest = divmod(milliseconds, 1000)
    hours, minutes = divmod(seconds // 60, 60)
    return f"INTERVAL '0 {hours:02}:{minutes:02}:{seconds % 60:02}.{rest:03}' DAY TO SECOND"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=ROWS)
    parser.add_argument(
        "query", nargs="*", metavar="QUERY", help=f"of {', '.join(QUERIES)}; all if none is named"
    )
    options = parser.parse_args()
    run(options.rows, tuple(options.query))


if __name__ == "__main__":
    main()
