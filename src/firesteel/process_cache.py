"""User-defined functions that are opened once in a process and closed when the process ends.

In Spark, a process runs many tasks. Without the cache, most of the time would go into opening a model or a
connection for each key group of each micro-batch.
"""

from __future__ import annotations

import atexit
from collections.abc import Callable, Hashable
from contextlib import suppress

Act = Callable[[], None]

_close: dict[Hashable, Act] = {}
_job = ""

at_end: Callable[[Act], object] = atexit.register
"""Function that registers a callback for the end of this process. A host sets it for its workers."""


def enter(job: str) -> None:
    """Set the job run for which this process works from now on. `job` returns it.

    Caches use it in their keys, so that a later run of a job does not find the objects of an earlier one.

    Args:
        job: Id of the run.
    """
    global _job
    _job = job


def job() -> str:
    """Return the run of the job for which this process works, "" if it is unknown."""
    return _job


def open_once(name: Hashable, open: Act, close: Act) -> None:
    """Open an object if no object with this name is open in the process.

    If `open` raises, the object counts as not open, and the next call tries again.

    Args:
        name: Identifies the object.
        open: Opens it.
        close: Closes it. Called at the end of the process.
    """
    if name in _close:
        return
    open()
    if not _close:
        at_end(close_all)
    _close[name] = close


def close_all() -> None:
    """Close all open objects at the end of the process. Errors are ignored, as they could not be reported."""
    while _close:
        _, close = _close.popitem()
        with suppress(Exception):
            close()
