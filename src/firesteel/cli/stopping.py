"""Line that a command prints when a signal stops it."""

from __future__ import annotations

import sys
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from firesteel.spark.progress import Progress


def stop_words(progress: Progress | None) -> str:
    """Return the text that says what was stopped and how to continue.

    Args:
        progress: Counters of the job, None if no job ran.
    """
    if progress is None:
        return "Stopped."
    if not progress.streams:
        return "Stopped before the end. Another run begins from the start."
    ended = f"after batch {progress.batch}" if progress.batch >= 0 else "before the end of a batch"
    if progress.resumable:
        return f"Stopped {ended}. Run it again to go on."
    return f"Stopped {ended}. Another run begins from the start; with --checkpoint it goes on."


def tell_stop(progress: Progress | None) -> None:
    """Print the text of `stop_words` to stderr as one line. If the terminal is gone, print nothing."""
    from firesteel.cli.json_logs import is_wanted, tell
    from firesteel.cli.progress import now

    words = stop_words(progress)
    with suppress(OSError):
        if is_wanted(sys.argv):
            batch = None if progress is None or progress.batch < 0 else progress.batch
            tell("stopped", message=words, batch=batch)
        else:
            line = words if sys.stderr.isatty() else f"{now()} {words}"
            print(line, file=sys.stderr, flush=True)
