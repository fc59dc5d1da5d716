"""Cut the power at random steps of a job's micro-batches: all that was not synced is gone, or part of it.

usage: python -m tests.recovery.power_cuts [--cuts N] [--sink files|sqlite|kafka]... [--seed N]

The job is started again after each cut, and must end with the answer, or be refused. Runs in one process, so
a cut takes a few seconds.
"""

from __future__ import annotations

import argparse
import random
import shutil
import tempfile
import threading
from collections import Counter
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from firesteel.errors import FiresteelError
from firesteel.spark.launch.launch import create_session
from firesteel.spark.launch.settings import LaunchOptions
from tests.recovery.disk import Disk
from tests.recovery.line import ROWS, CutError, Line, stepped
from tests.recovery.sinks import sink_of

if TYPE_CHECKING:
    from firesteel.spark.launch.launch import Spark

SINKS = ("files", "sqlite", "kafka")
CONF = {"spark.sql.streaming.stateStore.maintenanceInterval": "1h"}
"""So that no thread of Spark's writes into a folder that has been replaced."""
_KEEPS = (0.0, 0.5, 0.9)
"""Chances that something which was not synced is on the disk all the same."""
_MOST_STEPS, _BATCHES = 60, 3
"""How many steps behind the beginning of which batch of a run the cut comes, at most."""
_CHECKED = 10
"""Cuts after which the job runs to the end, and is held against the answer."""


@dataclass
class Outcome:
    """What happened. steps: at which how many cuts came. refused: what was said."""

    cuts: int = 0
    ended: int = 0
    steps: Counter[str] = field(default_factory=Counter)
    refused: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        steps = ", ".join(f"{name} {count}" for name, count in self.steps.most_common())
        return (
            f"{self.cuts} cuts ({steps}), {self.ended} runs ended before theirs, {len(self.refused)} refused"
        )


class _Power:
    """Cuts at a step of a run; from then on each further one fails."""

    def __init__(self, disk: Disk, to: Path, chance: random.Random) -> None:
        self._disk, self._to, self._chance = disk, to, chance
        self._batches = chance.randint(0, _BATCHES)
        self._left = chance.randint(1, _MOST_STEPS)
        self._lock = threading.Lock()
        self.at: str | None = None

    def step(self, name: str) -> None:
        with self._lock:
            self._batches -= name == "before _deliver"
            self._left -= self._batches < 0
            if self._left == 0:
                self._disk.cut(self._to, self._chance, self._chance.choice(_KEEPS))
                self.at = name
            if self.at is not None:
                raise CutError(self.at)


def run(spark: Spark, folder: Path, kind: str, cuts: int, seed: int, disk: Disk) -> Outcome:
    """So many cuts of one job. Raises AssertionError where rows are missing, or there twice."""
    outcome, chance = Outcome(), random.Random(seed)
    with sink_of(kind, folder) as sink:
        line = Line(spark, folder / "line", seed, sink)
        while outcome.cuts < cuts:
            line.feed(chance.randint(ROWS, 4 * ROWS))
            if _cut(line, disk, chance, outcome) and outcome.cuts % _CHECKED == 0:
                _end(line, outcome)
        line.feed(ROWS)
        _end(line, outcome)
    return outcome


def _cut(line: Line, disk: Disk, chance: random.Random, outcome: Outcome) -> bool:
    """Run until the power is cut; whether it was."""
    to = line.home.with_name("left")
    power = _Power(disk, to, chance)
    disk.begin(line.home)
    try:
        with stepped(power.step):
            line.run()
    except Exception as error:
        if power.at is None:
            _refused(line, error, outcome)
            return False
    if power.at is None:
        outcome.ended += 1
        assert line.left() == line.answer(), "after a run that was not cut"
        return False
    outcome.cuts += 1
    outcome.steps[power.at] += 1
    line.put(to)
    return True


def _end(line: Line, outcome: Outcome) -> None:
    try:
        line.run()
    except FiresteelError as error:
        _refused(line, error, outcome)
    assert line.left() == line.answer(), f"after {outcome}"


def _refused(line: Line, error: Exception, outcome: Outcome) -> None:
    """A refusal is right only before the first row was delivered: then all can begin anew."""
    outcome.refused.append(str(error))
    assert isinstance(error, FiresteelError), error
    assert not line.left(), f"refused: {error}"
    shutil.rmtree(line.checkpoint)
    line.run()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cuts", type=int, default=70)
    parser.add_argument("--sink", choices=SINKS, action="append")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        disk = Disk(folder / "trace")
        spark = create_session(LaunchOptions(host="stream", conf=CONF))
        stack.callback(spark.stop)
        for kind in options.sink or SINKS:
            (folder / kind).mkdir()
            outcome = run(spark, folder / kind, kind, options.cuts, options.seed, disk)
            print(f"{kind}: {outcome}; what stands there is the answer", flush=True)
            for said in outcome.refused:
                print(f"  refused: {said}", flush=True)


if __name__ == "__main__":
    main()
