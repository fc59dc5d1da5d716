"""Kill a running job again and again, let it end, and hold what it wrote against the answer.

usage: python -m tests.recovery.kills [--kills N] [--events N] [--batches N] [--mode bundles] [--folder DIR]
    [--beside]

--beside: next to each run another one is started on the same checkpoint, which must be refused.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.recovery.job import NAMES
from tests.spark.jobs import write_changes

Row = tuple[Any, ...]
ROOT = Path(__file__).parents[2]


class Run(subprocess.Popen[bytes]):
    """A process of the job. What it says goes to a file: its Spark may outlive it and writes there, too."""

    def __init__(self, command: list[str]) -> None:
        self._file = tempfile.TemporaryFile()  # noqa: SIM115 - open for as long as the process
        super().__init__(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=self._file)

    @property
    def said(self) -> str:
        return os.pread(self._file.fileno(), 1 << 20, 0).decode()


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
    groups = defaultdict(list)
    for name, count in rows.values():
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
    arguments = map(str, (source, output, checkpoint, rows, mode, *kill))
    command = [sys.executable, "-m", "tests.recovery.job", *arguments]
    return Run(command)


def commits(checkpoint: Path) -> int:
    """How many batches Spark has committed; it keeps the files of the last hundred."""
    files = (checkpoint / "spark" / "commits").glob("[0-9]*")
    return max((int(f.name) + 1 for f in files if f.name.isdigit()), default=0)


def kill_after(process: Run, checkpoint: Path, batches: int, delay: float, whom: str) -> bool:
    """SIGKILL Python, the JVM or both once `batches` more are committed and `delay` has passed; whether
    the job was still running."""
    wanted = commits(checkpoint) + batches
    while commits(checkpoint) < wanted and process.poll() is None:
        time.sleep(0.01)
    time.sleep(delay)
    if process.poll() is not None:
        return False
    jvms = children(process.pid)
    for victim in {"python": [process.pid], "jvm": jvms, "both": [process.pid, *jvms]}[whom]:
        os.kill(victim, signal.SIGKILL)
    process.wait()
    return True


def only_one(process: Run, other: Run) -> tuple[Run, bool]:
    """Of two runs on one checkpoint, the one that goes on when the other has ended, and whether that was
    refused; one that was ended by another's work being done was not.

    Raises AssertionError where one failed in another way.
    """
    while process.poll() is None and other.poll() is None:
        time.sleep(0.02)
    ended, left = (process, other) if process.poll() is not None else (other, process)
    assert ended.returncode == 0 or "is in use by process" in ended.said, ended.said
    return left, ended.returncode != 0


def children(pid: int) -> list[int]:
    """The processes that `pid` started: the JVM."""
    text = Path(f"/proc/{pid}/task/{pid}/children").read_text()
    return [int(word) for word in text.split()]


@dataclass
class Counts:
    """What happened: runs killed while they worked, and runs beside them that were refused."""

    killed: int = 0
    refused: int = 0


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
    chance = random.Random(seed)
    source, checkpoint = folder / "in.json", folder / "checkpoint"
    output, left = sink or (str(folder / "out"), lambda: written(folder / "out"))
    write_changes(source, events, names=max(7, events // 50), seed=seed)
    rows = max(1, events // batches)
    counts = Counts()
    for number in range(kills):
        process = start(source, output, checkpoint, rows, mode)
        if beside:
            time.sleep(chance.uniform(0, 6))
            process, refused = only_one(process, start(source, output, checkpoint, rows, mode))
            counts.refused += refused
        whom = ("python", "both", "jvm")[number % 3]
        share = (batches - commits(checkpoint)) // (kills - number + 1)
        counts.killed += kill_after(
            process, checkpoint, chance.randrange(0, max(1, share)), chance.uniform(0, 0.5), whom
        )
    process = start(source, output, checkpoint, rows, mode)
    assert process.wait() == 0, process.said
    assert left() == answer(source)
    return counts


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
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
        counts = run(
            folder, options.events, options.kills, options.batches, options.mode, beside=options.beside
        )
    print(f"{options.events} events, {counts}, the files fold to the answer")


if __name__ == "__main__":
    main()
