"""Send a signal again whose exception could not be raised, or was dropped."""

from __future__ import annotations

import signal
import threading
from types import FrameType

_DELAY_SECONDS = 0.01
_IMPORTS = ("<frozen importlib", "<frozen zipimport")


def is_importing(frame: FrameType | None) -> bool:
    """Return whether a signal has interrupted the import system itself, not the code of a module.

    An exception that is raised there leaves a lock of the import system locked. Later imports of the same
    module then wait for this lock forever, in all threads (seen with CPython 3.11).

    Args:
        frame: The frame that the signal has interrupted.
    """
    return frame is not None and frame.f_code.co_filename.startswith(_IMPORTS)


class SignalAgain:
    """A signal that is sent to the main thread again after its exception was lost."""

    def __init__(self) -> None:
        self._number = 0

    def soon(self, number: int) -> None:
        """Send a signal after 10 milliseconds, unless `settle` is called before."""
        self._number = number
        timer = threading.Timer(_DELAY_SECONDS, self._send)
        timer.daemon = True
        timer.start()

    def settle(self) -> None:
        """Do not send the signal: its exception has been raised."""
        self._number = 0

    def _send(self) -> None:
        main = threading.main_thread().ident
        if self._number and main is not None:
            signal.pthread_kill(main, self._number)
