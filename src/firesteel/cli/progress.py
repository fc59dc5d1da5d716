"""Progress of a running job on stderr: a live line on a terminal, else a plain line every 15 seconds.

Jobs that end within two seconds print nothing.
"""

from __future__ import annotations

import sys
import threading
import time
from collections import Counter
from collections.abc import Mapping
from datetime import datetime
from types import TracebackType
from typing import TYPE_CHECKING, TextIO

from firesteel.counted import amount, amount_of, counted

if TYPE_CHECKING:
    from firesteel.spark.progress import Progress

QUIET_SECONDS = 2.0
"""Seconds before the first progress is shown."""

LIVE_SECONDS = 0.25
FIRST_SECONDS, PLAIN_SECONDS = 10.0, 15.0
"""Seconds before the first plain line, and between two of them."""


def time_of_day(millis: int) -> str:
    """Return the local time of milliseconds since 1970: 12:30:05, or 12:30:05.250 with a fraction."""
    whole = "seconds" if millis % 1000 == 0 else "milliseconds"
    return datetime.fromtimestamp(millis / 1000).time().isoformat(whole)


def now() -> str:
    """Return the time with its zone, as a line of a log begins: 2026-05-01T12:30:05+02:00."""
    return datetime.now().astimezone().isoformat(timespec="seconds")


def causes_text(causes: Mapping[str, int]) -> str:
    """Return counts by cause, the largest first: `4 invalid_value, 3 damaged_message`."""
    found = sorted(causes.items(), key=lambda each: (-each[1], each[0]))
    return ", ".join(f"{amount(count)} {cause}" for cause, count in found)


def describe(seconds: float, progress: Progress | None) -> str:
    """Return the progress on one line: time, phase, rows, changes, dropped input, batches, state, lag.

    Args:
        seconds: Time since the start of the statement.
        progress: Counters of the job. Counters that are 0 are left out. None shows only the time.
    """
    parts = [f"running for {seconds:.0f} s"]
    if progress is not None and progress.phase:
        parts.append(progress.phase)
    if progress is not None and progress.read:
        parts.append(f"{amount_of(progress.read, 'row')} read ({amount(progress.rate)}/s)")
        parts.append(f"{amount_of(progress.changes, 'change')} out")
    if progress is not None and progress.skipped:
        parts.append(
            f"{amount_of(progress.skipped, 'message')} skipped ({causes_text(progress.skip_causes)})"
        )
    if progress is not None and progress.dead_letters:
        parts.append(amount_of(progress.dead_letters, "dead letter"))
    if progress is not None and progress.late:
        parts.append(f"{amount_of(progress.late, 'late row')} dropped")
    if progress is not None and progress.batches:
        parts.append(counted(progress.batches, "micro-batch", "micro-batches"))
    if progress is not None and progress.watermark:
        parts.append(f"mini-batch of {time_of_day(progress.watermark)}")
    if progress is not None and progress.state_entries:
        parts.append(f"{amount_of(progress.state_entries, 'entry', 'entries')} of state")
    if progress is not None and (waiting := sum(progress.lags.values())):
        parts.append(f"{amount_of(waiting, 'message')} behind")
    return ", ".join(parts)


class ProgressLine:
    """Context that shows a statement's progress.

    Pass the counters of each job to `watch`. Call `hide` before you write a result.
    """

    def __init__(self, out: TextIO | None = None, *, as_json: bool = False) -> None:
        self._out = out or sys.stderr
        self._json = as_json
        self._live = self._out.isatty() and not as_json
        self._latest: Progress | None = None
        self._jobs: dict[int, Progress] = {}
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._follow, daemon=True)

    def __enter__(self) -> ProgressLine:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.hide()

    def watch(self, progress: Progress) -> None:
        self._latest = progress
        self._jobs[id(progress)] = progress

    @property
    def latest(self) -> Progress | None:
        """Counters of the last report of a job; None before the first report."""
        return self._latest

    @property
    def skipped(self) -> Counter[str]:
        """Number of messages that the statement's jobs have skipped, by cause."""
        return sum((progress.skip_causes for progress in self._jobs.values()), Counter[str]())

    def hide(self) -> None:
        """Remove the line from the screen, and show no progress any more."""
        if not self._done.is_set():
            self._done.set()
            self._thread.join()

    def _follow(self) -> None:
        started = time.monotonic()
        if self._done.wait(QUIET_SECONDS):
            return
        if self._live:
            self._follow_live(started)
            return
        pause = FIRST_SECONDS - QUIET_SECONDS
        while not self._done.wait(pause):
            pause = PLAIN_SECONDS
            seconds = time.monotonic() - started
            if self._json:
                from firesteel.cli.json_logs import tell_progress

                tell_progress(seconds, self._latest, self._out)
            else:
                print(now(), describe(seconds, self._latest), file=self._out, flush=True)

    def _follow_live(self, started: float) -> None:
        from rich.console import Console
        from rich.live import Live
        from rich.spinner import Spinner

        spinner = Spinner("dots")
        console = Console(file=self._out)
        with Live(spinner, console=console, transient=True, refresh_per_second=1 / LIVE_SECONDS):
            while not self._done.wait(LIVE_SECONDS):
                spinner.update(text=describe(time.monotonic() - started, self._latest))
