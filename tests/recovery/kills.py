"""Kill a running job again and again, let it end, and hold what it wrote against the answer.

usage: python -m tests.recovery.kills [--kills N] [--events N] [--batches N] [--mode bundles] [--folder DIR]
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
from pathlib import Path
from typing import Any

from tests.recovery.job import NAMES
from tests.spark.jobs import write_changes

Row = tuple[Any, ...]
ROOT = Path(__file__).parents[2]


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
    """The rows that are left of all changes in the sink's files. Raises ValueError where a row was taken
    away more often than it was given."""
    left: Counter[Row] = Counter()
    for file in sorted(output.rglob("*")):
        if file.is_dir() or any(part.startswith((".", "_")) for part in file.relative_to(output).parts):
            continue
        for line in file.read_text().splitlines():
            message = json.loads(line)
            row = message["data"][0]
            key = (row["name"], *(int(row[name]) for name in NAMES[1:]))
            left[key] += {"INSERT": 1, "DELETE": -1}[message["type"]]
    if any(count < 0 for count in left.values()):
        raise ValueError(f"taken away what was not there: {[k for k, n in left.items() if n < 0][:5]}")
    return +left


def start(source: Path, output: Path, checkpoint: Path, rows: int, mode: str) -> subprocess.Popen[bytes]:
    arguments = map(str, (source, output, checkpoint, rows, mode))
    command = [sys.executable, "-m", "tests.recovery.job", *arguments]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def commits(checkpoint: Path) -> int:
    """How many batches Spark has committed; it keeps the files of the last hundred."""
    files = (checkpoint / "spark" / "commits").glob("[0-9]*")
    return max((int(f.name) + 1 for f in files if f.name.isdigit()), default=0)


def kill_after(
    process: subprocess.Popen[bytes], checkpoint: Path, batches: int, delay: float, whom: str
) -> bool:
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
    process.communicate()
    return True


def children(pid: int) -> list[int]:
    """The processes that `pid` started: the JVM."""
    text = Path(f"/proc/{pid}/task/{pid}/children").read_text()
    return [int(word) for word in text.split()]


def run(folder: Path, events: int, kills: int, batches: int, mode: str = "records", seed: int = 1) -> int:
    """All of it; how often the job was really killed. Raises AssertionError where the answer is wrong."""
    chance = random.Random(seed)
    source, output, checkpoint = folder / "in.json", folder / "out", folder / "checkpoint"
    write_changes(source, events, names=max(7, events // 50), seed=seed)
    rows = max(1, events // batches)
    killed = 0
    for number in range(kills):
        process = start(source, output, checkpoint, rows, mode)
        whom = ("python", "both", "jvm")[number % 3]
        share = (batches - commits(checkpoint)) // (kills - number + 1)
        killed += kill_after(
            process, checkpoint, chance.randrange(0, max(1, share)), chance.uniform(0, 0.5), whom
        )
    process = start(source, output, checkpoint, rows, mode)
    _, said = process.communicate()
    assert process.returncode == 0, said.decode()
    assert written(output) == answer(source)
    return killed


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=30)
    parser.add_argument("--events", type=int, default=2_000_000)
    parser.add_argument("--batches", type=int, default=400)
    parser.add_argument("--mode", choices=("records", "bundles"), default="records")
    parser.add_argument("--folder", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.folder or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        killed = run(folder, options.events, options.kills, options.batches, options.mode)
    print(f"{options.events} events, killed {killed} times, the files fold to the answer")


if __name__ == "__main__":
    main()
