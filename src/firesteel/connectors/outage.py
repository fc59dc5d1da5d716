"""Says once that a server is away, and once that it is back, with times."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from datetime import datetime

_lock = threading.Lock()
_since: dict[str, float] = {}
"""When each server that is away was missed first, in seconds of time.time(): shared by the tasks of a
process, so one of them speaks for all."""


def print_notice(text: str) -> None:
    """Write a line on stderr."""
    print(text, file=sys.stderr, flush=True)


class Outage:
    """The absences of one server.

    Args:
        server: How messages call it, such as `Kafka at broker:9092`.
        say: Takes a message; None writes it on stderr.
    """

    def __init__(self, server: str, say: Callable[[str], None] | None = None) -> None:
        self.server = server
        self._say = say or print_notice

    def missed(self, why: str, patience: float | None = None) -> None:
        """Say that the server is away, unless that is said already.

        Args:
            why: The error that shows it, in a line.
            patience: Seconds for which the caller waits; None for as long as it takes.
        """
        with _lock:
            if self.server in _since:
                return
            _since[self.server] = time.time()
        limit = "" if patience is None else f" for up to {patience:.0f} s"
        self._say(f"{_clock()} {self.server} is away: {why.rstrip('.')}. Waiting for it{limit}.")

    def answered(self) -> None:
        """Say that the server is back, if it was away."""
        if self.server not in _since:
            return
        with _lock:
            since = _since.pop(self.server, None)
        if since is not None:
            self._say(f"{_clock()} {self.server} is back after {time.time() - since:.0f} s.")

    def given_up(self) -> None:
        """Forget the absence: an error ends the wait."""
        with _lock:
            _since.pop(self.server, None)


def _clock() -> str:
    """The time of day, as logs have it."""
    return datetime.now().astimezone().strftime("%Y-%m-%d %H:%M:%S")
