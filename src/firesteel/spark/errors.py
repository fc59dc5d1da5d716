"""Errors on their way from a worker to the driver.

A FiresteelError (bad data, an expression that fails on a row) would fail again however often Spark
retried the task, so it does not fail it: it travels to the driver in a packet, past all operators, and
is raised there as what it was. Anything else fails the task, is retried where Spark retries, and ends
as a JobError that quotes the last line of the worker's traceback.
"""

from __future__ import annotations

import pickle
import re
from collections.abc import Callable, Iterable, Iterator

from firesteel.errors import FiresteelError, InternalError, JobError
from firesteel.runtime.packets import FAILURE, FIRST, Packet


def guarded(packets: Callable[[], Iterable[Packet]]) -> Iterator[Packet]:
    """The packets, or, where a FiresteelError ends them, a packet that carries it."""
    try:
        yield from packets()
    except FiresteelError as error:
        yield Packet(0, FIRST, 0, 0, pickle.dumps(error), FAILURE)


def raise_failure(packet: Packet) -> None:
    """Raise the error that a failed packet carries; other packets pass."""
    if packet.holds == FAILURE:
        raise pickle.loads(packet.payload)


def from_spark(error: Exception) -> FiresteelError:
    """What a Spark exception comes down to, in one line."""
    if isinstance(error, FiresteelError):
        return error
    text = str(error)
    python = _last_python_error(text)
    if python is not None:
        kind, message = python
        if kind.rpartition(".")[2] in ("AssertionError", "InternalError"):
            return InternalError(message or kind, hint="this is a bug in Firesteel: please report it")
        return JobError(f"a worker failed: {kind}: {message}" if message else f"a worker failed: {kind}")
    lines = [line for line in text.splitlines() if line.strip()]
    return JobError(f"Spark failed: {lines[0].strip() if lines else type(error).__name__}")


_TRACEBACK = "Traceback (most recent call last):"
_ERROR_LINE = re.compile(r"^([A-Za-z_][\w.]*(?:Error|Exception|Interrupt|Exit|Warning)?)(?:: (.*))?$")


def _last_python_error(text: str) -> tuple[str, str] | None:
    """Class and message at the end of the first traceback in the text of a PythonException."""
    start = text.find(_TRACEBACK)
    if start < 0:
        return None
    for line in text[start + len(_TRACEBACK) :].splitlines():
        if line and not line[0].isspace():
            found = _ERROR_LINE.match(line)
            if found:
                return found[1], found[2] or ""
    return None
