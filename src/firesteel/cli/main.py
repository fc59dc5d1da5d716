"""Command line: `firesteel run job.sql`.

This module imports little. The JVM takes longest to start, so it is started before anything else is loaded.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import os
import sys
import warnings
from typing import NoReturn

from firesteel.cli.interrupts import exit_status, raise_dropped, stop_on_signals
from firesteel.cli.standard_streams import prepare_streams
from firesteel.errors import FiresteelWarning

_BEFORE_A_COLLECTION = 50_000
"""Number of new objects before a garbage collection.

Loading and planning allocate many objects and leave little garbage. With Python's default of 700, garbage
collections take a tenth of the time for loading and planning.
"""


def main() -> int:
    """Run the command of `sys.argv`.

    Returns:
        The exit status: 0 done, 1 the job failed, 2 the script or its use is wrong, 128 + n for signal n.
    """
    stop_on_signals()
    try:
        if "json" not in " ".join(sys.argv):  # The log is not JSON: skip the imports below.
            return _main()
        from firesteel.cli.json_logs import is_wanted
        from firesteel.cli.stderr_lines import json_stderr

        with json_stderr() if is_wanted(sys.argv) else contextlib.nullcontext():
            return _main()
    except KeyboardInterrupt as stop:  # a signal before `_main` can catch it
        return _stopped(stop)


def _main() -> int:
    """Run the command, report the error that ends it, and return the exit status."""
    verbose = "--verbose" in sys.argv
    warnings.showwarning = _show_warning
    try:
        from firesteel.cli.early import prepare_early

        prepare_early(sys.argv[1:])
        from firesteel.cli.app import run_app

        status = run_app(sys.argv[1:])
        sys.stdout.flush()
    except KeyboardInterrupt as stop:
        status = _stopped(stop)
    except BrokenPipeError as error:
        status = _reader_gone(error, verbose=verbose)
    except Exception as error:
        status = _failed(error, verbose=verbose)
    return status


def _failed(error: Exception, *, verbose: bool) -> int:
    """Report an error and return the exit status.

    A signal raises Stopped, and a library may raise an error of its own instead. If a signal has come, the
    function therefore reports that the command was stopped, and not the error.
    """
    try:
        raise_dropped()
    except KeyboardInterrupt as stop:
        return _stopped(stop)
    from firesteel.cli.report import as_firesteel_error, report

    return report(as_firesteel_error(error), verbose=verbose)


def _reader_gone(error: BrokenPipeError, *, verbose: bool) -> int:
    """Return the exit status 0 if the reader of stdout has closed the pipe, as `head` does.

    If the reader is still there, report the error and return its exit status.
    """
    from firesteel.cli.standard_streams import has_reader

    if has_reader(sys.stdout.fileno()):
        return _failed(error, verbose=verbose)
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def _stopped(stop: KeyboardInterrupt) -> int:
    from firesteel.cli.stopping import tell_stop

    tell_stop(getattr(stop, "progress", None))
    return exit_status(stop)


def _show_warning(message: Warning | str, *_: object, **__: object) -> None:
    """Show Firesteel's warnings only. Those of libraries are for developers."""
    if isinstance(message, FiresteelWarning):
        print(f"warning: {message}", file=sys.stderr)


def command() -> NoReturn:
    """Run `main`, then end the process at once.

    The interpreter's own cleanup would take a sixth of a second, and has no use at the end of a process.
    """
    gc.set_threshold(_BEFORE_A_COLLECTION)
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # else NumPy starts threads that are not used
    prepare_streams()
    status = main()
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError):  # the reader may have closed the pipe
            stream.flush()
    os._exit(status)


if __name__ == "__main__":
    command()
