"""Restore older copies of a checkpoint or a sink, taken at random moments, while the other keeps what it has.

usage: python -m tests.recovery.restores [--restores N] [--of checkpoint|savepoint|sink]
       [--sink files|sqlite|kafka]... [--seed N]

The next run must be refused, or be complete. One that was refused is run again with a way on. If the
checkpoint was restored, `resume-from-sink` must leave the answer, each change delivered once, and
`deliver-again` must leave no row out. The same holds for a savepoint, which is taken while the job runs, and
is put in another folder. If the sink was restored, `deliver-again` must leave the answer. A broker cannot
be restored here.
"""

from __future__ import annotations

import argparse
import random
import shutil
import sqlite3
import tempfile
import threading
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from firesteel.errors import NotSupportedError, UsageError
from firesteel.spark.checkpoint.fingerprint import FILE
from firesteel.spark.checkpoint.recovery_plan import DELIVER_AGAIN, REFUSE, RESUME
from firesteel.spark.launch.launch import create_session
from firesteel.spark.launch.settings import LaunchOptions
from firesteel.spark.savepoint.savepoint import write_savepoint
from firesteel.spark.stream.stored_state import StoredState
from tests.recovery.line import ROWS, Line, stepped
from tests.recovery.power_cuts import CONF, SINKS
from tests.recovery.sinks import sink_of

if TYPE_CHECKING:
    from firesteel.spark.launch.launch import Spark

CHECKPOINT, SAVEPOINT = "checkpoint", "savepoint"
_SYNC = "_sync"
_MOST_STEPS = 150
"""How many steps behind the beginning of a run a copy is taken, at most."""


@dataclass
class Outcome:
    """How runs on a restored copy ended. unresumed: of those refused, they could not resume."""

    restores: int = 0
    complete: int = 0
    refused: int = 0
    resumed: int = 0
    again: int = 0
    unresumed: int = 0

    def __str__(self) -> str:
        return (
            f"{self.restores} restores: {self.complete} complete, {self.refused} refused; of these "
            f"{self.resumed} resumed, {self.again} delivered again ({self.unresumed} could not resume)"
        )


class _Copy:
    """Copies the checkpoint, or what the sink has, at a step of a run.

    Before a job has begun with the folder there is nothing to copy: an empty one is another job to the sink.
    """

    def __init__(self, line: Line, of: Path, to: Path, chance: random.Random) -> None:
        self._line, self._of, self._to = line, of, to
        self._left = chance.randint(0, _MOST_STEPS)
        self._lock = threading.Lock()

    def step(self, name: str) -> None:
        with self._lock:
            self._left -= 1
            # a thread that syncs may run beside the driver while that moves files of the sink
            is_still = self._of == self._line.checkpoint or not name.endswith(_SYNC)
            if self._left <= 0 and is_still and (self._line.checkpoint / FILE).exists():
                self.take()

    def take(self) -> None:
        """Copy it, if that was not done before. What Spark is writing is left out."""
        if self._to.exists():
            return
        if self._of.is_file():
            with closing(sqlite3.connect(self._of)) as source, closing(sqlite3.connect(self._to)) as target:
                source.backup(target)
        elif self._of.exists():
            shutil.copytree(self._of, self._to, ignore=shutil.ignore_patterns("*.tmp"))

    def put(self) -> None:
        """Put the copy in place of what is there."""
        if self._of.is_file():  # connections to the file stay
            with closing(sqlite3.connect(self._to)) as source, closing(sqlite3.connect(self._of)) as target:
                source.backup(target)
            self._to.unlink()
            return
        shutil.rmtree(self._of)
        self._to.rename(self._of)


class _Savepoint(_Copy):
    """Takes a savepoint at a step of a run, and checks that Spark opens it."""

    is_busy = False

    def step(self, name: str) -> None:
        if not self.is_busy:  # the savepoint's own syncs are steps, too
            super().step(name)

    def take(self) -> None:
        """Take it, if that was not done before and a micro-batch has ended."""
        if self._to.exists() or not list(self._of.glob("spark/commits/[0-9]*")):
            return

        def check(folder: Path, batch: int) -> None:
            StoredState(self._line.spark.session.newSession(), str(folder), batch).check()

        self.is_busy = True
        try:
            write_savepoint(str(self._of), str(self._to), check)
        finally:
            self.is_busy = False


