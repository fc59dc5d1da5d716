"""Messages about outages of a server: one when it becomes unreachable, and one when it is back."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from datetime import datetime

from firesteel import notices

_lock = threading.Lock()
_since: dict[str, float] = {}
"""Start of each current outage by server, in seconds of time.time().

The tasks of a process share it, so that only one of them reports an outage.
"""


class Outage:
    """Reporter of the outages of one server.

    Args:
        server: Name of the server in messages, such as `Kafka at broker:9092`.
        say: Function that takes a message; None writes to stderr.
    """

    def __init__(self, server: str, say: Callable[[str], None] | None = None) -> None:
        self.server = server
        self._say = say or notices.say

    def missed(self, why: str, patience: float | None = None) -> None:
        """Report that the server is unreachable, once for each outage.

        Args:
            why: The error, on one line.
            patience: Seconds for which the caller goes on trying before it raises an error; None for no
                limit. The message mentions them.
        """
        with _lock:
            if self.server in _since:
                return
            _since[self.server] = time.time()
        limit = "" if patience is None else f" for up to {patience:.0f} s"
        self._say(f"{_clock()} {self.server} is away: {why.rstrip('.')}. Waiting for it{limit}.")

    def answered(self) -> None:
        """Report that the server is back, if an outage was reported."""
        if self.server not in _since:
            return
        with _lock:
            since = _since.pop(self.server, None)
        if since is not None:
            self._say(f"{_clock()} {self.server} is back after {time.time() - since:.0f} s.")

    def given_up(self) -> None:
        """Forget the current outage without a message, because the caller now raises an error.

        The server may still be unreachable. The next call of `missed` reports a new outage.
        """
        with _lock:
            _since.pop(self.server, None)


def _clock() -> str:
    """Return the local date and time as in logs: `2026-01-02 03:04:05`."""
    return datetime.now().astimezone().strftime("%Y-%m-%d %H:%M:%S")
