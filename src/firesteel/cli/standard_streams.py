"""Standard streams of the command that are closed, or whose reader is gone.

A command may be started with a closed stream (`2>&-`). Python then has no object for it, and the next opened
file gets its number: Spark's log would be written into that file. A closed stream becomes /dev/null. Output
that stderr cannot accept is dropped, because progress and notices must not stop a job.
"""

from __future__ import annotations

import io
import os
import select
import sys
from contextlib import suppress
from typing import Any

_NUMBERS = {"stdin": 0, "stdout": 1, "stderr": 2}


class _LossyFile(io.FileIO):
    """File that accepts all bytes and drops those that cannot be written."""

    def write(self, data: Any) -> int:
        with suppress(OSError):
            return super().write(data)
        return memoryview(data).nbytes


def prepare_streams() -> None:
    """Open each standard stream that is closed, and make stderr drop what it cannot write."""
    for name, number in _NUMBERS.items():
        try:
            os.fstat(number)
        except OSError:
            # os.open returns the lowest free descriptor, which is `number`: all lower ones are open by now.
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)
        if getattr(sys, name) is None:
            setattr(sys, name, open(number, "r" if number == 0 else "w", closefd=False))  # noqa: SIM115
    sys.stderr = _lossy(2, sys.stderr.encoding)


def _lossy(number: int, encoding: str) -> io.TextIOWrapper:
    """Return a text stream that writes to a file descriptor and drops what cannot be written.

    As in Python's stderr, each line is written at once, and characters that the encoding lacks are escaped.
    """
    file = io.BufferedWriter(_LossyFile(number, "w", closefd=False))
    return io.TextIOWrapper(file, encoding, errors="backslashreplace", line_buffering=True)


def has_reader(number: int) -> bool:
    """Return whether the pipe or socket of a file descriptor still has a reader. True for other files."""
    if not hasattr(select, "poll"):
        return True
    poll = select.poll()
    poll.register(number, 0)
    gone = select.POLLERR | select.POLLHUP | select.POLLNVAL
    return not any(events & gone for _, events in poll.poll(0))
