"""Two runs on one checkpoint: one is paused at a step of a micro-batch, the other takes over and ends the
work, then the first goes on. Nothing stands at the sink twice, nothing is missing, and the first run is told.

usage: python -m tests.recovery.fences [--place PLACE]... [--random N] [--sink files|sqlite] [--seed N]
       [--locks]

PLACE: fence_job.PLACES. --random: pauses the whole run, its JVM and its workers too, that often at any
instant. --locks: on a file system with locks, where the second run is refused and the first ends the work.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path

from tests.connectors.jdbc.databases import SqliteDatabase
from tests.recovery.fence_job import PLACES
from tests.recovery.kills import Row, answer, written
from tests.recovery.runs import Run, children, commits
from tests.recovery.sinks import database
from tests.spark.jobs import write_changes

_WAIT_SECONDS = 240.0
EVENTS, ROWS = 900, 150


def fenced(folder: Path, place: str | None, sink: str = "files", chance: random.Random | None = None) -> None:
    """Pause a run at a place, or at any instant for None. Raises AssertionError where it does harm."""
    folder.mkdir(parents=True, exist_ok=True)
    source, checkpoint, mark = folder / "in.json", folder / "checkpoint", folder / "mark"
    write_changes(source, EVENTS)
    output: str | Path = folder / "out"
    left: Callable[[], Counter[Row]] = lambda: written(folder / "out")  # noqa: E731
    if sink == "sqlite":
        output, left = database(SqliteDatabase(folder / "db"))
    pause = () if place is None else (place, mark)

    def start(*more: object) -> Run:
        return Run("tests.recovery.fence_job", source, output, checkpoint, ROWS, "none", *more)

    first = start(*pause)
    try:
        if not _stopped(first, checkpoint, mark if place else None, chance or random.Random(1)):
            assert place is None, first.said
            return  # it was done before
        second = start()
        assert second.wait(_WAIT_SECONDS) == 0, second.said
        assert "taking over the checkpoint" in second.said
        _tell(reversed(tree(first.pid)), signal.SIGCONT)
        assert first.wait(_WAIT_SECONDS) != 0, "it was told nothing"
        assert f"was taken over by process {second.pid} " in first.said, first.said
    finally:
        if first.poll() is None:  # a stopped process, and its JVM, would stay for ever
            _tell(tree(first.pid), signal.SIGKILL)
    assert left() == answer(source)


def locked(folder: Path, place: str) -> None:
    """Pause a run that holds the kernel's lock. Raises AssertionError if another run takes it over."""
    folder.mkdir(parents=True, exist_ok=True)
    source, checkpoint, mark = folder / "in.json", folder / "checkpoint", folder / "mark"
    write_changes(source, EVENTS)

    def start(*more: object) -> Run:
        module = "tests.recovery.fence_job"
        return Run(module, source, folder / "out", checkpoint, ROWS, "locks", *more)

    first = start(place, mark)
    try:
        assert _stopped(first, checkpoint, mark, random.Random(1)), first.said
        second = start()
        assert second.wait(_WAIT_SECONDS) != 0, "it took over"
        assert "is in use by process" in second.said, second.said
        _tell(reversed(tree(first.pid)), signal.SIGCONT)
        assert first.wait(_WAIT_SECONDS) == 0, first.said
    finally:
        if first.poll() is None:  # a stopped process, and its JVM, would stay for ever
            _tell(tree(first.pid), signal.SIGKILL)
    assert written(folder / "out") == answer(source)


def _stopped(first: Run, checkpoint: Path, mark: Path | None, chance: random.Random) -> bool:
    """Wait until the run stops at its place, or stop it at any instant; whether that was before its end."""
    wanted, end = chance.randint(1, EVENTS // ROWS - 2), time.monotonic() + _WAIT_SECONDS
    # A run that goes on before it has stopped itself would stop then.
    while not (mark.exists() and _is_stopped(first.pid)) if mark else commits(checkpoint) < wanted:
        if first.poll() is not None or time.monotonic() > end:
            return False
        time.sleep(0.005)
    if mark is None:
        time.sleep(chance.uniform(0, 0.3))
    _tell(tree(first.pid), signal.SIGSTOP)
    return first.poll() is None


def _is_stopped(pid: int) -> bool:
    with suppress(FileNotFoundError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "T"
    return False


def _tell(processes: Iterable[int], what: signal.Signals) -> None:
    for process in processes:
        with suppress(ProcessLookupError):  # a worker that has just ended
            os.kill(process, what)


def tree(pid: int) -> list[int]:
    """The process and all that it has started."""
    found = [pid]
    for child in children(pid):
        found += tree(child)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--place", choices=[*PLACES], action="append")
    parser.add_argument("--random", type=int, default=0)
    parser.add_argument("--sink", choices=("files", "sqlite"), default="files")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--locks", action="store_true")
    options = parser.parse_args()
    own = {"files": set(PLACES) - {"running"}, "sqlite": {"begun", "collected", "running", "committed"}}
    places = options.place or [place for place in PLACES if place in own[options.sink]]
    if options.locks:
        for place in options.place or [place for place in PLACES if place in own["files"]]:
            with tempfile.TemporaryDirectory() as temporary:
                locked(Path(temporary) / "run", place)
            print(f"locks, {place}: the second run is refused, the first is complete", flush=True)
        return
    chance = random.Random(options.seed)
    for number, place in enumerate([*places, *[None] * options.random]):
        with tempfile.TemporaryDirectory() as temporary:
            fenced(Path(temporary) / str(number), place, options.sink, chance)
        print(f"{options.sink}, {place or 'any instant'}: once, and told", flush=True)


if __name__ == "__main__":
    main()
