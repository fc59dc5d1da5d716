"""Processor time and memory of a process and all that it started."""

from __future__ import annotations

import os
import threading
from pathlib import Path

from benchmarks.memory import proportional, tree

_TICKS = os.sysconf("SC_CLK_TCK")
_STEP_SECONDS = 0.25


def cpu_seconds(pid: int) -> float:
    """Return the processor seconds of a process tree so far, with those of children that have ended."""
    ticks = 0
    for one in tree(pid):
        try:
            values = Path(f"/proc/{one}/stat").read_text().rsplit(")", 1)[1].split()
        except OSError:  # it has ended
            continue
        ticks += sum(map(int, values[11:15]))
    return ticks / _TICKS


class Peak:
    """The most memory that a process tree holds while this is open, in GiB.

    Pages that several processes share count once (proportional set sizes).

    Args:
        pid: Of the first process.
    """

    def __init__(self, pid: int) -> None:
        self.gib = 0.0
        self._pid = pid
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> Peak:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()

    def take(self) -> float:
        """Return the peak since the last call, in GiB."""
        peak, self.gib = self.gib, 0.0
        return peak

    def _watch(self) -> None:
        while not self._ended.wait(_STEP_SECONDS):
            self.gib = max(self.gib, sum(map(proportional, tree(self._pid))) / (1 << 20))