def run(spark: Spark, folder: Path, kind: str, restores: int, seed: int, of: str = CHECKPOINT) -> Outcome:
    """So many restores. Raises AssertionError where rows are missing, or there twice."""
    outcome, chance = Outcome(), random.Random(seed)
    number = 0
    while outcome.restores < restores:
        number += 1
        place = folder / str(number)
        place.mkdir()
        with sink_of(kind, place) as sink:
            line = Line(spark, place / "line", seed + number, sink)
            is_checkpoints = of in (CHECKPOINT, SAVEPOINT)
            restored = line.checkpoint if is_checkpoints else line.out if kind == "files" else place / "db"
            kind_of_copy = _Savepoint if of == SAVEPOINT else _Copy
            while outcome.restores < restores and _restore(line, restored, chance, outcome, kind_of_copy):
                continue
    return outcome


def _restore(
    line: Line, of: Path, chance: random.Random, outcome: Outcome, kind: type[_Copy] = _Copy
) -> bool:
    """One restore; whether the sink may go on, as nothing stands there twice."""
    copy = kind(line, of, line.home.with_name("copy"), chance)
    line.feed(chance.randint(ROWS, 4 * ROWS))
    with stepped(copy.step):
        line.run()
    copy.take()
    for _ in range(chance.randint(0, 2)):
        line.feed(chance.randint(1, 3 * ROWS))
        line.run()
    assert line.left() == line.answer()
    copy.put()
    outcome.restores += 1
    line.feed(chance.randint(1, 3 * ROWS))
    if of != line.checkpoint:
        return _is_filled(line, outcome)
    return _goes_on(line, chance.choice((RESUME, DELIVER_AGAIN)), outcome)


def _goes_on(line: Line, way: str, outcome: Outcome) -> bool:
    try:
        line.run(REFUSE)
    except UsageError as error:
        if "--recover" not in str(error.hint):
            raise
        outcome.refused += 1
    else:
        outcome.complete += 1
        assert line.left() == line.answer(), "complete"
        return True
    if way == RESUME and _resumes(line, outcome):
        return True
    line.run(DELIVER_AGAIN)
    outcome.again += 1
    missing = line.answer().keys() - line.ever()
    assert not missing, f"delivered again: {missing} are missing"
    return False


def _is_filled(line: Line, outcome: Outcome) -> bool:
    """Whether the job fills a sink that lacks rows. It must be exact, as nothing is there twice."""
    try:
        line.run(REFUSE)
    except UsageError as error:
        if f"--recover {DELIVER_AGAIN}" not in str(error.hint):
            raise
        outcome.refused += 1
        line.run(DELIVER_AGAIN)
        outcome.again += 1
    else:
        outcome.complete += 1
    assert line.left() == line.answer(), "filled"
    return True


def _resumes(line: Line, outcome: Outcome) -> bool:
    try:
        line.run(RESUME)
    except NotSupportedError as error:
        print(f"  {error}", flush=True)
        outcome.unresumed += 1
        return False
    outcome.resumed += 1
    assert line.left() == line.answer(), "resumed"
    return True


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--restores", type=int, default=14)
    parser.add_argument("--sink", choices=SINKS, action="append")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--of", choices=(CHECKPOINT, SAVEPOINT, "sink"), default=CHECKPOINT)
    options = parser.parse_args()
    if options.of == "sink" and "kafka" in (options.sink or ()):
        parser.error("a broker cannot be restored here")
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        spark = create_session(LaunchOptions(host="stream", conf=CONF))
        stack.callback(spark.stop)
        for kind in options.sink or (("files", "sqlite") if options.of == "sink" else SINKS):
            (folder / kind).mkdir()
            outcome = run(spark, folder / kind, kind, options.restores, options.seed, options.of)
            print(f"{kind}: {outcome}; nothing is missing", flush=True)


if __name__ == "__main__":
    main()
