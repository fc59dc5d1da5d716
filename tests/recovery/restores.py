"""Restore older copies of a checkpoint, taken at random moments, while the sink keeps what it has.

usage: python -m tests.recovery.restores [--restores N] [--sink files|sqlite|kafka]... [--seed N]

The next run must be refused, or be complete. One that was refused is run again with each of the two ways on:
`resume-from-sink` must leave the answer, each change delivered once; `deliver-again` must leave no row out.
"""

from __future__ import annotations

import argparse
import random
import shutil
import tempfile
import threading
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from firesteel.errors import NotSupportedError, UsageError
from firesteel.spark.checkpoint.fingerprint import FILE
from firesteel.spark.checkpoint.recovery_plan import DELIVER_AGAIN, REFUSE, RESUME
from firesteel.spark.launch.launch import create_session
from firesteel.spark.launch.settings import LaunchOptions
from tests.recovery.line import ROWS, Line, stepped
from tests.recovery.power_cuts import CONF, SINKS
from tests.recovery.sinks import sink_of

if TYPE_CHECKING:
    from firesteel.spark.launch.launch import Spark

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
    """Copies the checkpoint at a step of a run.

    Before a job has begun with the folder there is nothing to copy: an empty one is another job to the sink.
    """

    def __init__(self, line: Line, to: Path, chance: random.Random) -> None:
        self._line, self._to = line, to
        self._left = chance.randint(0, _MOST_STEPS)
        self._lock = threading.Lock()

    def step(self, name: str) -> None:
        with self._lock:
            self._left -= 1
            if self._left <= 0 and (self._line.checkpoint / FILE).exists():
                self.take()

    def take(self) -> None:
        """Copy the checkpoint, if that was not done before. What Spark is writing is left out."""
        if not self._to.exists():
            shutil.copytree(self._line.checkpoint, self._to, ignore=shutil.ignore_patterns("*.tmp"))


def run(spark: Spark, folder: Path, kind: str, restores: int, seed: int) -> Outcome:
    """So many restores. Raises AssertionError where rows are missing, or there twice."""
    outcome, chance = Outcome(), random.Random(seed)
    number = 0
    while outcome.restores < restores:
        number += 1
        place = folder / str(number)
        place.mkdir()
        with sink_of(kind, place) as sink:
            line = Line(spark, place / "line", seed + number, sink)
            while outcome.restores < restores and _restore(line, chance, outcome):
                continue
    return outcome


def _restore(line: Line, chance: random.Random, outcome: Outcome) -> bool:
    """One restore; whether the sink may go on, as nothing stands there twice."""
    to = line.home.with_name("copy")
    copy = _Copy(line, to, chance)
    line.feed(chance.randint(ROWS, 4 * ROWS))
    with stepped(copy.step):
        line.run()
    copy.take()
    for _ in range(chance.randint(0, 2)):
        line.feed(chance.randint(1, 3 * ROWS))
        line.run()
    assert line.left() == line.answer()
    shutil.rmtree(line.checkpoint)
    to.rename(line.checkpoint)
    outcome.restores += 1
    line.feed(chance.randint(1, 3 * ROWS))
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
    options = parser.parse_args()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        spark = create_session(LaunchOptions(host="stream", conf=CONF))
        stack.callback(spark.stop)
        for kind in options.sink or SINKS:
            (folder / kind).mkdir()
            outcome = run(spark, folder / kind, kind, options.restores, options.seed)
            print(f"{kind}: {outcome}; nothing is missing", flush=True)


if __name__ == "__main__":
    main()
