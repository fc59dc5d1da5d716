"""Output of errors on the terminal: one clear message, and a stack trace only on request."""

from __future__ import annotations

import errno
import sys
import traceback

from firesteel.cli.json_logs import is_wanted, tell_error
from firesteel.cli.terminal import lines_escaped
from firesteel.errors import FiresteelError, InternalError, JobError

_OUTPUT = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
"""Values of OSError.errno for a failed write to standard output or standard error, such as a full disk.

They mean this only if the error's `filename` is None. Errors of other files are expected to have the path of
the file there.
"""

BUG_HINT = (
    "this is a bug in Firesteel: run again with --verbose and please report the script and the trace "
    "where you got it from"
)


def as_firesteel_error(error: BaseException) -> FiresteelError:
    """Return a FiresteelError itself, and any other error as a FiresteelError.

    MemoryError becomes a plain FiresteelError. An error of a write to the output (_OUTPUT) becomes a
    JobError. All other errors become an InternalError, which asks the user to report a bug.
    """
    if isinstance(error, FiresteelError):
        if isinstance(error, InternalError) and error.hint is None:
            error.hint = BUG_HINT
        return error
    if isinstance(error, MemoryError):
        return FiresteelError("out of memory", hint="give the job less at a time or the machine more memory")
    if isinstance(error, OSError) and error.errno in _OUTPUT and error.filename is None:
        return JobError(f"the output cannot be written: {error.strerror}")
    text = str(error).strip().splitlines()
    message = f"{type(error).__name__}: {text[0]}" if text else type(error).__name__
    wrapped = InternalError(message, hint=BUG_HINT)
    wrapped.__cause__ = error
    return wrapped


def report(error: FiresteelError, *, verbose: bool) -> int:
    """Write an error to stderr and return its exit status. If `verbose`, write its stack trace, too."""
    if is_wanted(sys.argv):
        trace = "".join(traceback.format_exception(error)) if verbose else None
        tell_error(error, trace)
        return error.exit_status
    if verbose:
        traceback.print_exception(error, file=sys.stderr)
    said = f"error: {error}"
    print(lines_escaped(said) if sys.stderr.isatty() else said, file=sys.stderr)
    return error.exit_status
