"""Kill a running job again and again, let it end, and hold what it wrote against the answer.

usage: python -m tests.recovery.kills [--job groups|sessions|over|joins] [--kills N] [--events N]
    [--batches N] [--mode bundles] [--folder DIR] [--beside]

--job: groups folds to an answer; the others (window_jobs.py) write what a run without kills writes, and drop
the same late rows.
--beside: next to each run another one is started on the same checkpoint, which must be refused.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from tests.recovery.job import NAMES
from tests.recovery.runs import Counts, Killer, Run, finish
from tests.recovery.window_jobs import JOBS, changes, late_rows, write_script
from tests.spark.jobs import write_changes

Row = tuple[Any, ...]


def answer(source: Path) -> Counter[Row]:
    """SELECT name, SUM(cnt), MAX(cnt), COUNT(DISTINCT cnt), COUNT(*) ... GROUP BY name over the rows that
    are left."""
    rows: dict[str, tuple[str, int]] = {}
    for line in source.read_text().splitlines():
        message = json.loads(line)
        row = message["data"][0]
        if message["type"] == "DELETE":
            del rows[row["id"]]
        else:
            rows[row["id"]] = (row["name"], int(row["cnt"]))
    return totals(rows.values())


def totals(rows: Iterable[tuple[str, int]]) -> Counter[Row]:
    """The same of rows (name, cnt)."""
    groups = defaultdict(list)
    for name, count in rows:
        groups[name].append(count)
    return Counter(
        (name, sum(counts), max(counts), len(set(counts)), len(counts)) for name, counts in groups.items()
    )


def written(output: Path) -> Counter[Row]:
    """The rows that are left in the sink's files."""
    return folded_files(output, NAMES)


def folded_files(output: Path, names: Sequence[str]) -> Counter[Row]:
    """The rows that are left of all changes in files: a name, then numbers. Raises ValueError where a row was
    taken away more often than it was given."""
    left: Counter[Row] = Counter()
    for file in sorted(output.rglob("*")):
        if file.is_dir() or any(part.startswith((".", "_")) for part in file.relative_to(output).parts):
            continue
        for line in file.read_text().splitlines():
            message = json.loads(line)
            row = message["data"][0]
            key = (row["name"], *(int(row[name]) for name in names[1:]))
            left[key] += {"INSERT": 1, "DELETE": -1}[message["type"]]
    if any(count < 0 for count in left.values()):
        raise ValueError(f"taken away what was not there: {[k for k, n in left.items() if n < 0][:5]}")
    return +left


def start(source: Path, output: Path | str, checkpoint: Path, rows: int, mode: str, *kill: str) -> Run:
    return Run("tests.recovery.job", source, output, checkpoint, rows, mode, *kill)


def run(
    folder: Path,
    events: int,
    kills: int,
    batches: int,
    mode: str = "records",
    seed: int = 1,
    beside: bool = False,
    sink: tuple[str, Callable[[], Counter[Row]]] | None = None,
) -> Counts:
    """All of it. sink: one besides the files, as job.py takes it, and the rows that are left in it.

    Raises AssertionError where the answer is wrong, or a run beside another is not refused.
    """
    source, checkpoint = folder / "in.json", folder / "checkpoint"
    output, left = sink or (str(folder / "out"), lambda: written(folder / "out"))
    write_changes(source, events, names=max(7, events // 50), seed=seed)
    rows = max(1, events // batches)

    def begin() -> Run:
        return start(source, output, checkpoint, rows, mode)

    counts = Killer(begin, checkpoint, batches, random.Random(seed), beside).kill(kills)
    assert left() == answer(source)
    return counts


def run_windows(
    folder: Path, job: str, events: int, kills: int, batches: int, seed: int = 1, beside: bool = False
) -> tuple[Counts, int]:
    """A job of windows (window_jobs.py) with kills and without; also how many rows were late.

    Raises AssertionError where the two differ.
    """
    rows = max(1, events // batches)

    def in_folder(name: str) -> tuple[Path, Callable[[], Run]]:
        place = folder / name
        place.mkdir(parents=True, exist_ok=True)
        script = write_script(job, place, place / "out", events, seed)
        return place, lambda: Run(
            "tests.recovery.sql_job", script, place / "checkpoint", rows, place / "late"
        )

    whole, begin = in_folder("whole")
    started = time.monotonic()
    finish(begin())
    seconds = (time.monotonic() - started) / batches
    killed, begin = in_folder("killed")
    counts = Killer(begin, killed / "checkpoint", batches, random.Random(seed), beside, seconds).kill(kills)
    late = late_rows(whole / "late")
    assert late_rows(killed / "late") == late
    expected, found = changes(whole / "out"), changes(killed / "out")
    differ = [key for key in {**expected, **found} if expected.get(key) != found.get(key)]
    assert not differ, f"{len(differ)} keys of {len(expected)} differ, the first is {differ[0]}"
    return counts, sum(late.values())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--job", choices=("groups", *JOBS), default="groups")
    parser.add_argument("--kills", type=int, default=30)
    parser.add_argument("--events", type=int, default=2_000_000)
    parser.add_argument("--batches", type=int, default=400)
    parser.add_argument("--mode", choices=("records", "bundles"), default="records")
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--beside", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.folder or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        sizes = options.events, options.kills, options.batches
        if options.job == "groups":
            counts = run(folder, *sizes, options.mode, beside=options.beside)
            print(f"{options.events} events, {counts}, the files fold to the answer")
        else:
            counts, late = run_windows(folder, options.job, *sizes, beside=options.beside)
            print(f"{options.events} events, {counts}, {late} late rows: as without kills")


if __name__ == "__main__":
    main()
