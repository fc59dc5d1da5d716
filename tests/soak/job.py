"""A job of the soak: `firesteel run` of a script with a checkpoint, its stops, and how far it has come."""

from __future__ import annotations

import json
import math
import signal
import subprocess
import time
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from benchmarks.kafka_sustained import scraped
from tools.kafka_broker import unused_address

from tests.recovery.runs import Run, commits
from tests.recovery.targets import Table
from tests.soak.feed import Sent, SoakFeed

_STOPPED = 128 + signal.SIGTERM
_STEP_SECONDS = 0.2
_MARK = "SOAK_JOB"
"""Variable of all processes of a job: its folder."""


class EndedError(AssertionError):
    """A job ended though nobody stopped it."""


@dataclass
class Job:
    """A job, which is started with `begin`.

    Attributes:
        name: Its name.
        folder: Its own folder.
        head: The script up to the tables that it writes.
        tables: The tables that it writes, by name.
        topics: The topics that it reads.
        feed: What fills them.
        patience: Seconds in which a micro-batch must come and a command end.
        run: Its process; None while it is stopped.
        past: What its earlier processes and commands have said.
    """

    name: str
    folder: Path
    head: str
    tables: Mapping[str, Table]
    topics: tuple[str, ...]
    feed: SoakFeed
    patience: float
    run: Run | None = None
    past: str = ""
    _address: str = ""
    _known: int = 0

    @property
    def checkpoint(self) -> Path:
        return self.folder / "checkpoint"

    def write_script(self) -> Path:
        """Write the script for its tables as they are now. Return its file."""
        inserts = "".join(f"INSERT INTO {name} {to.query.text};\n" for name, to in self.tables.items())
        text = self.head + "".join(to.declaration for to in self.tables.values())
        file = self.folder / "job.sql"
        file.write_text(f"{text}EXECUTE STATEMENT SET BEGIN\n{inserts}END;\n", encoding="utf-8")
        return file

    @property
    def said(self) -> str:
        """Return what its processes and commands have said."""
        return self.past + (self.run.said if self.run is not None else "")

    @property
    def restarts(self) -> int:
        """Return how often it has restarted by itself."""
        return self.said.count("Restart ")

    # --- processes -------------------------------------------------------------------------------
    def begin(self) -> None:
        """Start it, or go on from its checkpoint."""
        address = unused_address()
        self._address = f"http://{address}/metrics"
        port = address.partition(":")[2]
        options = ("--checkpoint", self.checkpoint, "--metrics-port", port)
        arguments = ("firesteel.cli.main", "run", self.write_script(), *options)
        self.run = Run(*arguments, environment={_MARK: str(self.folder)})

    def stop(self) -> None:
        """Stop it as a service manager does."""
        run = self.running()
        run.send_signal(signal.SIGTERM)
        status = self._status(run)
        assert status == _STOPPED, f"{self.name} ends with status {status}: {run.said[-3000:]}"
        self._keep(run)

    def kill(self) -> None:
        """Kill it, if it runs, at the end of the soak."""
        if self.run is not None:
            self.run.kill()
            self.run.wait()
            self._keep(self.run)

    def command(self, *arguments: object) -> None:
        """Run a command of Firesteel to its end."""
        run = Run("firesteel.cli.main", *arguments)
        try:
            status = self._status(run)
        finally:
            run.kill()
            self.past += run.said
        assert status == 0, f"firesteel {arguments[0]} ends with status {status}: {run.said[-3000:]}"

    def running(self) -> Run:
        """Return its process. Raises EndedError if it has ended."""
        assert self.run is not None, f"{self.name} is stopped"
        if (status := self.run.poll()) is not None:
            raise EndedError(f"{self.name} ended by itself, status {status}: {self.run.said[-3000:]}")
        return self.run

    def processes(self) -> list[int]:
        """Return its process and all that belong to it.

        A worker whose parent was killed is no descendant of it any more.
        """
        mark = f"{_MARK}={self.folder}".encode()
        found = (int(each.name) for each in Path("/proc").iterdir() if each.name.isdigit())
        return [pid for pid in found if mark in _environment(pid)]

    def _status(self, run: Run) -> int | None:
        """Return the exit status of a process; None if it does not end within the patience."""
        with suppress(subprocess.TimeoutExpired):
            return run.wait(self.patience)
        return None

    def _keep(self, run: Run) -> None:
        self.past += run.said
        self.run = None

    # --- progress --------------------------------------------------------------------------------
    def works(self, batches: int = 1) -> None:
        """Wait for so many micro-batches more. Raises AssertionError when the patience is at its end."""
        wanted = commits(self.checkpoint) + batches
        if not self._wait(lambda: commits(self.checkpoint) >= wanted):
            raise AssertionError(
                f"{self.name}: no micro-batch after {self.patience:.0f} s: {self.said[-3000:]}"
            )

    def _wait(self, condition: Callable[[], bool]) -> bool:
        """Wait for a condition while the job runs. Return whether it came within the patience."""
        end = time.monotonic() + self.patience
        while not condition():
            self.running()
            if time.monotonic() > end:
                return False
            time.sleep(_STEP_SECONDS)
        return True

    def lag(self) -> int:
        """Return how many messages were sent that no committed micro-batch has."""
        produced = sum(self.feed.produced[topic] for topic in self.topics)
        if (found := _read(self.checkpoint, self.topics)) is not None:
            self._known = found
        return max(0, produced - self._known)

    def metric(self, name: str) -> float:
        """Return a metric, NaN if it is not told."""
        return scraped(self._address, name) if self.run is not None else math.nan

    def check(self, sent: Sent) -> None:
        """Wait until all is read and its tables hold the answers.

        Raises:
            AssertionError: They do not, when the patience is at its end. It says what differs.
        """
        if not self._wait(lambda: self.lag() == 0):
            raise AssertionError(f"{self.name} has {self.lag()} messages left to read: {self.said[-3000:]}")
        for name, table in self.tables.items():
            expected = table.query.answer(sent)
            if not self._wait(lambda to=table, of=expected: to.left() == of):
                found = table.left()
                missing, wrong = list((expected - found).items()), list((found - expected).items())
                raise AssertionError(
                    f"{name}: {len(missing)} of {len(expected)} rows are missing, {len(wrong)} are wrong: "
                    f"{missing[:5]}, {wrong[:5]}"
                )


def _environment(pid: int) -> list[bytes]:
    """Return the variables that a process began with; none if it has ended."""
    try:
        return Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    except OSError:
        return []


def _read(checkpoint: Path, topics: Collection[str]) -> int | None:
    """Return how many messages of topics the committed micro-batches have; None if that is not known now."""
    with suppress(OSError, ValueError):  # the folder may be replaced at this moment
        last = commits(checkpoint) - 1
        for file in checkpoint.glob(f"*/spark/offsets/{last}"):
            found = [json.loads(line) for line in file.read_text().splitlines()[2:]]
            return sum(
                sum(partitions.values())
                for offset in found
                for topic, partitions in offset["at"].items()
                if topic in topics
            )
    return None
