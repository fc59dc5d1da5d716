"""Check `firesteel upgrade` with many changes of a script, or kill it at random moments.

usage: python -m tests.recovery.upgrades [--kills N] [--rows N] [--sink SINK] [--seed N]
       python -m tests.recovery.upgrades --changes [--rows N] [--only PATTERN] [--sink SINK] [--seed N]

With --changes, a job of N rows gets each change of upgrade_cases.py. Then the sinks must have the answer of
the new query, after no more changes than the two answers differ in.

Without it, upgrades of a job of N rows are killed. After a kill, each sink must have the whole answer of the
old query or of the new one. Then there is one more file, and either the old script or the new one goes on
from the checkpoint, and the other one is refused. The sinks must have exactly the answer of its query. Old
and new take turns.

The keyed sink is a SQLite table, or with --sink kafka a topic of upsert-kafka.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from tools.kafka_broker import Broker

from firesteel.errors import UsageError
from firesteel.spark.launch.launch import create_session
from firesteel.spark.launch.settings import LaunchOptions
from tests.recovery.runs import ROOT, children
from tests.recovery.upgrade_cases import CASES
from tests.recovery.upgrade_changes import changes
from tests.recovery.upgrade_rows import SMALL, Shape
from tests.recovery.upgrade_run import Job, Version

if TYPE_CHECKING:
    from firesteel.spark.launch.launch import Spark

_RUN = "import sys; sys.argv[0] = 'firesteel'; from firesteel.cli.main import command; command()"
_LEAST = 0.2
"""Earliest kill, as a share of the time that the command takes."""


def run(
    spark: Spark, base: Path, kills: int, seed: int, rows: int = 12, broker: Broker | None = None
) -> Counter[str]:
    """Kill so many upgrades. Return how they ended.

    Raises:
        AssertionError: The checkpoint or a sink is neither the old one nor the new one.
    """
    case = next(each for each in CASES if each.name == "another aggregate")
    now, then = case.before, replace(case.after, sources=case.before.sources)
    shape = SMALL if rows <= 12 else Shape.of(rows, seed)
    job = Job(spark, base, now, then, shape=shape, broker=broker)
    chance, counts = random.Random(seed), Counter[str]()
    job.feed(0, rows)
    job.run(now)
    seconds = 0.0
    for number in range(kills + 1):
        begun = time.monotonic()
        after = None if number in (0, kills) else chance.uniform(_LEAST, 1.0) * seconds
        killed = _killed(job, then, after)
        seconds = seconds if number else time.monotonic() - begun
        told = _check_whole(job, now, then)
        job.feed(number + 1)
        is_new = _goes_on(job, then)
        assert is_new or killed, "the upgrade has ended, and the new script is refused"
        if is_new:
            now, then = then, now
        elif not _goes_on(job, now):
            raise AssertionError("both scripts are refused")
        assert job.table(now) == job.log(now) == job.answer(now), f"upgrade {number}: {job.table(now)}"
        counts[f"{'killed' if killed else 'done'}, {'new' if is_new else 'old'}, {told}"] += 1
        print(f"upgrade {number}: {counts}", file=sys.stderr, flush=True)
        left = sorted(path.name for path in (base / "checkpoint").iterdir() if path.is_dir())
        assert len([name for name in left if not name.startswith(".")]) == 1, left
    return counts


def _check_whole(job: Job, now: Version, then: Version) -> str:
    """Check that each sink has the old answer or the new one as a whole. Return how many have the new one."""
    old, new = job.answer(now), job.answer(then)
    found = [job.table(now), job.log(now)]
    assert all(each in (old, new) for each in found), "a sink has got a part of the difference"
    return f"{sum(each == new for each in found)} sinks new"


def _goes_on(job: Job, version: Version) -> bool:
    """Run a version until it has read all. Return whether the checkpoint is its own."""
    try:
        job.run(version)
    except UsageError as error:
        if "belongs to another version of the statement" not in str(error):
            raise
        return False
    return True


def _killed(job: Job, version: Version, seconds: float | None) -> bool:
    """Upgrade to a version and kill the command after so many seconds, None for never.

    Returns:
        Whether it was killed.
    """
    script = job.base / "upgrade.sql"
    script.write_text(job.script(version))
    options = [word for key, value in job.options.items() for word in ("--set", f"{key}={value}")]
    process = subprocess.Popen(
        [sys.executable, "-c", _RUN, "upgrade", str(script), "--yes", *options],
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    try:
        _, said = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        for victim in (process.pid, *children(process.pid)):
            with suppress(ProcessLookupError):
                os.kill(victim, signal.SIGKILL)
        process.wait()
        return True
    assert process.returncode == 0, said.decode()
    return False


def _print_changes(spark: Spark, base: Path, rows: int, seed: int, only: str, broker: Broker | None) -> None:
    cases = [case for case in CASES if re.search(only, case.name)]
    count, failed = 0, []
    for outcome in changes(spark, base, rows, seed, cases, broker):
        print(outcome, flush=True)
        count += not outcome.error
        failed += [outcome.case.name] if outcome.error else []
    print(f"{count} changes of a job of {rows:,} rows are right; {len(failed)} are not", flush=True)
    if failed:
        raise SystemExit(1)


@contextmanager
def _broker(sink: str) -> Iterator[Broker | None]:
    """Run the broker of a kind of sink; None if it needs none."""
    if sink != "kafka":
        yield None
        return
    with tempfile.TemporaryDirectory() as folder:
        broker = Broker(Path(folder))
        try:
            yield broker
        finally:
            broker.stop()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--changes", action="store_true")
    parser.add_argument("--rows", type=int, help="rows of the job: 1200 for --changes, else 12, by default")
    parser.add_argument("--sink", choices=("sqlite", "kafka"), default="sqlite")
    parser.add_argument("--only", default="", help="pattern of the names of changes")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    rows = (options.rows or (1200 if options.changes else 12)) // 3 * 3
    spark = create_session(LaunchOptions(host="stream"))
    try:
        with tempfile.TemporaryDirectory() as folder, _broker(options.sink) as broker:
            if options.changes:
                _print_changes(spark, Path(folder), rows, options.seed, options.only, broker)
                return
            counts = run(spark, Path(folder) / "job", options.kills, options.seed, rows, broker)
    finally:
        spark.stop()
    print(", ".join(f"{count} {what}" for what, count in sorted(counts.items())), flush=True)


if __name__ == "__main__":
    main()
