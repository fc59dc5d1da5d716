"""What ends with the driver: a JVM and Python workers that a killed driver leaves behind.

Spark's JVM sees the end of its input and ends by itself, but first it runs down what it is doing: a task, the
stop of its context, its class-data archive. The fork server sees the end of the driver, too, and gives them a
few seconds.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

PATIENCE_SECONDS = 3.0
"""In which Spark may end by itself."""
_PAUSE = 0.05
_PROCESSES = Path("/proc")
_STATE, _STARTED = 0, 19
"""Fields of /proc/PID/stat behind the name of the program."""


class Orphans:
    """The processes of Spark's JVM and of this one, on a system with /proc; elsewhere there are none.

    Both lead a session of their own, and what they start stays in it.

    Args:
        jvm: The process ID of the JVM, which runs.
    """

    def __init__(self, jvm: int) -> None:
        self._jvm = jvm
        self._started = _field(jvm, _STARTED)

    def end(self, patience: float = PATIENCE_SECONDS) -> None:
        """Wait until they have ended, then kill those that are left.

        Args:
            patience: Seconds to wait.
        """
        end = time.monotonic() + patience
        while (left := list(self._left())) and time.monotonic() < end:
            time.sleep(_PAUSE)
        for process in left:
            with suppress(OSError):  # it has just ended
                os.kill(process, signal.SIGKILL)

    def _left(self) -> Iterator[int]:
        sessions = self._sessions()
        names = (path.name for path in _PROCESSES.iterdir()) if _PROCESSES.is_dir() else iter(())
        for process in (int(name) for name in names if name.isdigit()):
            with suppress(OSError):
                if process != os.getpid() and os.getsid(process) in sessions and _runs(process):
                    yield process

    def _sessions(self) -> set[int]:
        own = {os.getpid()} & {os.getsid(0)}  # a process that leads none may be in a session with others
        started = _field(self._jvm, _STARTED)
        is_another = started is not None and started != self._started  # its number was given again
        return own if is_another else own | {self._jvm}


def _runs(process: int) -> bool:
    """Whether it has not ended. A process that has is there until somebody asks how."""
    return _field(process, _STATE) not in (None, "Z")


def _field(process: int, number: int) -> str | None:
    """A field of the process's status, None for a process that is gone."""
    try:
        text = (_PROCESSES / str(process) / "stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    return text.rpartition(")")[2].split()[number]
