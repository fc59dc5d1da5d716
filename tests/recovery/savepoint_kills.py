"""Kill `firesteel savepoint` and `firesteel rescale` at random moments.

usage: python -m tests.recovery.savepoint_kills [--kills N] [--job NAME] [--seed N]

A killed savepoint leaves no folder, or one whose state is that of the checkpoint. A killed rescale leaves the
old parallelism or the new one, with the same state. At the end the job goes on and must put out what it does
when it is not interrupted.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from firesteel.runtime.state.size import StateSize
from firesteel.spark.checkpoint.fingerprint import read
from firesteel.spark.internals.hash_partitions import key_group_labels
from firesteel.spark.launch.launch import create_session
from firesteel.spark.launch.settings import LaunchOptions
from firesteel.spark.stream.stored_state import StoredState
from tests.recovery.kept_archive import unpack
from tests.recovery.kept_run import KEPT, continued
from tests.recovery.runs import ROOT, children

if TYPE_CHECKING:
    from firesteel.spark.launch.launch import Spark

_RUN = "import sys; sys.argv[0] = 'firesteel'; from firesteel.cli.main import command; command()"
Contents = dict[tuple[int, int], dict[str, StateSize]]
"""Sizes of the states, by stage and key group."""


def contents(spark: Spark, statement: Path) -> tuple[int, Contents]:
    """Return the parallelism of a statement's checkpoint and its states, all of whose runs are there."""
    saved = read(None, str(statement))
    assert saved is not None, f"{statement} is gone"
    labels = key_group_labels(saved["key_groups"], saved["partitions"])
    state = StoredState(spark.session.newSession(), str(statement))
    state.check()
    return saved["partitions"], {
        (group.stage, labels.index(group.label)): {n: group.contents.size(n) for n in group.contents.entries}
        for group in state.groups
    }


def run(spark: Spark, folder: Path, name: str, kills: int, seed: int) -> Counter[str]:
    """Kill so many commands of each kind. Return how they ended.

    Raises:
        AssertionError: A checkpoint or savepoint is neither the old one nor the new one.
    """
    archive = KEPT / "2026-11-25" / f"{name}.tar.gz"
    base, chance, counts = folder / "job", random.Random(seed), Counter[str]()
    unpack(archive, base)
    (statement,) = (path for path in (base / "checkpoint").iterdir() if path.is_dir())
    parallelism, state = contents(spark, statement)
    seconds = 1.0
    for number in range(kills + 1):
        wanted = 1 + parallelism % 3
        is_last = number == kills
        begun = time.monotonic()
        command = ["rescale", str(base / "checkpoint"), "--parallelism", str(wanted)]
        after = None if not number or is_last else chance.uniform(0.2, 1.0) * seconds
        killed = _killed(command, after, with_jvm=bool(number % 2))
        seconds = seconds if number else time.monotonic() - begun
        now, found = contents(spark, statement)
        assert found == state
        assert now in ((parallelism, wanted) if killed else (wanted,))
        counts[f"rescale {'killed' if killed else 'done'}, {'new' if now == wanted else 'old'}"] += 1
        parallelism = now

        target = folder / "savepoint"
        command = ["savepoint", str(base / "checkpoint"), str(target)]
        killed = _killed(command, None if is_last else chance.uniform(0.2, 1.0) * seconds)
        assert killed or target.exists()
        if target.exists():
            assert contents(spark, target / statement.name) == (parallelism, state)
            shutil.rmtree(target)
        counts[f"savepoint {'killed' if killed else 'done'}"] += 1
        assert contents(spark, statement) == (parallelism, state)
    left = [path.name for path in folder.iterdir() if path.name != "job"]
    assert not left, f"{left} are left beside the savepoint"
    expected = json.loads(archive.with_name("expected.json").read_text(encoding="utf-8"))[name]
    assert continued(spark, base, expected) == expected
    return counts


def _killed(arguments: list[str], seconds: float | None, with_jvm: bool = True) -> bool:
    """Run a command and kill it after so many seconds. Return whether it was killed.

    Args:
        arguments: The command's arguments.
        seconds: When it is killed; None for never.
        with_jvm: Whether its Spark is killed, too. Else that lives on for a moment.
    """
    process = subprocess.Popen(
        [sys.executable, "-c", _RUN, *arguments],
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    try:
        _, said = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        for victim in (process.pid, *(children(process.pid) if with_jvm else ())):
            with suppress(ProcessLookupError):
                os.kill(victim, signal.SIGKILL)
        process.wait()
        return True
    assert process.returncode == 0, said.decode()
    return False


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--job", default="windows")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    spark = create_session(LaunchOptions(host="stream"))
    try:
        with tempfile.TemporaryDirectory() as folder:
            counts = run(spark, Path(folder), options.job, options.kills, options.seed)
    finally:
        spark.stop()
    print(", ".join(f"{count} {what}" for what, count in sorted(counts.items())), flush=True)


if __name__ == "__main__":
    main()
