"""Functions that keep pyspark from printing tracebacks if the process at the other end of a socket has ended.

When a job stops, its JVM ends. At this time, Python workers may still write to the JVM, and the driver may
still read the workers' counters from the JVM. Both then fail. pyspark prints a traceback for each of these
errors, although the job itself reports errors.
"""

from __future__ import annotations

import sys
import traceback
from types import TracebackType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark import SparkContext

_ENDED = (BrokenPipeError, ConnectionResetError, EOFError)
"""Errors of reading from a process that has ended, or of writing to it."""
_NO_SOCKET = "[CANNOT_OPEN_SOCKET]"
"""Start of pyspark's error message if it cannot connect to its JVM."""


def quiet_worker() -> None:
    """Keep this process, which Spark has started, from printing a traceback if the JVM ends first.

    Without this, pyspark's worker daemon prints the error that ends a worker, and Python prints the error
    that ends a process in which Spark plans a stream.
    """
    printed, hook = traceback.print_exc, sys.excepthook

    def print_exc(*arguments: Any, **named: Any) -> None:
        if not _has_ended(sys.exc_info()[1]):
            printed(*arguments, **named)

    def excepthook(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        if not _has_ended(error):
            hook(kind, error, trace)

    traceback.print_exc, sys.excepthook = print_exc, excepthook


def _has_ended(error: BaseException | None) -> bool:
    """Return whether an error means that the process at the other end has ended."""
    return isinstance(error, _ENDED) or str(error).startswith(_NO_SOCKET)


def quiet_client() -> None:
    """Keep py4j from printing a traceback for each call to a JVM that has ended.

    Two calls in py4j.java_gateway use the root logger, and would make it print to stderr. This function makes
    them use py4j's own logger, which prints nothing unless the user configures it. The function depends on
    private behaviour of py4j.
    """
    from py4j import java_gateway

    module: Any = java_gateway
    module.logging = module.logger


def quiet_counters(context: SparkContext) -> SparkContext:
    """Keep the driver from printing tracebacks if the JVM has ended, and return `context`.

    Two parts of the driver print them: py4j, for each call to the JVM, and the server by which pyspark
    receives accumulators (the workers' counters). The function depends on a private attribute of
    SparkContext, `_accumulatorServer`.
    """
    quiet_client()
    server: Any = getattr(context, "_accumulatorServer", None)
    if server is not None:
        told = server.handle_error

        def handle_error(request: Any, address: Any) -> None:
            if not _has_ended(sys.exc_info()[1]):
                told(request, address)

        server.handle_error = handle_error
    return context
