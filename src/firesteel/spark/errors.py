"""Transport of errors from workers to the driver.

A FiresteelError (bad data, an expression that fails on a row) would fail again at each retry of the task. It
therefore does not fail the task: a packet carries it past all operators to the driver, which raises it
unchanged. Any other error fails the task. Spark may retry it, and at last the driver raises a JobError that
quotes the last line of the worker's traceback.
"""

from __future__ import annotations

import importlib
import itertools
import pickle
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import fields, is_dataclass

from firesteel.errors import FiresteelError, InternalError, JobError, TransientError
from firesteel.job.spec import JobSpec
from firesteel.runtime.dataflow.packets import FAILURE, FIRST, Packet
from firesteel.spark.known_failures import known_failure
from firesteel.spark.workers_python import unfit_python
from firesteel.types.user_function import UserFunction


def guarded(packets: Callable[[], Iterable[Packet]]) -> Iterator[Packet]:
    """Yield the packets that a function returns. A FiresteelError becomes a last packet that carries it."""
    try:
        yield from packets()
    except FiresteelError as error:
        yield Packet(0, FIRST, 0, 0, pickle.dumps(error), FAILURE)


def raise_failure(packet: Packet) -> None:
    """Raise the error that a packet carries, if it carries one.

    The job restarts at most after a TransientError, whose cause lies outside of the rows. The same rows would
    cause any other error again.
    """
    if packet.holds == FAILURE:
        error: FiresteelError = pickle.loads(packet.payload)
        if not isinstance(error, TransientError):
            error.restarts = False
        raise error


def from_spark(error: Exception, job: JobSpec | None = None, *, goes_on: bool = False) -> FiresteelError:
    """Return a Spark exception as a FiresteelError with its cause in one line.

    Args:
        error: The exception.
        job: The job that it ended, if any.
        goes_on: Whether another run can continue from the job's checkpoint. The hint of an error says so.
    """
    if isinstance(error, FiresteelError):
        return error
    text = _message_of(error)
    if (unfit := unfit_python(text)) is not None:
        return unfit
    raised = _raised(text)
    if raised is None or raised[0].endswith("Py4JJavaError"):
        words = java_words(text) or type(error).__name__
        if (known := known_failure(text)) is not None:
            return known
        if _DEATH.search(words):
            return _died(text, words, job, goes_on=goes_on)
        return JobError(f"Spark failed: {words}")
    kind, message = raised
    own = _own(kind)
    if own is not None:
        message, _, hint = message.partition("\nhint: ")
        return own(message, hint=hint or None)
    if kind == "AssertionError":
        return InternalError(message or kind, hint="this is a bug in Firesteel: please report it")
    if (known := known_failure(text)) is not None:
        return known
    return JobError(f"a worker failed: {kind}: {message}" if message else f"a worker failed: {kind}")


def is_sparks(error: Exception) -> bool:
    """Return whether an exception is one of pyspark's, or of py4j's, or a lost connection to the JVM."""
    return type(error).__module__.partition(".")[0] in ("pyspark", "py4j") or isinstance(
        error, ConnectionError
    )


_UNNAMED = re.compile(r"terminated with exception: (?!.*(?:Exception|Error)\b)", re.DOTALL)
"""Matches Spark's text for the error of a streaming query, if it names no exception class."""
_CAUSE = re.compile(r"^Caused by: (.+)$", re.MULTILINE)


def _message_of(error: Exception) -> str:
    """Return the text of an error, or the last cause in its stack trace if the text names no exception."""
    text = str(error)
    causes = _CAUSE.findall(getattr(error, "_stackTrace", "")) if _UNNAMED.search(text) else []
    return causes[-1] if causes else text


def _own(kind: str) -> type[FiresteelError] | None:
    """Return the error class of Firesteel with the full name `kind`; None if there is no such class."""
    module, _, name = kind.rpartition(".")
    if not module.startswith("firesteel."):
        return None
    with suppress(ImportError):
        found = getattr(importlib.import_module(module), name, None)
        if isinstance(found, type) and issubclass(found, FiresteelError):
            return found
    return None


_DEATH = re.compile(
    r"Python worker exited unexpectedly|EOFException"
    r"|(?:IO|Socket)Exception: (?:Broken pipe|Connection reset|Stream closed)"
)
_CALL = "An error occurred while calling"
_ADVICE = re.compile(r"\s*Consider setting 'spark\..*")
"""Spark's advice to change a setting. It does not help a job of Firesteel, so it is cut from messages."""


def _died(text: str, words: str, job: JobSpec | None, *, goes_on: bool) -> JobError:
    """Return the error for a worker process that died without an error of its own.

    Args:
        text: Text of Spark's exception, which may name the partition.
        words: Message of the Java exception, for the error.
        job: The job. The error names its user-defined functions.
        goes_on: See `from_spark`.
    """
    task = re.search(r"Task (\d+) in stage", text)
    where = f" in partition {task[1]}" if task else ""
    names = sorted({function.name for function in functions_of(job)})
    called = (
        f", function {names[0]}" if len(names) == 1 else f", functions {', '.join(names)}" if names else ""
    )
    culprit = "one of its functions" if names else "a crash in native code"
    hint = f"{culprit} ended it, or the system did for want of memory (dmesg tells)"
    if goes_on:
        hint += "; run again, it goes on from its checkpoint"
    return JobError(f"a worker's process ended{where}{called}: {words}", hint=hint)


def functions_of(part: object) -> set[UserFunction]:
    """Return the user-defined functions that a job, or a part of one, calls."""
    if isinstance(part, UserFunction):
        return {part}
    if isinstance(part, (tuple, list)):
        return set().union(*map(functions_of, part))
    if is_dataclass(part) and not isinstance(part, type):
        return set().union(*(functions_of(getattr(part, field.name)) for field in fields(part)))
    return set()


def java_words(text: str) -> str:
    """Return the message of the Java exception in the text of a py4j or pyspark error.

    If a Spark job failed, this is the message of the failed task.
    """
    _, called, after = text.rpartition(_CALL)
    said = after.partition("\n")[2] if called else text
    first = next((line.strip() for line in said.splitlines() if line.strip()), "")
    words = first.removeprefix(": ").rpartition("most recent failure: ")[2]
    words = re.sub(r"^Lost task \S+ in stage \S+ \(TID \d+\) \([^()]*\): ", "", words)
    words = re.sub(r"^(?:[a-z]\w*\.)+(?=[A-Z]\w*(?:Exception|Error)\b)", "", words)
    return _ADVICE.sub("", words)


_AFTER = ("\tat ", "PYTHONPATH was:", "SQLSTATE: ", "=== Streaming Query ===")
"""Beginnings of lines that Spark writes after a worker's traceback."""


def _raised(text: str) -> tuple[str, str] | None:
    """Return the class and the message of the error in a Spark exception's last Python traceback.

    They stand after the traceback's indented frames, up to a blank line or the JVM's stack. None if the text
    has no traceback.
    """
    before, found, trace = text.rpartition("Traceback (most recent call last):\n")
    if not found:
        return None
    indent = before.rpartition("\n")[2]  # Spark indents the output of a worker that did not start.
    inner = (line.removeprefix(indent) if indent.isspace() else line for line in trace.splitlines())
    lines = itertools.dropwhile(lambda line: line[:1].isspace(), inner)
    said = itertools.takewhile(lambda line: line.strip() and not line.lstrip(" ").startswith(_AFTER), lines)
    kind, _, message = "\n".join(said).partition(":")
    return (kind.strip(), message.strip()) if kind else None
