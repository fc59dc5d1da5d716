"""User-defined functions that are opened once in a process and closed at its end.

In Spark a process works for many tasks: opening a model or a connection for each key group of each
micro-batch would be most of the work.
"""

from __future__ import annotations

import atexit
from collections.abc import Callable, Hashable
from contextlib import suppress

Act = Callable[[], None]

_close: dict[Hashable, Act] = {}
_job = ""

at_end: Callable[[Act], object] = atexit.register
"""Has something done when this process ends; the host knows how its workers do."""


def enter(job: str) -> None:
    """Note for which run of a job this process works from now on. Runs must not see each other's caches."""
    global _job
    _job = job


def job() -> str:
    """Return the run of the job for which this process works, "" if it is unknown."""
    return _job


def open_once(name: Hashable, open: Act, close: Act) -> None:
    """Open it, unless what has this name is open. Raises what `open` raises; then it is not open."""
    if name in _close:
        return
    open()
    if not _close:
        at_end(close_all)
    _close[name] = close


def close_all() -> None:
    """Close everything that is open, at the end. What fails keeps nothing else from it: nobody is left to be
    told."""
    while _close:
        _, close = _close.popitem()
        with suppress(Exception):
            close()
