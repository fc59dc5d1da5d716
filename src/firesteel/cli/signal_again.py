"""Repetition of a signal if its first delivery did not stop the command.

The handler of a signal raises an exception to stop the command. It does not raise it if the signal has
interrupted the import system. And CPython drops an exception that is raised in a finalizer (`__del__`).
"""

from __future__ import annotations

import signal
import threading
from types import FrameType

_DELAY_SECONDS = 0.01
_IMPORTS = ("<frozen importlib", "<frozen zipimport")


def is_importing(frame: FrameType | None) -> bool:
    """Return whether a signal has interrupted the import system itself, not the code of a module.

    If True, the signal handler must not raise an exception: a lock of the import system would stay locked.
    Later imports of the same module would then wait for this lock forever, in all threads (CPython 3.11).

    Args:
        frame: The frame that the signal has interrupted.
    """
    return frame is not None and frame.f_code.co_filename.startswith(_IMPORTS)


class SignalAgain:
    """Timer that sends a signal to the main thread again. Call `soon` if its exception did not arrive."""

    def __init__(self) -> None:
        self._number = 0

    def soon(self, number: int) -> None:
        """Send a signal after 10 milliseconds, unless `settle` is called before."""
        self._number = number
        timer = threading.Timer(_DELAY_SECONDS, self._send)
        timer.daemon = True
        timer.start()

    def settle(self) -> None:
        """Cancel the signal that `soon` has announced, because the exception has been raised meanwhile."""
        self._number = 0

    def _send(self) -> None:
        main = threading.main_thread().ident
        if self._number and main is not None:
            signal.pthread_kill(main, self._number)
