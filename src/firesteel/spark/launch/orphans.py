"""Cleanup of the JVM and Python workers that a killed driver leaves behind.

Spark's JVM sees the end of its input and ends by itself. Before that, it completes its current work: a task,
the stop of its context, its class-data archive. The fork server also sees the end of the driver. It gives the
other processes a few seconds and then kills them.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

PATIENCE_SECONDS = 3.0
"""Seconds in which Spark may end by itself."""
_PAUSE = 0.05
_PROCESSES = Path("/proc")
_STATE, _STARTED = 0, 19
"""Indexes of the process's state and start time among the fields of /proc/PID/stat after its `(NAME)`."""


class Orphans:
    """The processes that Spark's JVM and this process have started, and the JVM. Empty without /proc.

    The JVM and this process each lead a session, and the processes that they start stay in it.

    Args:
        jvm: Process ID of the running JVM.
    """

    def __init__(self, jvm: int) -> None:
        self._jvm = jvm
        self._started = _field(jvm, _STARTED)

    def end(self, patience: float = PATIENCE_SECONDS) -> None:
        """Wait until the processes have ended, then kill those that are left.

        Args:
            patience: Seconds to wait.
        """
        end = time.monotonic() + patience
        while (left := list(self._left())) and time.monotonic() < end:
            time.sleep(_PAUSE)
        for process in left:
            with suppress(OSError):  # The process has just ended.
                os.kill(process, signal.SIGKILL)

    def _left(self) -> Iterator[int]:
        sessions = self._sessions()
        names = (path.name for path in _PROCESSES.iterdir()) if _PROCESSES.is_dir() else iter(())
        for process in (int(name) for name in names if name.isdigit()):
            with suppress(OSError):
                if process != os.getpid() and os.getsid(process) in sessions and _runs(process):
                    yield process

    def _sessions(self) -> set[int]:
        # If another process leads this process's session, the session may have other programs: leave it out.
        own = {os.getpid()} & {os.getsid(0)}
        started = _field(self._jvm, _STARTED)
        # True if the JVM has ended and its process ID belongs to a later process.
        is_another = started is not None and started != self._started
        return own if is_another else own | {self._jvm}


def _runs(process: int) -> bool:
    """Return whether a process is running.

    An ended process stays as a zombie until its parent reads its status.
    """
    return _field(process, _STATE) not in (None, "Z")


def _field(process: int, number: int) -> str | None:
    """Return a field of a process's status, or None if the process is gone."""
    try:
        text = (_PROCESSES / str(process) / "stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    return text.rpartition(")")[2].split()[number]
