"""Errors on their way from a worker to the driver.

A FiresteelError (bad data, an expression that fails on a row) would fail again however often Spark
retried the task, so it does not fail it: it travels to the driver in a packet, past all operators, and
is raised there as what it was. Anything else fails the task, is retried where Spark retries, and ends
as a JobError that quotes the last line of the worker's traceback.
"""

from __future__ import annotations

import itertools
import pickle
from collections.abc import Callable, Iterable, Iterator

from firesteel import errors
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
    raised = _raised(text)
    if raised is None:
        lines = [line for line in text.splitlines() if line.strip()]
        return JobError(f"Spark failed: {lines[0].strip() if lines else type(error).__name__}")
    kind, message = raised
    name = kind.rpartition(".")[2]
    own = getattr(errors, name, None) if kind.startswith("firesteel.") else None
    if isinstance(own, type) and issubclass(own, FiresteelError):
        message, _, hint = message.partition("\nhint: ")
        return own(message, hint=hint or None)
    if name == "AssertionError":
        return InternalError(message or kind, hint="this is a bug in Firesteel: please report it")
    return JobError(f"a worker failed: {kind}: {message}" if message else f"a worker failed: {kind}")


_AFTER = ("\tat ", "PYTHONPATH was:")
"""What Spark writes behind a worker's traceback."""


def _raised(text: str) -> tuple[str, str] | None:
    """Class and message at the end of the last traceback in the text of a Spark exception: what follows
    the indented frames, up to a blank line or the stack of the JVM."""
    before, found, trace = text.rpartition("Traceback (most recent call last):\n")
    if not found:
        return None
    indent = before.rpartition("\n")[2]  # Spark moves the words of a worker that did not start
    inner = (line.removeprefix(indent) if indent.isspace() else line for line in trace.splitlines())
    lines = itertools.dropwhile(lambda line: line[:1].isspace(), inner)
    said = itertools.takewhile(lambda line: line.strip() and not line.startswith(_AFTER), lines)
    kind, _, message = "\n".join(said).partition(":")
    return (kind.strip(), message.strip()) if kind else None
