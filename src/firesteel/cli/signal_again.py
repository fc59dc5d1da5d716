"""Send a signal again whose exception could not be raised, or was dropped."""

from __future__ import annotations

import signal
import threading
from types import FrameType

_DELAY_SECONDS = 0.01
_IMPORTS = ("<frozen importlib", "<frozen zipimport")


def is_importing(frame: FrameType | None) -> bool:
    """Return whether a signal has interrupted the import system itself, not the code of a module.

    An exception that is raised there leaves a lock of the import system locked. The next import of the same
    module, and of each that waits for it in another thread, never ends (seen with CPython 3.11).

    Args:
        frame: The frame that the signal has interrupted.
    """
    return frame is not None and frame.f_code.co_filename.startswith(_IMPORTS)


class SignalAgain:
    """A signal that is sent to the main thread once more, until its exception has arrived."""

    def __init__(self) -> None:
        self._number = 0

    def soon(self, number: int) -> None:
        """Send a signal again in a moment."""
        self._number = number
        timer = threading.Timer(_DELAY_SECONDS, self._send)
        timer.daemon = True
        timer.start()

    def settle(self) -> None:
        """Send no signal: the last one has arrived."""
        self._number = 0

    def _send(self) -> None:
        main = threading.main_thread().ident
        if self._number and main is not None:
            signal.pthread_kill(main, self._number)
