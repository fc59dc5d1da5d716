"""Runs of a job on a checkpoint: what they say, how far they have come, and how they are killed."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]


class Run(subprocess.Popen[bytes]):
    """A process of the job. What it says goes to a file: its Spark may outlive it and writes there, too.

    Args:
        module: The module that it runs.
        arguments: Its arguments.
        environment: Variables besides those of this process.
    """

    def __init__(self, module: str, *arguments: object, environment: Mapping[str, str] | None = None) -> None:
        self._file = tempfile.TemporaryFile()  # noqa: SIM115 - open for as long as the process
        command = [sys.executable, "-m", module, *map(str, arguments)]
        super().__init__(
            command,
            cwd=ROOT,
            stdout=subprocess.DEVNULL,
            stderr=self._file,
            env={**os.environ, **(environment or {})},
        )

    @property
    def said(self) -> str:
        return os.pread(self._file.fileno(), 1 << 20, 0).decode()


def commits(checkpoint: Path) -> int:
    """How many batches Spark has committed; it keeps the files of the last hundred. The folder is that of a
    statement, or one with a single statement's."""
    files = (file for found in ("spark", "*/spark") for file in checkpoint.glob(f"{found}/commits/[0-9]*"))
    return max((int(f.name) + 1 for f in files if f.name.isdigit()), default=0)


@dataclass
class Counts:
    """What happened: runs killed while they worked, and runs beside them that were refused."""

    killed: int = 0
    refused: int = 0


@dataclass(frozen=True)
class Killer:
    """Kills the runs of a job that works for about so many batches, of about so many seconds. beside: next to
    each run another one is started on the same checkpoint, which must be refused."""

    start: Callable[[], Run]
    checkpoint: Path
    batches: int
    chance: random.Random
    beside: bool = False
    seconds: float = 0.5

    def kill(self, kills: int) -> Counts:
        """So many runs, then one to the end. Raises AssertionError where that fails."""
        counts = Counts()
        for number in range(kills):
            process = self.start()
            if self.beside:
                time.sleep(self.chance.uniform(0, 6))
                process, refused = only_one(process, self.start())
                counts.refused += refused
            whom = ("python", "both", "jvm")[number % 3]
            share = (self.batches - commits(self.checkpoint)) // (kills - number + 1)
            batches, delay = self.chance.randint(1, max(1, share)), self.chance.uniform(0, self.seconds)
            counts.killed += kill_after(process, self.checkpoint, batches, delay, whom)
        finish(self.start())
        return counts


def finish(process: Run) -> None:
    """Wait for the end of a run. Raises AssertionError where it fails."""
    assert process.wait() == 0, process.said


def kill_after(process: Run, checkpoint: Path, batches: int, delay: float, whom: str) -> bool:
    """SIGKILL Python, the JVM or both once `batches` more are committed and `delay` has passed, or the next
    batch is committed; whether the job was still running."""
    wanted = commits(checkpoint) + batches
    while commits(checkpoint) < wanted and process.poll() is None:
        time.sleep(0.01)
    end = time.monotonic() + delay
    while time.monotonic() < end and commits(checkpoint) == wanted:
        time.sleep(0.01)
    if process.poll() is not None:
        return False
    jvms = children(process.pid)
    for victim in {"python": [process.pid], "jvm": jvms, "both": [process.pid, *jvms]}[whom]:
        os.kill(victim, signal.SIGKILL)
    return process.wait() != 0


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
    """The processes that `pid` started, in any of its threads: the JVM among them."""
    texts = (task.read_text() for task in Path(f"/proc/{pid}/task").glob("*/children"))
    return [int(word) for text in texts for word in text.split()]
